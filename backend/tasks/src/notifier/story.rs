//! What happened, with all that is needed to tell it.

use tablewright_stream::Failure;

use super::Inner;
use super::news::{News, OneMail};
use crate::model::{Task, User, WaitingMail};

/// What happened, with all that is needed to tell it.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) event_id: String,
    /// Where in the change stream.
    pub(super) sequence: String,
    pub(super) news: News,
    pub(super) task: Task,
    pub(super) actor: Option<User>,
}

impl Story {
    /// Told to one person.
    pub(super) fn to<'m>(&'m self, user_id: &'m str) -> OneMail<'m> {
        OneMail {
            event_id: &self.event_id,
            sequence: &self.sequence,
            user_id,
            news: &self.news,
        }
    }
}

impl Inner {
    /// What a mail that waits tells; none when its task is gone.
    pub(super) async fn story_of(&self, mail: &WaitingMail) -> Result<Option<Story>, Failure> {
        let news = News::of_waiting(mail);
        let Some(task) = self.tasks.tasks.task_told_of(news.task_id).await? else {
            return Ok(None);
        };
        Ok(Some(Story {
            event_id: mail.event_id.clone(),
            sequence: mail.sequence.clone(),
            actor: self.actor(&news).await?,
            news,
            task: task.data,
        }))
    }

    /// Who did it, as they are known.
    pub(super) async fn actor(&self, news: &News) -> Result<Option<User>, Failure> {
        let Some(actor) = &news.actor else {
            return Ok(None);
        };
        let actor = self.tasks.users.user(actor).await?;
        Ok(actor.map(|actor| actor.data))
    }
}
