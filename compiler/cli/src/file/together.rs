//! Several files that change together: all of them, or none.
//!
//! First everything is written beside its place, where a full disk or a folder without permission shows; then each takes its place, with what
//! was there kept until the last has. Whatever fails is undone when the value is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{create_beside, resolved, write_beside};
use crate::error::{Failure, shown};

/// Changes that are prepared, and undone unless they are [made](Together::make).
#[derive(Debug, Default)]
pub(crate) struct Together {
    changes: Vec<Change>,
    /// Folders that were not there before, each before those in it.
    folders: Vec<PathBuf>,
}

#[derive(Debug)]
struct Change {
    path: PathBuf,
    /// The text that is to take its place; none when the file is to go.
    new: Option<PathBuf>,
    /// What was there, under another name.
    kept: Option<PathBuf>,
    made: bool,
}

impl Together {
    /// A text that is to be in a file, whatever is there now.
    pub(crate) fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        let prepared = self.folder_of(path).and_then(|()| {
            let path = resolved(path)?;
            let new = write_beside(&path, text)?;
            Ok(Change {
                path,
                new: Some(new),
                kept: None,
                made: false,
            })
        });
        let change = prepared.map_err(Failure::unwritable(&shown(path)))?;
        self.changes.push(change);
        Ok(())
    }

    /// A text in a file that must not be there yet.
    pub(crate) fn create(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Failure::Exists { path: shown(path) });
        }
        self.write(path, text)
    }

    /// A file that is to go. A link goes itself, not what it leads to.
    pub(crate) fn remove(&mut self, path: &Path) {
        self.changes.push(Change {
            path: path.to_owned(),
            new: None,
            kept: None,
            made: false,
        });
    }

    /// Makes all changes. When one fails, those before it are undone.
    pub(crate) fn make(mut self) -> Result<(), Failure> {
        for change in &mut self.changes {
            let path = shown(&change.path);
            change.make().map_err(Failure::unwritable(&path))?;
        }
        for change in std::mem::take(&mut self.changes) {
            if let Some(kept) = change.kept {
                // All is done; what is left of it is hidden, and in nobody's way.
                let _ = fs::remove_file(kept);
            }
        }
        self.folders.clear();
        Ok(())
    }

    /// Makes the folders above a file, and remembers them.
    fn folder_of(&mut self, path: &Path) -> io::Result<()> {
        let mut missing = Vec::new();
        for folder in path.ancestors().skip(1) {
            if folder.as_os_str().is_empty() || folder.exists() {
                break;
            }
            missing.push(folder.to_owned());
        }
        while let Some(folder) = missing.pop() {
            match fs::create_dir(&folder) {
                Ok(()) => self.folders.push(folder),
                // As `a/..`, once there is an `a`.
                Err(_) if folder.is_dir() => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }
}

impl Change {
    fn make(&mut self) -> io::Result<()> {
        match &self.new {
            Some(new) => {
                if fs::symlink_metadata(&self.path).is_ok() {
                    self.kept = Some(keep(&self.path)?);
                }
                fs::rename(new, &self.path)?;
            }
            None => {
                let (kept, _) = create_beside(&self.path)?;
                fs::rename(&self.path, self.kept.insert(kept))?;
            }
        }
        self.made = true;
        Ok(())
    }

    /// As it was before. There is nobody to tell if that fails too: the first error is told.
    fn undo(&self) {
        match (&self.kept, self.made) {
            (Some(kept), true) => drop(fs::rename(kept, &self.path)),
            (Some(kept), false) => drop(fs::remove_file(kept)),
            (None, true) => drop(fs::remove_file(&self.path)),
            (None, false) => {}
        }
        if let Some(new) = self.new.as_ref().filter(|_| !self.made) {
            let _ = fs::remove_file(new);
        }
    }
}

/// A second name for a file, so that there is no moment without it; where a disk has no such thing, a copy.
fn keep(path: &Path) -> io::Result<PathBuf> {
    let (kept, _) = create_beside(path)?;
    // A name can only be given where nothing has it.
    let linked = fs::remove_file(&kept).and_then(|()| fs::hard_link(path, &kept));
    match linked.or_else(|_| fs::copy(path, &kept).map(drop)) {
        Ok(()) => Ok(kept),
        Err(why) => {
            let _ = fs::remove_file(&kept);
            Err(why)
        }
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        for change in self.changes.iter().rev() {
            change.undo();
        }
        for folder in self.folders.iter().rev() {
            // One that somebody else has put something into stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;
    use super::*;

    #[test]
    fn everything_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "old").unwrap();
        fs::write(at("gone"), "gone").unwrap();
        let mut together = Together::default();
        together.write(&at("old"), "new").unwrap();
        together.write(&at("a/b/c"), "deep").unwrap();
        together.remove(&at("gone"));
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "old");
        together.make().unwrap();
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "new");
        assert_eq!(fs::read_to_string(at("a/b/c")).unwrap(), "deep");
        assert_eq!(names(folder.path()), ["a", "old"]);
        assert_eq!(names(&at("a/b")), ["c"]);
    }

    #[test]
    fn what_is_not_made_was_never_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut together = Together::default();
        together.write(&folder.path().join("a/b"), "new").unwrap();
        drop(together);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    /// The last change fails when the others are made already: what it would remove is gone by then.
    #[test]
    fn what_is_made_is_undone_when_another_fails() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "old").unwrap();
        fs::write(at("other"), "other").unwrap();
        let mut together = Together::default();
        together.write(&at("old"), "new").unwrap();
        together.write(&at("folder/first"), "first").unwrap();
        together.remove(&at("other"));
        together.remove(&at("never there"));
        assert!(together.make().is_err());
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "old");
        assert_eq!(fs::read_to_string(at("other")).unwrap(), "other");
        assert_eq!(names(folder.path()), ["old", "other"]);
    }

    #[test]
    fn what_must_not_be_there_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        fs::write(&path, "mine").unwrap();
        let mut together = Together::default();
        assert!(matches!(
            together.create(&path, "new"),
            Err(Failure::Exists { .. })
        ));
        drop(together);
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
