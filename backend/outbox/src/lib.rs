//! A folder for what nobody sends: mails without a server, notifications without credentials. Those who develop see there what others would get.
//!
//! What is kept has an id. Kept again, it is the same file; whatever stands in an id, it stays within the folder.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use aws_lc_rs::digest;

/// The longest name of a file, without its ending: file systems take 255 bytes.
const LONGEST: usize = 200;

/// The folder, which is made with the first file.
#[derive(Debug, Clone)]
pub struct Outbox(PathBuf);

impl Outbox {
    /// A folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Outbox(folder.into())
    }

    /// Keeps one thing, in a file for each form it has: `("json", …)` becomes `ID.json`. It returns when they are on the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn keep(&self, id: &str, forms: Vec<(&'static str, Vec<u8>)>) -> io::Result<()> {
        let (folder, name) = (self.0.clone(), short(file_name(id)));
        let kept = tokio::task::spawn_blocking(move || {
            fs::create_dir_all(&folder)?;
            forms
                .iter()
                .try_for_each(|(ending, bytes)| whole(&folder, &format!("{name}.{ending}"), bytes))
        });
        kept.await.map_err(io::Error::other)?
    }
}

/// An id as the name of a file: letters, digits, `.`, `-` and `_`, and what else there is by its number.
pub fn file_name(id: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    // Two ids must not become one.
    let each = id.chars().map(|c| match allowed(c) {
        true => c.to_string(),
        false => format!("={:x}=", u32::from(c)),
    });
    // `..` is a folder.
    each.collect::<String>().trim_start_matches('.').to_owned()
}

/// A name that file systems take. What is cut off still tells it from every other.
fn short(name: String) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    let digest = digest::digest(&digest::SHA256, name.as_bytes());
    let half = digest.as_ref().iter().take(16);
    let hex: String = half.map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hex}", &name[..LONGEST - 33])
}

/// Writes a file that is there whole or not at all. What is there stays.
fn whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = folder.join(name);
    if path.exists() {
        return Ok(());
    }
    let begun = folder.join(format!(".{}.{name}", std::process::id()));
    let mut file = fs::File::create(&begun)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(begun, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_kept_again_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(folder.path().join("new/mail"));
        for text in ["first", "second"] {
            let forms = vec![("txt", text.as_bytes().to_vec()), ("json", vec![b'1'])];
            outbox.keep("../a", forms).await.unwrap();
        }
        let kept = folder.path().join("new/mail");
        let mut names: Vec<String> = fs::read_dir(&kept)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["=2f=a.json", "=2f=a.txt"]);
        assert_eq!(fs::read_to_string(kept.join("=2f=a.txt")).unwrap(), "first");
    }

    /// An id may be longer, once it is written so that no file system stumbles over it, than the name of a file may be.
    #[tokio::test]
    async fn a_long_id_is_kept_like_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(folder.path());
        for end in ["a", "b", "a"] {
            let id = format!("e1.TaskAssigned.{}{end}", "|".repeat(100));
            outbox.keep(&id, vec![("eml", Vec::new())]).await.unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn ids_stay_apart_and_within_their_folder() {
        assert_eq!(file_name("a.b-c_1"), "a.b-c_1");
        assert_ne!(file_name("a/b"), file_name("a:b"));
        assert_eq!(file_name("../../etc/passwd"), "=2f=..=2f=etc=2f=passwd");
    }
}
