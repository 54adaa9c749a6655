//! Sends the mails that waited, when they are due.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use tablewright::Error;
use tablewright_stream::Failure;

use super::claim::Claimed;
use super::news::{News, OneMail, Told};
use super::{Fate, Inner, Notifier, line};
use crate::model::{Task, WaitingMail};

/// How many lines are gone through at once.
const LINES_AT_ONCE: usize = 4;

/// How often it is counted what waits, and how many are.
const COUNTS: Duration = Duration::from_secs(30);
const COUNTED: usize = 1000;

/// How long a mail is put off when no mail can be sent, in seconds.
const AWAY: i64 = 10;

/// How many mails of one line are sent before it is looked what else is due.
const OF_ONE_LINE: usize = 20;

impl Notifier {
    /// Sends what waited whenever it is due, until `stop`; what is on the wire then may take so long as `last`.
    pub async fn send_what_waits(
        self,
        pause: Duration,
        last: Duration,
        mut stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) {
        let mut counted: Option<Instant> = None;
        loop {
            if counted.is_none_or(|counted| counted.elapsed() >= COUNTS) {
                counted = Some(Instant::now());
                self.0.count_waiting().await;
            }
            let mut sending = pin!(self.send_what_is_due(None));
            tokio::select! {
                // It is logged, and tried again.
                _ = &mut sending => {}
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

    /// Sends what waited and is due, line by line. After `begins_until` nothing more is begun, but the first: else a function that is given little time would never send anything. Several notifiers do
    /// no harm: each mail is claimed.
    ///
    /// # Errors
    /// What kept something that is due from being sent, one of it where there is more. All of it is logged, and due still.
    pub async fn send_what_is_due(&self, begins_until: Option<Instant>) -> Result<(), Failure> {
        let round = Round {
            inner: &self.0,
            begins_until,
            has_begun: AtomicBool::new(false),
            is_away: AtomicBool::new(false),
            failed: Mutex::default(),
        };
        let due = self.0.lines.due(self.0.claims.now()).all();
        let due = due.take_while(|_| std::future::ready(round.begins()));
        due.for_each_concurrent(LINES_AT_ONCE, |mail| round.line(mail))
            .await;
        let failed = round.failed.into_inner();
        match failed.unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

/// One time of sending what is due.
struct Round<'n> {
    inner: &'n Inner,
    begins_until: Option<Instant>,
    has_begun: AtomicBool,
    is_away: AtomicBool,
    failed: Mutex<Option<Failure>>,
}

impl Round<'_> {
    /// Whether another line may begin.
    fn begins(&self) -> bool {
        let is_first = !self.has_begun.swap(true, Ordering::Relaxed);
        self.can_send() && (is_first || self.has_time())
    }

    /// Whether another mail of a line may begin.
    fn goes_on(&self) -> bool {
        self.can_send() && self.has_time()
    }

    fn can_send(&self) -> bool {
        !self.is_away.load(Ordering::Relaxed) && !self.inner.stops.load(Ordering::Relaxed)
    }

    fn has_time(&self) -> bool {
        self.begins_until.is_none_or(|until| Instant::now() < until)
    }

    async fn line(&self, due: Result<WaitingMail, Error>) {
        let gone_through = match due {
            Ok(due) => self.inner.go_through(due, &|| self.goes_on()).await,
            Err(error) => Err(error.into()),
        };
        let Err(failure) = gone_through else {
            return;
        };
        match &failure {
            // No other would fare better.
            Failure::World(why) => {
                self.is_away.store(true, Ordering::Relaxed);
                tracing::warn!(%why, "mails that wait cannot be sent now");
            }
            Failure::Record(why) => tracing::error!(%why, "a mail that waits cannot be sent"),
        }
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        *failed = Some(failure);
    }
}

impl Inner {
    /// Says how many mails wait, and since when: nothing else shows it.
    async fn count_waiting(&self) {
        let now = self.claims.now();
        let waiting = self.lines.waiting(now).take(COUNTED).collect::<Vec<_>>();
        let waiting: Result<Vec<WaitingMail>, Error> = waiting.await.into_iter().collect();
        let Ok(waiting) = waiting else {
            // Whoever looks for what is due is told the same, and says so.
            return;
        };
        let waited = waiting.iter().map(|mail| now - line::since(mail)).max();
        metrics::gauge!("tasks_mails_waiting").set(waiting.len() as f64);
        metrics::gauge!("tasks_mails_waiting_seconds").set(waited.unwrap_or(0).max(0) as f64);
    }

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
                // The others that are due come before it is tried again.
                Err(failure @ Failure::World(_)) => {
                    let later = self.claims.now() + AWAY;
                    self.lines.until(&first, later).await?;
                    return Err(failure);
                }
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
            return self.let_go(&mail, "the task is gone").await;
        };
        if !self.is_still_concerned(&mail, &task).await? {
            let why = "whom it was to does not work on the task any more";
            return self.let_go(&mail, why).await;
        }
        let actor = match &news.actor {
            Some(actor) => self.tasks.users.user(actor).await?,
            None => None,
        };
        self.tell_one(&mail, &task, actor.as_deref()).await
    }

    /// A mail is not sent, and its record says so: nobody waits for it.
    async fn let_go(&self, mail: &OneMail<'_>, why: &str) -> Result<Fate, Failure> {
        match self.claims.claim(mail).await? {
            Claimed::Ours(claim) => {
                self.claims.unsent(claim, why).await?;
                Ok(Fate::Over)
            }
            Claimed::Waits(until) => Ok(Fate::Waits(until)),
            Claimed::Elsewhere(why) => Ok(Fate::Elsewhere(why)),
            Claimed::GivenUp(_) | Claimed::Over => Ok(Fate::Over),
        }
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
