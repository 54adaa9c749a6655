//! Keeping mails in a folder, for those who develop.

use std::path::PathBuf;

use serde_json::json;
use tablewright_outbox::Outbox;

use crate::NotSent;
use crate::mail::{Mail, Sender};

/// A folder with two files for each mail: `.eml`, which every mail program opens, and `.json`, for a page that lists them. Kept again, they are the same files.
#[derive(Debug, Clone)]
pub struct Folder(Outbox);

impl Folder {
    /// The folder, which is made with the first mail.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Folder(Outbox::new(folder))
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
        let summary = format!("{summary:#}\n").into_bytes();
        let forms = vec![("eml", message), ("json", summary)];
        let kept = self.0.keep(&mail.id, forms).await;
        kept.map_err(|error| NotSent::Server(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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

    /// An id may be longer, once it is written so that no file system stumbles over it, than a file's name may be.
    #[tokio::test]
    async fn a_mail_with_a_long_id_is_kept_like_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::Folder(Folder::new(folder.path()));
        let from: Sender = "noreply@example.org".parse().unwrap();
        for end in ["a", "b"] {
            let mail = Mail {
                id: format!("e1.TaskAssigned.{}{end}", "|".repeat(100)),
                name: None,
                address: String::from("ada@example.org"),
                subject: String::from("Long"),
                text: String::from("Hello"),
                html: String::from("<p>Hello</p>"),
                thread: None,
            };
            for _ in 0..2 {
                mailer.send(&from, &mail).await.unwrap();
            }
        }
        let kept = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(kept, 4, "two mails, two files each");
    }
}
