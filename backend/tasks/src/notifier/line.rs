//! Mails that wait: those of one task to one person are a line, and go out in its order.

use tablewright::{Error, Uuid};

use super::claim::MAIL_KEPT;
use super::news::OneMail;
use crate::model::{MailWaitsOn, Tasks, WaitingMail, WaitingMailRepo};

/// How long after the first of a line it is looked whether the next is the first by now, in seconds. Whoever sends the first goes on with the next at once: this is for
/// what came while it ended.
pub(super) const LOOKS: i64 = 60;

/// The same for what was looked at and was not the first: then it is known that whoever sends the first sees it.
const LOOKS_AGAIN: i64 = 3600;

/// The lines.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    mails: WaitingMailRepo,
}

impl Lines {
    pub(super) fn new(tasks: &Tasks) -> Self {
        Lines {
            mails: tasks.waiting_mails.clone(),
        }
    }

    /// The first of a line, and the next.
    pub(super) async fn first(
        &self,
        task_id: Uuid,
        user_id: &str,
    ) -> Result<(Option<WaitingMail>, Option<WaitingMail>), Error> {
        let line = self.mails.mails_in_line(task_id, user_id);
        let mut line = line.limit(2).page().await?.items.into_iter();
        Ok((line.next(), line.next()))
    }

    /// When a mail must be looked at that comes behind others; none where there are none.
    pub(super) async fn behind(&self, mail: &OneMail<'_>) -> Result<Option<i64>, Error> {
        let (first, _) = self.first(mail.news.task_id, mail.user_id).await?;
        Ok(first.map(|first| match first.event_id == mail.event_id {
            true => first.due_at,
            false => first.due_at + LOOKS,
        }))
    }

    /// Puts a mail into its line. One that is there stays as it is.
    pub(super) async fn put(
        &self,
        mail: &OneMail<'_>,
        now: i64,
        due_at: i64,
    ) -> Result<WaitingMail, Error> {
        let waiting = WaitingMail {
            task_id: mail.news.task_id,
            user_id: mail.user_id.to_owned(),
            sequence: mail.sequence.to_owned(),
            event_id: mail.event_id.to_owned(),
            news: mail.news.word(),
            actor: mail.news.actor.clone(),
            due_at,
            expires_at: now + MAIL_KEPT,
        };
        match self.mails.mail_waits(waiting.clone()).await {
            Ok(_) | Err(Error::Exists { .. }) => Ok(waiting),
            Err(error) => Err(error),
        }
    }

    /// What is due, the longest due first.
    pub(super) fn due(&self, now: i64) -> tablewright::Query<WaitingMail> {
        self.mails.mails_due(now)
    }

    /// All that waits, the longest due first.
    pub(super) fn waiting(
        &self,
        now: i64,
    ) -> impl futures_util::Stream<Item = Result<WaitingMail, Error>> + use<> {
        self.mails.mails_due(now + MAIL_KEPT).all()
    }

    /// A mail that is not the first of its line waits on.
    pub(super) async fn is_behind(
        &self,
        mail: &WaitingMail,
        first: &WaitingMail,
        now: i64,
    ) -> Result<(), Error> {
        self.until(mail, first.due_at.max(now) + LOOKS_AGAIN).await
    }

    /// A mail waits until then. If somebody has decided otherwise since it was read, that holds.
    pub(super) async fn until(&self, mail: &WaitingMail, due_at: i64) -> Result<(), Error> {
        let key = tablewright::Entity::key(mail);
        let patch = MailWaitsOn {
            due_at: due_at.into(),
        };
        match self.mails.mail_waits_on(&key, mail.due_at, patch).await {
            Ok(_) | Err(Error::Refused { .. } | Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// A mail has come to its end.
    pub(super) async fn leave(&self, mail: &WaitingMail) -> Result<(), Error> {
        let key = tablewright::Entity::key(mail);
        match self.mails.mail_waits_no_more(&key).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Since when a mail waits, in seconds since 1970.
pub(crate) fn waits_since(mail: &WaitingMail) -> i64 {
    mail.expires_at - MAIL_KEPT
}
