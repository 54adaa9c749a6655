//! Notifications by Firebase Cloud Messaging (HTTP v1), or into a folder where there are no credentials.
//!
//! A notification has an id that is its own, and goes to one device. Sending says what became of it: a device that is no longer registered is told apart from a service that has no
//! room now, and from a notification that nobody takes. Keys, access tokens and the tokens of devices are never shown.

mod access;
mod account;
mod answer;
mod fcm;
mod folder;
mod push;

use std::fmt;
use std::time::Duration;

pub use account::{BadAccount, ServiceAccount};
pub use fcm::Fcm;
pub use folder::Folder;
pub use push::Push;

/// Who sends notifications.
#[derive(Debug, Clone)]
pub enum Pusher {
    /// Firebase.
    Fcm(Fcm),
    /// Nobody: they are kept in a folder.
    Folder(Folder),
}

/// Why a notification was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The device is no longer registered, or never was: nothing can be sent to it any more.
    Unregistered(String),
    /// It may be sent later: there is no room for it now, nobody answers, or we are not let in.
    Later {
        /// Why.
        why: String,
        /// For how long the other side wants to be left alone, if it says so.
        after: Option<Duration>,
    },
    /// This notification will not be sent.
    Refused(String),
    /// The device is of another project than we are, and nothing of ours was taken yet: which of the two is wrong is not known. Once something was taken, it is the
    /// device, and [`NotSent::Unregistered`].
    OfAnotherProject(String),
    /// It was sent, and nobody answered: whether it was taken is not known. Sent again it may come twice.
    Unanswered(String),
}

impl Pusher {
    /// Whether anything can be sent: Firebase lets us in. It says nothing of a device or a message.
    ///
    /// # Errors
    /// [`NotSent::Later`]
    pub async fn ready(&self) -> Result<(), NotSent> {
        match self {
            Pusher::Fcm(fcm) => fcm.ready().await,
            Pusher::Folder(_) => Ok(()),
        }
    }

    /// Sends a notification, once. It returns when Firebase has taken it, or it is on the disk.
    ///
    /// # Errors
    /// [`NotSent`]
    pub async fn send(&self, push: &Push) -> Result<(), NotSent> {
        match self {
            Pusher::Fcm(fcm) => fcm.send(push).await,
            Pusher::Folder(folder) => folder.keep(push).await,
        }
    }
}

impl NotSent {
    pub(crate) fn later(why: impl Into<String>) -> Self {
        NotSent::Later {
            why: why.into(),
            after: None,
        }
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NotSent::Unregistered(why)
        | NotSent::Later { why, .. }
        | NotSent::Refused(why)
        | NotSent::OfAnotherProject(why)
        | NotSent::Unanswered(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for NotSent {}
