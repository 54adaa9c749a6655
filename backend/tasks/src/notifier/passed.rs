//! When a server took a mail of ours the last time, whichever process sent it: who looks after what waits may be another than who sends the rest.

use std::sync::atomic::{AtomicI64, Ordering};

use tablewright::Error;
use tablewright_mail::Sender;

use crate::model::{MailPassed, PassedMail, PassedMailKey, PassedMailRepo, Tasks};

/// How often it is written down at most, in seconds.
const NOTED: i64 = 10;

/// What is known of mails that passed.
#[derive(Debug)]
pub(super) struct Passed {
    mails: PassedMailRepo,
    sender: String,
    /// When this process sent one the last time, in seconds since 1970.
    at: AtomicI64,
    /// When it wrote that down.
    noted: AtomicI64,
}

impl Passed {
    pub(super) fn new(tasks: &Tasks, sender: &Sender) -> Self {
        Passed {
            mails: tasks.passed_mails.clone(),
            sender: sender.address().to_owned(),
            at: AtomicI64::new(i64::MIN),
            noted: AtomicI64::new(i64::MIN),
        }
    }

    /// A mail passes. Where that cannot be written down now, one that follows will be.
    pub(super) async fn one(&self, now: i64) {
        self.at.fetch_max(now, Ordering::Relaxed);
        let noted = self.noted.fetch_max(now, Ordering::Relaxed);
        if now.saturating_sub(noted) < NOTED {
            return;
        }
        if let Err(error) = self.note(now).await {
            tracing::warn!(%error, "that a mail passed could not be written down");
        }
    }

    async fn note(&self, now: i64) -> Result<(), Error> {
        let key = PassedMailKey::new(&self.sender);
        let at = MailPassed { at: now.into() };
        match self.mails.mail_passed(&key, now - NOTED, at).await {
            // Another process has noted it.
            Ok(_) | Err(Error::Refused { .. }) => return Ok(()),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        let first = PassedMail {
            sender: self.sender.clone(),
            at: now,
        };
        match self.mails.first_mail_passed(first).await {
            Ok(_) | Err(Error::Exists { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether any has passed since then.
    pub(super) async fn any_since(&self, then: i64) -> Result<bool, Error> {
        if self.at.load(Ordering::Relaxed) >= then {
            return Ok(true);
        }
        let latest = self.mails.passed_mail(&self.sender).await?;
        Ok(latest.is_some_and(|latest| latest.at >= then))
    }
}
