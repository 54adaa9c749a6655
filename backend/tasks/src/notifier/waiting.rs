//! Sends the mails that waited, when they are due.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use tablewright_stream::Failure;

use super::news::{News, OneMail, Told};
use super::{Fate, Inner, Notifier};
use crate::model::{Task, WaitingMail};

/// How many lines are gone through at once.
const LINES_AT_ONCE: usize = 4;

/// How many mails of one line are sent before it is looked what else is due.
const OF_ONE_LINE: usize = 20;

/// How often it is looked for what is due where there is nobody beside the records.
const LOOKS: Duration = Duration::from_secs(10);

/// How many that are due are looked at with a record: a function has not much time.
const WITH_A_RECORD: usize = 20;

/// When it was looked for what is due, where records are the occasion to.
#[derive(Debug, Default)]
pub(super) struct WithRecords(Mutex<Option<Instant>>);

impl WithRecords {
    fn is_time(&self) -> bool {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = looked.is_none_or(|looked| looked.elapsed() >= LOOKS);
        if is_time {
            *looked = Some(Instant::now());
        }
        is_time
    }
}

impl Notifier {
    /// Under AWS Lambda nobody is beside the records: with one of them, from time to time, what waited and is due is sent first.
    pub(super) async fn send_with_records(&self) {
        if self.1.as_deref().is_some_and(WithRecords::is_time) {
            self.send_due(WITH_A_RECORD).await;
        }
    }

    /// Sends what waited whenever it is due, until `stop`; what is on the wire then may take so long as `last`.
    pub async fn send_what_waits(
        self,
        pause: Duration,
        last: Duration,
        mut stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) {
        loop {
            let mut sending = pin!(self.send_what_is_due());
            tokio::select! {
                () = &mut sending => {}
                () = &mut stop => {
                    self.0.stops.store(true, Ordering::Relaxed);
                    let _ = tokio::time::timeout(last, sending).await;
                    return;
                }
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = &mut stop => return,
            }
        }
    }

    /// Sends what waited and is due, line by line. Several notifiers do no harm: each mail is claimed.
    pub async fn send_what_is_due(&self) {
        self.send_due(usize::MAX).await;
    }

    /// As many as these.
    async fn send_due(&self, most: usize) {
        let (inner, is_away) = (&*self.0, AtomicBool::new(false));
        let goes_on = || !is_away.load(Ordering::Relaxed) && !inner.stops.load(Ordering::Relaxed);
        let due = inner.lines.due(inner.claims.now()).all();
        let due = due.take(most).take_while(|_| std::future::ready(goes_on()));
        due.for_each_concurrent(LINES_AT_ONCE, |mail| async {
            let gone_through = match mail {
                Ok(mail) if goes_on() => inner.go_through(mail, &goes_on).await,
                Ok(_) => Ok(()),
                Err(error) => Err(error.into()),
            };
            match gone_through {
                Ok(()) => {}
                // No other would fare better.
                Err(Failure::World(why)) => {
                    is_away.store(true, Ordering::Relaxed);
                    tracing::warn!(%why, "mails that wait cannot be sent now");
                }
                Err(Failure::Record(why)) => {
                    tracing::error!(%why, "a mail that waits cannot be sent")
                }
            }
        })
        .await;
    }
}

impl Inner {
    /// Sends the mails of a line in their order, from the one that is due until one waits again.
    async fn go_through(
        &self,
        due: WaitingMail,
        goes_on: &(impl Fn() -> bool + Sync),
    ) -> Result<(), Failure> {
        let mut mail = due;
        for _ in 0..OF_ONE_LINE {
            let (first, _) = self.lines.first(mail.task_id, &mail.user_id).await?;
            let Some(first) = first else {
                return Ok(());
            };
            if first.event_id != mail.event_id {
                return Ok(self
                    .lines
                    .is_behind(&mail, &first, self.claims.now())
                    .await?);
            }
            match self.tell_waiting(&first).await {
                Ok(Fate::Sent | Fate::Over) => {}
                Ok(Fate::Waits(until)) => return Ok(self.lines.until(&first, until).await?),
                Ok(Fate::Elsewhere(_)) => return Ok(()),
                Err(Failure::World(why)) => return Err(Failure::World(why)),
                // It is looked at again, seldom.
                Err(failure) => {
                    self.lines
                        .is_behind(&first, &first, self.claims.now())
                        .await?;
                    return Err(failure);
                }
            }
            // First the next is due, which may have come meanwhile, then this one is gone: whoever dies in between has lost none.
            let (_, next) = self.lines.first(mail.task_id, &mail.user_id).await?;
            if let Some(next) = &next {
                self.lines.until(next, self.claims.now()).await?;
            }
            self.lines.leave(&first).await?;
            let (next, _) = self.lines.first(mail.task_id, &mail.user_id).await?;
            match next {
                Some(next) if goes_on() => mail = next,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    async fn tell_waiting(&self, waiting: &WaitingMail) -> Result<Fate, Failure> {
        let news = News::of_waiting(waiting);
        let mail = OneMail {
            event_id: &waiting.event_id,
            sequence: &waiting.sequence,
            user_id: &waiting.user_id,
            news: &news,
        };
        let Some(task) = self.tasks.tasks.task_told_of(news.task_id).await? else {
            return Ok(Fate::Over);
        };
        if !self.is_still_concerned(&mail, &task).await? {
            return Ok(Fate::Over);
        }
        let actor = match &news.actor {
            Some(actor) => self.tasks.users.user(actor).await?,
            None => None,
        };
        self.tell_one(&mail, &task, actor.as_deref()).await
    }

    /// Who no longer works on a task is told nothing of it.
    async fn is_still_concerned(&self, mail: &OneMail<'_>, task: &Task) -> Result<bool, Failure> {
        if mail.news.told == Told::Everybody && task.created_by == mail.user_id {
            return Ok(true);
        }
        let assignments = &self.tasks.assignments;
        let assignment = assignments.assignment(task.task_id, mail.user_id).await?;
        Ok(assignment.is_some())
    }
}
