//! Where something is generated: whether what is there may be written over.

use std::fs;
use std::path::{Component, Path, PathBuf};

use tablewright_emit::artefacts::Mark;

use super::stored;
use crate::error::{Failure, shown};
use crate::project::Project;

/// The folder of a project, in which what is generated stays unless the project file itself says otherwise.
pub(super) struct Targets {
    /// As the path says.
    folder: PathBuf,
    /// As the links on it lead.
    leads_to: PathBuf,
}

impl Targets {
    pub(super) fn of(project: &Project) -> Result<Self, Failure> {
        let folder = plain(&project.locate("."));
        let leads_to = fs::canonicalize(&folder).map_err(Failure::unreadable(&shown(&folder)))?;
        Ok(Targets { folder, leads_to })
    }

    /// Refuses a file that somebody wrote, and a path that a link leads out of the project.
    pub(super) fn may_be_written(&self, path: &Path, mark: Mark) -> Result<(), Failure> {
        self.stays_inside(path)?;
        match stored(path)? {
            Some(stored) if !mark.is_on(&stored) => {
                Err(Failure::NotGenerated { path: shown(path) })
            }
            _ => Ok(()),
        }
    }

    fn stays_inside(&self, path: &Path) -> Result<(), Failure> {
        let written = plain(path);
        // A path out of the project is meant: the project file says so.
        if !written.starts_with(&self.folder) {
            return Ok(());
        }
        // What is not there yet leads nowhere else; a link is there, whether or not it leads to something.
        let mut ancestors = written.ancestors();
        let there = ancestors.find(|path| fs::symlink_metadata(path).is_ok());
        let Some(there) = there else { return Ok(()) };
        let leads_to = fs::canonicalize(there).map_err(Failure::unwritable(&shown(path)))?;
        match leads_to.starts_with(&self.leads_to) {
            true => Ok(()),
            false => Err(Failure::LeadsAway {
                path: shown(path),
                to: shown(&leads_to),
            }),
        }
    }
}

/// A path without detours, so that one file has one.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            component => plain.push(component),
        }
    }
    plain
}
