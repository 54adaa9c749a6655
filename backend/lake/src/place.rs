//! Where lakes are, and the right to write one.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

use crate::error::LakeError;

/// Where lakes are: a folder, with one folder in it for each model.
#[derive(Debug, Clone)]
pub struct Place {
    folder: PathBuf,
}

/// The right to write a lake. It ends with the process, however that ends.
#[derive(Debug)]
pub(crate) struct Held {
    _lock: File,
}

impl Place {
    /// A folder. It is made when a lake is written there.
    ///
    /// # Errors
    /// [`LakeError::Place`] when it is a file, or an address of something that is no folder.
    pub fn folder(folder: impl AsRef<FilePath>) -> Result<Self, LakeError> {
        let folder = folder.as_ref();
        let refuse = |why: &str| LakeError::Place {
            place: folder.display().to_string(),
            why: why.to_owned(),
        };
        if folder.as_os_str().is_empty() {
            return Err(refuse("it is empty"));
        }
        if folder.to_string_lossy().contains("://") {
            return Err(refuse("a lake is a folder of this machine"));
        }
        if folder.is_file() {
            return Err(refuse("it is a file"));
        }
        Ok(Place {
            folder: folder.to_owned(),
        })
    }

    /// The folder of a model's lake.
    pub fn of(&self, model: &str) -> PathBuf {
        self.folder.join(model)
    }

    /// The files of a model's lake. What is written is on the disk when it is told to be.
    pub(crate) fn files(&self, model: &str) -> Result<Arc<dyn ObjectStore>, LakeError> {
        let files = LocalFileSystem::new_with_prefix(self.of(model))?;
        Ok(Arc::new(files.with_fsync(true)))
    }

    /// Makes the folder of a model's lake, takes the right to write it, and removes what a process that was killed left half written.
    pub(crate) fn hold(&self, model: &str) -> Result<Held, LakeError> {
        let folder = self.of(model);
        let refuse = |error: io::Error| LakeError::Place {
            place: folder.display().to_string(),
            why: error.to_string(),
        };
        let own = folder.join("_lake");
        fs::create_dir_all(&own).map_err(refuse)?;
        let lock = File::create(own.join("lock")).map_err(refuse)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = folder.display().to_string();
                return Err(LakeError::Held { folder });
            }
            Err(TryLockError::Error(error)) => return Err(refuse(error)),
        }
        remove_half_written(&folder).map_err(refuse)?;
        Ok(Held { _lock: lock })
    }
}

/// Files are written under a name with `#` in it, and renamed when they are whole.
fn remove_half_written(folder: &FilePath) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_half_written(&entry.path())?;
        } else if entry.file_name().to_string_lossy().contains('#') {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
