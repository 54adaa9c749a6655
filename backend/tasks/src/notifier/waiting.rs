//! Sends the mails that waited, when they are due.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use tablewright::Error;
use tablewright_stream::Failure;
use tokio::time::timeout;

use super::claim::{LAST, TOO_LATE};
use super::news::{News, OneMail, Told};
use super::queues::OnesQueue;
use super::sending::is_given_up;
use super::turns::SLOW;
use super::{Fate, Inner, Notifier, waits_since};
use crate::model::{Task, WaitingMail};

/// To how many people mails are sent at once that waited, besides those a server is slow with.
pub(super) const PEOPLE_AT_ONCE: usize = 4;

/// How often it is counted what waits, and how many are.
const COUNTS: Duration = Duration::from_secs(30);
const COUNTED: usize = 1000;

/// How long a mail is put off when no mail can be sent, in seconds.
const AWAY: i64 = 10;

/// How many mails of one line are sent before it is looked what else is due.
const OF_ONE_LINE: usize = 20;

impl Notifier {
    /// From now on mails a server is slow with go on beside the records: somebody [sends what waits](Self::send_what_waits).
    pub(crate) fn attend(&self) {
        self.0.attends.store(true, Ordering::Relaxed);
    }

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
            let round = Arc::new(Round::new(None));
            tokio::select! {
                () = self.look(&round) => {}
                () = &mut stop => break,
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = &mut stop => break,
            }
        }
        self.0.stops.store(true, Ordering::Relaxed);
        self.0.beside.end(last).await;
    }

    /// Sends what waited and is due, and waits for that. After `begins_until` nothing more is begun, but the first: else a function that is given little time would never send anything. Several
    /// notifiers do no harm: each mail is claimed.
    ///
    /// # Errors
    /// What kept something that is due from being sent, one of it where there is more. All of it is logged, and due still.
    pub async fn send_what_is_due(&self, begins_until: Option<Instant>) -> Result<(), Failure> {
        let round = Arc::new(Round::new(begins_until));
        self.look(&round).await;
        self.0.beside.all_ended().await;
        let mut failed = round.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.take().map_or(Ok(()), Err)
    }

    /// Looks what is due, and begins with it: with the mails of one person one after another, so that a server that is slow with them holds up nobody else.
    async fn look(&self, round: &Arc<Round>) {
        let mut due = pin!(self.0.lines.due(self.0.claims.now()).all());
        while let Some(mail) = due.next().await {
            if !self.0.can_send(round) {
                return;
            }
            match mail {
                Ok(mail) => {
                    if let Some(queue) = self.0.queues.put(mail) {
                        let work = self.clone().go_through_queue(queue, Arc::clone(round));
                        // Where nothing more is begun, it is left to the next.
                        let _ = self.0.beside.begin(work);
                    }
                }
                Err(error) => return round.fail(error.into()),
            }
        }
    }

    async fn go_through_queue(self, queue: OnesQueue, round: Arc<Round>) {
        while self.0.can_send(&round)
            && let Some(due) = queue.next()
        {
            if let Err(failure) = self.0.line(queue.user_id(), due, &round).await {
                round.fail(failure);
            }
        }
    }
}

/// One time of sending what is due.
#[derive(Debug)]
struct Round {
    begins_until: Option<Instant>,
    has_begun: AtomicBool,
    is_away: AtomicBool,
    failed: Mutex<Option<Failure>>,
}

impl Round {
    fn new(begins_until: Option<Instant>) -> Self {
        Round {
            begins_until,
            has_begun: AtomicBool::new(false),
            is_away: AtomicBool::new(false),
            failed: Mutex::default(),
        }
    }

    /// Whether another line may begin.
    fn begins(&self) -> bool {
        let is_first = !self.has_begun.swap(true, Ordering::Relaxed);
        is_first || self.has_time()
    }

    fn has_time(&self) -> bool {
        self.begins_until.is_none_or(|until| Instant::now() < until)
    }

    fn fail(&self, failure: Failure) {
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
        let waited = waiting.iter().map(|mail| now - waits_since(mail)).max();
        metrics::gauge!("tasks_mails_waiting").set(waiting.len() as f64);
        metrics::gauge!("tasks_mails_waiting_seconds").set(waited.unwrap_or(0).max(0) as f64);
    }

    fn can_send(&self, round: &Round) -> bool {
        !round.is_away.load(Ordering::Relaxed) && !self.stops.load(Ordering::Relaxed)
    }

