//! Where lakes are, and the right to write one.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;

use crate::error::LakeError;
use crate::lease::Lease;
use crate::options::LakeOptions;
use crate::s3;

/// A lock that is let go of may be held for a moment by a program that is just being started: it has what its parent had open until it runs.
const LOOKS: usize = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// Where lakes are: a folder, or a place in a bucket of S3, with one folder in it for each model.
#[derive(Debug, Clone)]
pub struct Place(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Folder(PathBuf),
    Bucket { name: String, prefix: Path },
}

/// The right to write a lake.
#[derive(Debug)]
pub(crate) enum Held {
    /// It ends with the process, however that ends.
    Lock { _lock: File },
    /// It ends when it is not renewed.
    Lease(Lease),
}

impl Place {
    /// A folder. It is made when a lake is written there.
    ///
    /// # Errors
    /// [`LakeError::Place`] when it is a file, or an address of something that is no folder.
    pub fn folder(folder: impl AsRef<FilePath>) -> Result<Self, LakeError> {
        let folder = folder.as_ref();
        let refuse = |why: &str| refused(&folder.display(), why);
        if folder.as_os_str().is_empty() {
            return Err(refuse("it is empty"));
        }
        if folder.to_string_lossy().contains("://") {
            return Err(refuse("it is no folder of this machine"));
        }
        if folder.is_file() {
            return Err(refuse("it is a file"));
        }
        Ok(Place(Kind::Folder(folder.to_owned())))
    }

    /// As people write it: a folder, or `s3://bucket/prefix`.
    ///
    /// # Errors
    /// [`LakeError::Place`] when it is neither.
    pub fn named(text: &str) -> Result<Self, LakeError> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Place::folder(text);
        };
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
        if scheme != "s3" {
            return Err(refused(&text, "a lake is a folder, or s3://bucket/prefix"));
        }
        if !(3..=63).contains(&name.len()) || !name.chars().all(plain) {
            let why = "a bucket is named by 3 to 63 small letters, digits, dots and hyphens";
            return Err(refused(&text, why));
        }
        let prefix = Path::parse(prefix).map_err(|error| refused(&text, error))?;
        let name = name.to_owned();
        Ok(Place(Kind::Bucket { name, prefix }))
    }

    /// Whether there is a lake of a model.
    ///
    /// # Errors
    /// [`LakeError::Files`] when it cannot be asked.
    pub async fn has(&self, model: &str) -> Result<bool, LakeError> {
        match &self.0 {
            Kind::Folder(folder) => Ok(folder.join(model).is_dir()),
            Kind::Bucket { .. } => {
                let files = self.files(model, LakeOptions::default().lease)?;
                Ok(files.list(None).try_next().await?.is_some())
            }
        }
    }

    /// The files of a model's lake. What is written is on the disk, or in the bucket, when it is told to be; and no request to a bucket takes longer than two thirds of a lease.
    pub(crate) fn files(
        &self,
        model: &str,
        lease: Duration,
    ) -> Result<Arc<dyn ObjectStore>, LakeError> {
        match &self.0 {
            Kind::Folder(folder) => {
                let files = LocalFileSystem::new_with_prefix(folder.join(model))?;
                Ok(Arc::new(files.with_fsync(true)))
            }
            Kind::Bucket { name, prefix } => {
                let bucket = s3::bucket(name, lease / 3)?;
                let prefix = prefix.clone().join(model);
                Ok(Arc::new(PrefixStore::new(bucket, prefix)))
            }
        }
    }

    /// Whether somebody has the right to write a model's lake; none when that cannot be said, as of a bucket.
    pub(crate) fn is_held(&self, model: &str) -> Option<bool> {
        let Kind::Folder(folder) = &self.0 else {
            return None;
        };
        let lock = File::open(folder.join(model).join("_lake").join("lock")).ok()?;
        // Whoever begins to write meanwhile looks again, and this is over in a moment.
        match lock.try_lock_shared() {
            Ok(()) => Some(false),
            Err(TryLockError::WouldBlock) => Some(true),
            Err(TryLockError::Error(_)) => None,
        }
    }

    /// All files of this place.
    pub(crate) fn whole(&self) -> Result<Arc<dyn ObjectStore>, LakeError> {
        match &self.0 {
            Kind::Folder(folder) => Ok(Arc::new(LocalFileSystem::new_with_prefix(folder)?)),
            Kind::Bucket { name, prefix } => {
                let bucket = s3::bucket(name, LakeOptions::default().lease / 3)?;
                Ok(Arc::new(PrefixStore::new(bucket, prefix.clone())))
            }
        }
    }

    /// Takes the right to write a model's lake. In a folder, which is made, it also removes what a process that was killed left half written; in a bucket nothing is half written.
    pub(crate) async fn hold(&self, model: &str, lease: Duration) -> Result<Held, LakeError> {
        match &self.0 {
            Kind::Folder(folder) => {
                let folder = folder.join(model);
                for _ in 0..LOOKS {
                    match locked(&folder) {
                        Err(LakeError::Held { .. }) => tokio::time::sleep(BETWEEN_LOOKS).await,
                        held => return held,
                    }
                }
                locked(&folder)
            }
            Kind::Bucket { .. } => {
                let files = self.files(model, lease)?;
                let lake = format!("{self}/{model}");
                Ok(Held::Lease(Lease::take(&files, &lake, lease).await?))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Folder(folder) => folder.display().fmt(f),
            Kind::Bucket { name, prefix } => write!(f, "s3://{name}/{prefix}"),
        }
    }
}

impl Held {
    /// Returns when nobody else can have it while a file is written.
    pub(crate) async fn be_sure(&self) -> Result<(), LakeError> {
        match self {
            Held::Lock { .. } => Ok(()),
            Held::Lease(lease) => lease.be_sure().await,
        }
    }

    pub(crate) async fn give_back(&self) {
        if let Held::Lease(lease) = self {
            lease.give_back().await;
        }
    }
}

fn refused(place: &impl fmt::Display, why: impl fmt::Display) -> LakeError {
    LakeError::Place {
        place: place.to_string(),
        why: why.to_string(),
    }
}

fn locked(folder: &FilePath) -> Result<Held, LakeError> {
    let refuse = |error: io::Error| refused(&folder.display(), error);
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
    remove_half_written(folder).map_err(refuse)?;
    Ok(Held::Lock { _lock: lock })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_in_a_bucket() {
        for (text, place) in [
            ("lake", "lake"),
            ("/var/lake", "/var/lake"),
            ("s3://a-bucket/lakes/all", "s3://a-bucket/lakes/all"),
            ("s3://bucket", "s3://bucket/"),
        ] {
            assert_eq!(Place::named(text).unwrap().to_string(), place);
        }
        for (text, why) in [
            ("", "it is empty"),
            ("gs://bucket/lake", "a folder, or s3://bucket/prefix"),
            ("s3://", "a bucket is named by"),
            ("s3://Bucket/x", "a bucket is named by"),
            ("s3://bucket/a//b", "a//b"),
        ] {
            let told = Place::named(text).unwrap_err().to_string();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
