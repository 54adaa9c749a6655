//! Mail by SMTP, or into a folder where there is no server.
//!
//! A mail has an id that is its own: it becomes its `Message-ID`, and the name of its file. Sent again, it is the same mail, and a folder has it once. What
//! others have written can be in a name or a subject: it stays there, whatever it contains.

mod conversation;
mod folder;
mod mail;
mod server;
mod smtp;

use std::fmt;

pub use folder::Folder;
pub use mail::{BadAddress, Mail, Sender};
pub use server::BadServer;
pub use smtp::Smtp;

/// Who sends mails.
#[derive(Debug, Clone)]
pub enum Mailer {
    /// A server.
    Smtp(Smtp),
    /// Nobody: they are kept in a folder.
    Folder(Folder),
}

/// Why a mail was not sent: whose fault it is says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The server cannot be reached, or wants nothing from us now: no other mail would fare better.
    Server(String),
    /// The server takes mails, and not this one now: the recipient's mailbox is full, or their domain is not found.
    Later(String),
    /// The server takes mails, and never this one: it refuses it, or it has no address it could go to.
    Ever(String),
    /// The server takes nothing like this, and does not say whether that is for who sends it or for this mail: an address it has not verified, a policy, a suspicion. If other mails pass it is this one.
    Unwelcome(String),
    /// The server was silent, closed or had trouble when it had heard to whom the mail goes. Nobody knows whether it is so for all or for this recipient: if other mails pass it is this one.
    Unclear(String),
    /// The server got the whole mail and did not say what it does with it: it may be on its way.
    Unknown(String),
}

impl Mailer {
    /// Sends a mail. It returns when the server has taken it, or it is on the disk. Given up before, it may be on its way; no other mail is touched by that.
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
        let (NotSent::Server(why)
        | NotSent::Later(why)
        | NotSent::Ever(why)
        | NotSent::Unwelcome(why)
        | NotSent::Unclear(why)
        | NotSent::Unknown(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for NotSent {}
