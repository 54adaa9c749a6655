//! The notifier: whom it concerns gets mail (S1-42). It follows the change stream, apart from the API.
//!
//! Each mail is claimed before it is sent, by its event and its recipient (C1-20): whoever makes the record sends the mail, and gives signs of life until the server has answered. What is left
//! over from a notifier that died is claimed anew. A mail has the same `Message-ID` whenever it is sent: should a notifier die while it is on the wire, or the server not say whether it has it,
//! the mail that is sent again is the same mail to those who receive it.
//!
//! When the server is away, everything waits. When it takes mails and not this one, the mail is put where mails wait, and the record of the stream has come to its end: later mails of that task to that person go
//! behind it, and nobody else's do. It is tried a few times more and then recorded as not sent. A mail the server is slow with goes there as well, and is sent on beside the records.

mod beside;
mod claim;
mod line;
mod news;
mod passed;
mod queues;
mod sending;
mod story;
mod text;
mod turns;
mod waiting;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tablewright::Uuid;
use tablewright_mail::{Mailer, Sender};
use tablewright_stream::events::Event;
use tablewright_stream::{Did, Failure, Handler, Record};
use tokio::sync::Semaphore;

use crate::model::{Task, Tasks, TasksEvent};
use beside::Beside;
use claim::Claims;
pub(crate) use claim::MAIL_KEPT;
use line::Lines;
pub(crate) use line::waits_since;
pub(crate) use news::OneMail;
use news::{News, Told};
use queues::Queues;
use story::Story;
use turns::Turns;

/// How far apart clocks may be, in seconds: an assignment has the moment of the server that made it, an event that of DynamoDB. Who began within it is told a
/// little too much, and nobody too little.
const APART: i64 = 120;

/// Mails people what happens to their tasks.
#[derive(Debug, Clone)]
pub struct Notifier(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tasks: Tasks,
    claims: Claims,
    lines: Lines,
    mailer: Mailer,
    from: Sender,
    page: Option<String>,
    turns: Turns,
    queues: Queues,
    /// For people to whom something is sent that waited.
    places: Arc<Semaphore>,
    beside: Beside,
    /// Whether this process goes through the lines, and waits for what goes on beside: a function does not.
    attends: AtomicBool,
    /// Whether what waits is left to the next.
    stops: AtomicBool,
}

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Sent,
    /// It was sent before, or never will be.
    Over,
    /// It is sent later, not before this, in seconds since 1970.
    Waits(i64),
    /// Another notifier is about it.
    Elsewhere(&'static str),
}

/// How a notifier sends.
#[derive(Debug)]
pub struct Sending {
    /// By whom.
    pub mailer: Mailer,
    /// From whom.
    pub from: Sender,
    /// Where the page of the service is, for links.
    pub page: Option<String>,
    /// How long whoever sends a mail may give no sign of life before another notifier sends it.
    pub stale: Duration,
    /// How long to wait, each time, after a server has not taken a mail though it takes others; then the mail is given up.
    pub again: Vec<Duration>,
}

impl Notifier {
    /// One that reads and claims in these tables.
    pub fn new(tasks: &Tasks, sending: Sending) -> Self {
        // Known before anything happens, so that the first of them is seen as a rise.
        for outcome in ["sent", "unsent", "waiting"] {
            metrics::counter!("tasks_mails_total", "outcome" => outcome).increment(0);
        }
        let inner = Inner {
            tasks: tasks.clone(),
            claims: Claims::new(tasks, &sending.from, sending.stale, sending.again),
            lines: Lines::new(tasks),
            turns: Turns::default(),
            queues: Queues::default(),
            places: Arc::new(Semaphore::new(waiting::PEOPLE_AT_ONCE)),
            beside: Beside::default(),
            attends: AtomicBool::new(false),
            stops: AtomicBool::new(false),
            mailer: sending.mailer,
            from: sending.from,
            page: sending.page,
        };
        Notifier(Arc::new(inner))
    }
}

