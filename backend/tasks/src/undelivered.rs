//! Mails that did not arrive, for those who can do something about it.

use tablewright::Error;

use crate::model::{MailRecordKey, Tasks, UndeliveredMail, UndeliveredMailOutcome};

/// How long it is shown, in seconds: as long as the record of the mail is kept.
const KEPT: i64 = 30 * 24 * 3600;

/// How much of a reason is kept, in characters.
const LONGEST: usize = 500;

/// Notes that a mail did not arrive. What is said again is noted already.
pub(crate) async fn note(
    tasks: &Tasks,
    mail: &MailRecordKey,
    outcome: UndeliveredMailOutcome,
    why: &str,
    at: i64,
) -> Result<(), Error> {
    let undelivered = UndeliveredMail {
        event_id: mail.event_id.clone(),
        user_id: mail.user_id.clone(),
        outcome,
        reason: why.chars().take(LONGEST).collect(),
        at,
        expires_at: at + KEPT,
    };
    match tasks.undelivered_mails.mail_undelivered(undelivered).await {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