    /// Goes through a line when it is the turn of its person and there is a place, which is for others as soon as the server is slow.
    async fn line(&self, user_id: &str, due: WaitingMail, round: &Round) -> Result<(), Failure> {
        let _turn = self.turns.of(user_id).await;
        // Nobody closes it.
        let place = Arc::clone(&self.places).acquire_owned().await;
        if !self.can_send(round) || !round.begins() {
            return Ok(());
        }
        let goes_on = || self.can_send(round) && round.has_time();
        let mut going = pin!(self.go_through(due, &goes_on));
        if let Ok(gone_through) = timeout(SLOW, &mut going).await {
            return gone_through;
        }
        let aside = self.beside.place_for_slow();
        let _place = place.ok().filter(|_| aside.is_none());
        going.await
    }

    /// Sends the mails of a line in their order, from the one that is due until one waits again.
    async fn go_through(
        &self,
        due: WaitingMail,
        goes_on: &(impl Fn() -> bool + Sync),
    ) -> Result<(), Failure> {
        let mut mail = due;
        for number in 0..OF_ONE_LINE {
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
            // It was tried, and put off, since it was found.
            if number == 0 && first.due_at > self.claims.now() {
                return Ok(());
            }
            let told = self.tell_waiting(&first).await;
            match self.after(&first, told).await? {
                Some(next) if goes_on() => mail = next,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// What becomes of the first mail of a line once it was tried: it waits on, or leaves. Then the next is the first, which is given.
    pub(super) async fn after(
        &self,
        first: &WaitingMail,
        told: Result<Fate, Failure>,
    ) -> Result<Option<WaitingMail>, Failure> {
        let now = self.claims.now();
        match told {
            Ok(Fate::Sent | Fate::Over) => {}
            Ok(Fate::Waits(until)) => {
                self.lines.until(first, until).await?;
                return Ok(None);
            }
            Ok(Fate::Elsewhere(_)) => return Ok(None),
            // The others that are due come before it is tried again.
            Err(failure @ Failure::World(_)) => {
                self.lines.until(first, now + AWAY).await?;
                return Err(failure);
            }
            // It is looked at again, seldom.
            Err(failure) => {
                self.lines.is_behind(first, first, now).await?;
                return Err(failure);
            }
        }
        // First the next is due, which may have come meanwhile, then this one is gone: whoever dies in between has lost none.
        let (before, next) = self.lines.first(first.task_id, &first.user_id).await?;
        // Unless it is the first no longer: one before it is sent again.
        let is_first = before.is_some_and(|before| before.event_id == first.event_id);
        if let Some(next) = next.filter(|_| is_first) {
            self.lines.until(&next, now).await?;
        }
        self.lines.leave(first).await?;
        let (next, _) = self.lines.first(first.task_id, &first.user_id).await?;
        // Or it came, or was put off, just before this one was gone.
        if let Some(next) = next.as_ref().filter(|next| next.due_at > now) {
            self.lines.until(next, now).await?;
        }
        Ok(next)
    }

    async fn tell_waiting(&self, waiting: &WaitingMail) -> Result<Fate, Failure> {
        let Some(story) = self.story_of(waiting).await? else {
            let news = News::of_waiting(waiting);
            let mail = OneMail {
                event_id: &waiting.event_id,
                sequence: &waiting.sequence,
                user_id: &waiting.user_id,
                news: &news,
            };
            return self.let_go(&mail, "the task is gone").await;
        };
        let mail = story.to(&waiting.user_id);
        if !self.is_still_concerned(&mail, &story.task).await? {
            let why = "whom it was to does not work on the task any more";
            return self.let_go(&mail, why).await;
        }
        if waiting.expires_at - LAST <= self.claims.now() {
            return self.is_too_late(&mail).await;
        }
        self.send(&story, &waiting.user_id).await
    }

    /// A mail is not sent, and its record says so: nobody waits for it.
    async fn let_go(&self, mail: &OneMail<'_>, why: &str) -> Result<Fate, Failure> {
        match self.claim(mail).await? {
            Ok(claim) => {
                self.claims.unsent(claim, why).await?;
                Ok(Fate::Over)
            }
            Err(fate) => Ok(fate),
        }
    }

    /// A mail that has waited for so long that it would be forgotten is given up: then somebody sees it.
    async fn is_too_late(&self, mail: &OneMail<'_>) -> Result<Fate, Failure> {
        match self.claim(mail).await? {
            Ok(claim) => {
                self.claims.refused(claim, mail, TOO_LATE).await?;
                is_given_up(mail, TOO_LATE);
                Ok(Fate::Over)
            }
            Err(fate) => Ok(fate),
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
