//! Every artefact, one line each: what the table `[generate]` of a project may ask for.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use tablewright_model::Model;

use crate::snapshots::{self, Finding};
use crate::{EmitError, rust, typescript};

/// Everything that can be generated, in the order in which it is.
#[rustfmt::skip]
pub static ARTEFACTS: &[Artefact] = &[
    Artefact { name: "schema", example: "backend/schema/{model}", generate: snapshots_of },
    Artefact { name: "rust", example: "backend/{model}/src/model.rs", generate: |job| job.file(rust::module) },
    Artefact { name: "typescript", example: "docs/specs/jobs/{model}/entity-schemas.ts", generate: |job| job.file(typescript::module) },
];

/// Something that is generated from a model.
#[derive(Debug)]
pub struct Artefact {
    /// Its key in the table `[generate]`, whose value is a path with `{model}` for the model's name.
    pub name: &'static str,
    /// Such a path.
    pub example: &'static str,
    /// Generates it.
    pub generate: fn(&Job<'_>) -> Result<Generated, ArtefactError>,
}

/// What an artefact is generated from, and where to.
#[derive(Debug, Clone, Copy)]
pub struct Job<'j> {
    /// The model.
    pub model: &'j Model,
    /// The file it was read from, as the project names it.
    pub source: &'j str,
    /// The file, or the folder of an artefact of several files.
    pub place: &'j Path,
}

impl Job<'_> {
    /// The one file of an artefact that is one.
    fn file(
        &self,
        text: fn(&Model, &str) -> Result<String, EmitError>,
    ) -> Result<Generated, ArtefactError> {
        let text = text(self.model, self.source).map_err(ArtefactError::Emit)?;
        Ok(Generated {
            files: vec![(self.place.to_owned(), text)],
            findings: Vec::new(),
        })
    }
}

/// The files of an artefact.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    /// Their paths and texts.
    pub files: Vec<(PathBuf, String)>,
    /// What is to be said of what is there already.
    pub findings: Vec<Finding>,
}

/// Why an artefact could not be generated.
#[derive(Debug)]
pub enum ArtefactError {
    /// What is there could not be read.
    Read(io::Error),
    /// The model has something that cannot be generated.
    Emit(EmitError),
}

impl fmt::Display for ArtefactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArtefactError::Read(why) => write!(f, "what is there could not be read: {why}"),
            ArtefactError::Emit(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for ArtefactError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ArtefactError::Read(why) => Some(why),
            ArtefactError::Emit(why) => Some(why),
        }
    }
}

fn snapshots_of(job: &Job<'_>) -> Result<Generated, ArtefactError> {
    let examined = snapshots::examine(job.model, job.place).map_err(ArtefactError::Read)?;
    Ok(Generated {
        files: examined.files,
        findings: examined.findings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = ARTEFACTS.iter().map(|artefact| artefact.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ARTEFACTS.len());
    }
}
