//! Files are replaced whole or not at all: a command that is interrupted leaves the author's text as it was.

mod together;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub(crate) use together::Together;

/// How many files of one name a folder may have beside it before something is wrong: each is left by a process that was killed.
const MOST_BESIDE: u32 = 100;

/// Puts a text in the place of a file's. It is written beside it, with the file's permissions, and takes its place at once;
/// where the file is a link, what it leads to is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = resolved(path)?;
    let beside = write_beside(&path, text)?;
    let renamed = fs::rename(&beside, &path);
    if renamed.is_err() {
        // What could not take its place is of no use; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    renamed
}

/// Where a path leads; of a file that is not there yet, the path itself.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_path_buf()),
        Err(error) => Err(error),
    }
}

/// A new file beside a path, that holds the text and will be let in its place.
fn write_beside(path: &Path, text: &str) -> io::Result<PathBuf> {
    let old = fs::metadata(path).ok();
    if let Some(old) = &old {
        if !old.is_file() {
            let what = if old.is_dir() { "a folder" } else { "no file" };
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("what is there is {what}"),
            ));
        }
        // Renaming would not ask.
        if old.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is read-only",
            ));
        }
    }
    let (beside, mut file) = create_beside(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| {
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(beside),
        Err(why) => {
            let _ = fs::remove_file(&beside);
            Err(why)
        }
    }
}

/// A hidden file of this process beside a path, that nothing had before.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut again = 0;
    loop {
        let beside = hidden(path, again);
        match File::create_new(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists && again < MOST_BESIDE => {
                again += 1;
            }
            Err(why) => return Err(why),
        }
    }
}

fn hidden(path: &Path, again: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.{again}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        fs::write(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["model.toml"]);
    }

    /// A process of the same number was killed here before.
    #[test]
    fn what_another_left_beside_it_is_not_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        fs::write(hidden(&path, 0), "half").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        let link = folder.path().join("link.toml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }

    #[test]
    fn what_cannot_be_written_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "old").unwrap();
        assert!(replace(&path, "new").is_err());
        assert_eq!(names(folder.path()), ["model.toml"]);
        assert!(replace(&folder.path().join("nowhere/model.toml"), "new").is_err());
    }

    #[test]
    fn a_file_that_is_read_only_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.toml");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let why = replace(&path, "new").unwrap_err();
        assert_eq!(why.to_string(), "it is read-only");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["model.toml"]);
    }
}