impl Handler for Notifier {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        self.attempt(record).await.map(drop)
    }

    /// Only a mail that was sent proves that mails can be: most changes, those of the records of mails among them, are worth none.
    async fn attempt(&self, record: Arc<Record>) -> Result<Did, Failure> {
        let mut did = Did::Nothing;
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        for event in TasksEvent::of(&record.table, before, after)? {
            if let Some(news) = News::of(&event) {
                let told = Event::of(&record, &event);
                let told = told.map_err(|error| Failure::Record(error.to_string()))?;
                let happened = told.time.as_second();
                // As in the history.
                let sequence = format!("{:0>40}", record.sequence);
                let told = self.tell((told.id, sequence), news, happened);
                if told.await? == Did::Something {
                    did = Did::Something;
                }
            }
        }
        Ok(did)
    }
}

impl Notifier {
    /// Tells everybody whom it concerns. One who cannot be told now does not keep it from the others.
    async fn tell(
        &self,
        (event_id, sequence): (String, String),
        news: News,
        happened: i64,
    ) -> Result<Did, Failure> {
        let inner = &self.0;
        // Of a task that is gone there is nothing to tell.
        let Some(task) = inner.tasks.tasks.task_told_of(news.task_id).await? else {
            return Ok(Did::Nothing);
        };
        let concerned = inner.concerned(&news, &task, happened).await?;
        let story = Arc::new(Story {
            event_id,
            sequence,
            actor: inner.actor(&news).await?,
            news,
            task: task.data,
        });
        let mut did = Ok(Did::Nothing);
        for user_id in concerned {
            did = Did::both(did, self.tell_or_wait(&story, &user_id).await);
        }
        did
    }
}

impl Inner {
    /// Those at the time of telling: a set, without who did it (C1-21, C1-22). Who no longer works on the task is told nothing of it, and who
    /// began after it had happened is not told what was before.
    async fn concerned(
        &self,
        news: &News,
        task: &Task,
        happened: i64,
    ) -> Result<BTreeSet<String>, Failure> {
        let mut concerned = BTreeSet::new();
        match &news.told {
            Told::Member(user_id) => {
                let assignments = &self.tasks.assignments;
                let assignment = assignments.assignment(news.task_id, user_id).await?;
                concerned.extend(assignment.map(|_| user_id.clone()));
            }
            Told::Everybody => {
                concerned.insert(task.created_by.clone());
                concerned.extend(self.members(news.task_id, happened).await?);
            }
        }
        if let Some(actor) = &news.actor {
            concerned.remove(actor);
        }
        Ok(concerned)
    }

    async fn members(&self, task_id: Uuid, happened: i64) -> Result<Vec<String>, Failure> {
        let members = self.tasks.assignments.members_told_of_task(task_id);
        let members = members.all().collect().await?.into_iter();
        let then = members.filter(|member| member.assigned_at <= happened.saturating_add(APART));
        Ok(then.map(|member| member.user_id).collect())
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("tasks_mails_total", "outcome" => outcome).increment(1);
}

/// What the mail of an event to a person is known by.
fn mail_id(event_id: &str, user_id: &str) -> String {
    format!("{event_id}.{user_id}")
}

/// The event and the person of a mail. An event's id has one dot.
pub(crate) fn parts_of_mail_id(id: &str) -> Option<(&str, &str)> {
    let dots = id.match_indices('.');
    let (second, _) = dots.into_iter().nth(1)?;
    Some((&id[..second], &id[second + 1..]))
}

#[cfg(test)]
mod tests {
    use super::{mail_id, parts_of_mail_id};

    #[test]
    fn the_id_of_a_mail_says_of_whom_and_what_it_is() {
        let event = "0f2b.TaskAssigned";
        for user in ["ada", "a.b.c", "google|1@2"] {
            assert_eq!(parts_of_mail_id(&mail_id(event, user)), Some((event, user)));
        }
        assert_eq!(parts_of_mail_id("0100018e-ses"), None);
    }
}
