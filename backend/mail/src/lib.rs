//! Mail by SMTP, or into a folder where there is no server.
//!
//! A mail has an id that is its own: it becomes its `Message-ID`, and the name of its file. Sent again, it is the same mail, and a folder has it once. What
//! others have written can be in a name or a subject: it stays there, whatever it contains.

mod folder;
mod mail;
mod smtp;

use std::fmt;

pub use folder::Folder;
pub use mail::{BadAddress, Mail, Sender};
pub use smtp::{BadServer, Smtp};

/// Who sends mails.
#[derive(Debug, Clone)]
pub enum Mailer {
    /// A server.
    Smtp(Smtp),
    /// Nobody: they are kept in a folder.
    Folder(Folder),
}

/// Why a mail was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// It may be sent later: the server cannot be reached, or does not want it now.
    Now(String),
    /// It will not be sent: the server refuses it, or it has no address.
    Ever(String),
}

impl Mailer {
    /// Sends a mail. It returns when the server has taken it, or it is on the disk.
    ///
    /// # Errors
    /// [`NotSent`]
    pub async fn send(&self, from: &Sender, mail: &Mail) -> Result<(), NotSent> {
        match self {
            Mailer::Smtp(smtp) => smtp.send(from, mail).await,
            Mailer::Folder(folder) => folder.keep(from, mail).await,
        }
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NotSent::Now(why) | NotSent::Ever(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for NotSent {}
