//! Mails that did not arrive, for those who can do something about it.

use tablewright::Error;

use crate::model::{
    MailRecordKey, Tasks, UndeliveredMail, UndeliveredMailNews, UndeliveredMailOutcome,
    WaitingMailNews,
};
use crate::notifier::{MAIL_KEPT, OneMail};

/// How much of a reason is kept, in characters.
const LONGEST: usize = 500;

/// Notes that a mail came back.
pub(crate) async fn came_back(
    tasks: &Tasks,
    mail: &MailRecordKey,
    why: &str,
    at: i64,
) -> Result<(), Error> {
    let undelivered = undelivered(mail, UndeliveredMailOutcome::Bounced, why, at);
    note(tasks, undelivered).await
}

/// Notes that a mail was given up, with what is needed to send it again.
pub(crate) async fn given_up(
    tasks: &Tasks,
    key: &MailRecordKey,
    mail: &OneMail<'_>,
    why: &str,
    at: i64,
) -> Result<(), Error> {
    let mut undelivered = undelivered(key, UndeliveredMailOutcome::Unsent, why, at);
    undelivered.task_id = Some(mail.news.task_id);
    undelivered.sequence = Some(mail.sequence.to_owned());
    undelivered.news = Some(kept(mail.news.word()));
    undelivered.actor.clone_from(&mail.news.actor);
    note(tasks, undelivered).await
}

fn undelivered(
    mail: &MailRecordKey,
    outcome: UndeliveredMailOutcome,
    why: &str,
    at: i64,
) -> UndeliveredMail {
    UndeliveredMail {
        event_id: mail.event_id.clone(),
        user_id: mail.user_id.clone(),
        outcome,
        reason: why.chars().take(LONGEST).collect(),
        at,
        task_id: None,
        sequence: None,
        news: None,
        actor: None,
        expires_at: at + MAIL_KEPT,
    }
}

/// What is said again is noted already.
async fn note(tasks: &Tasks, undelivered: UndeliveredMail) -> Result<(), Error> {
    match tasks.undelivered_mails.mail_undelivered(undelivered).await {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn kept(news: WaitingMailNews) -> UndeliveredMailNews {
    match news {
        WaitingMailNews::Assigned => UndeliveredMailNews::Assigned,
        WaitingMailNews::Open => UndeliveredMailNews::Open,
        WaitingMailNews::InProgress => UndeliveredMailNews::InProgress,
        WaitingMailNews::Completed => UndeliveredMailNews::Completed,
        WaitingMailNews::Closed => UndeliveredMailNews::Closed,
    }
}
