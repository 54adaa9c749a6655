//! Keeping mails in a folder, for those who develop.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::NotSent;
use crate::mail::{Mail, Sender};

/// A folder with two files for each mail: `.eml`, which every mail program opens, and `.json`, for a page that lists them. Kept again, they are the same files.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder, which is made with the first mail.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Folder(folder.into())
    }

    pub(crate) async fn keep(&self, from: &Sender, mail: &Mail) -> Result<(), NotSent> {
        let message = mail.message(from)?.formatted();
        let summary = json!({
            "id": mail.id,
            "to": mail.address,
            "name": mail.name,
            "subject": mail.subject,
            "text": mail.text,
            "html": mail.html,
        });
        let (folder, name) = (self.0.clone(), mail.file_name());
        let kept = tokio::task::spawn_blocking(move || {
            fs::create_dir_all(&folder)?;
            whole(&folder, &format!("{name}.eml"), &message)?;
            whole(
                &folder,
                &format!("{name}.json"),
                format!("{summary:#}\n").as_bytes(),
            )
        });
        match kept.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(NotSent::Now(error.to_string())),
            Err(error) => Err(NotSent::Now(error.to_string())),
        }
    }
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
    use crate::Mailer;

    #[tokio::test]
    async fn a_mail_that_is_kept_again_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::Folder(Folder::new(folder.path().join("mail")));
        let from: Sender = "noreply@example.org".parse().unwrap();
        let mail = Mail {
            id: String::from("e1.ada"),
            name: None,
            address: String::from("ada@example.org"),
            subject: String::from("Grüße"),
            text: String::from("Hello"),
            html: String::from("<p>Hello</p>"),
            thread: None,
        };
        for _ in 0..3 {
            mailer.send(&from, &mail).await.unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(folder.path().join("mail"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["e1.ada.eml", "e1.ada.json"]);
        let eml = fs::read_to_string(folder.path().join("mail/e1.ada.eml")).unwrap();
        assert!(eml.contains("Message-ID: <e1.ada@example.org>"), "{eml}");
    }
}
