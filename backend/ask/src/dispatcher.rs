//! The dispatcher: people are told of questions that lack answers. It follows the change stream, apart from the API, and looks from time to time for questions
//! that still lack some.
//!
//! Each notification is claimed before it is sent (C2-4): one transaction writes down that this person was told of this question, which can be there once, moves the
//! time from which on the device may be notified again, on the condition that it has come, and takes a place, on the condition that one is left. So two dispatchers never
//! tell anybody twice, nor more people than are wanted, and one that dies tells nobody again; what it had claimed and not sent is lost.

mod claim;
mod line;
mod places;
mod pool;
mod words;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use futures_util::stream::{self, StreamExt as _};
use tablewright::{Change, Error, Uuid, Versioned};
use tablewright_push::Pusher;
use tablewright_stream::{Failure, Handler, Record};

use crate::model::{Ask, AskEvent, CatchUp, Notice, Outreach, Question, QuestionKey, Subscription};
use crate::rules::life::{NEXT_CATCH_UP, accepts};
use crate::state::now_of;
use claim::Claim;
pub use line::Pace;
use line::{Became, Line};

/// How many people are told for each answer that lacks.
const FOR_EACH_ANSWER: i64 = 3;

/// How many notifications of one question are on their way at once. Of a process that dies, so many are lost at most.
const AT_ONCE: usize = 4;

/// How many questions are caught up with at once.
const QUESTIONS_AT_ONCE: usize = 4;

/// Tells people of questions.
#[derive(Debug, Clone)]
pub struct Dispatcher(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ask: Ask,
    sending: Sending,
}

/// How a dispatcher sends.
#[derive(Debug)]
pub struct Sending {
    /// By whom.
    pub pusher: Pusher,
    /// Where the page of the service is, for links.
    pub page: Option<String>,
    /// How long it is tried.
    pub pace: Pace,
}

/// What became of telling one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// They were told, by us or by another, or nobody can be told so.
    Yes,
    /// They cannot be told now: another is told in their place.
    No,
    /// Nobody was claimed: others have taken the last place.
    NoPlace,
    /// Nobody was claimed: the line is broken.
    Left,
}

impl Dispatcher {
    /// One that reads and claims in these tables.
    pub fn new(ask: &Ask, sending: Sending) -> Self {
        Dispatcher(Arc::new(Inner {
            ask: ask.clone(),
            sending,
        }))
    }

    /// Tells others of every question that is due, unless another dispatcher does.
    ///
    /// # Errors
    /// When questions cannot be looked for. What goes wrong with one of them is logged, and does not keep it from the others.
    pub async fn catch_up(&self) -> Result<(), Error> {
        self.catch_up_until(None).await
    }

    /// As [`Dispatcher::catch_up`], with no question begun from this moment on. What is left is due the next time.
    ///
    /// # Errors
    /// As [`Dispatcher::catch_up`].
    pub async fn catch_up_until(&self, begins_until: Option<Instant>) -> Result<(), Error> {
        let now = now_of(&self.0.ask).seconds();
        let due = self.0.ask.questions.questions_to_catch_up(now);
        let due = due.all().collect().await?.into_iter();
        // What has expired waits for the sweeper, and for nothing else.
        let due = due.filter(|question| question.expires_at > now);
        let each = stream::iter(due).for_each_concurrent(QUESTIONS_AT_ONCE, |due| async move {
            if begins_until.is_some_and(|end| Instant::now() >= end) {
                return;
            }
            if let Err(failure) = self.0.catch_up_with(due.question_id).await {
                tracing::warn!(question = %due.question_id, %failure, "nobody could be told of a question again");
            }
        });
        each.await;
        Ok(())
    }
}

impl Handler for Dispatcher {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        for event in AskEvent::of(&record.table, before, after)? {
            if let AskEvent::QuestionAsked(asked) = event {
                self.0.tell_of_new(asked.question_id).await?;
            }
        }
        Ok(())
    }
}

impl Inner {
    /// The first round. The record may come again, and two dispatchers may have it at once: both take of the same places.
    async fn tell_of_new(&self, question_id: Uuid) -> Result<(), Failure> {
        let Some(question) = self.lacking(question_id).await? else {
            return Ok(());
        };
        self.is_ready().await?;
        let places = self.places_of(&question).await?;
        self.tell(&question, &places).await
    }

    /// A further round. Whoever moves the time of the next one does this one.
    async fn catch_up_with(&self, question_id: Uuid) -> Result<(), Failure> {
        let Some(question) = self.lacking(question_id).await? else {
            return Ok(());
        };
        let (now, due) = (now_of(&self.ask).seconds(), question.catch_up_at);
        // The index is behind: somebody has done it.
        if due > now {
            return Ok(());
        }
        self.is_ready().await?;
        let next = |_: &Versioned<Question>| {
            Ok::<_, Error>(CatchUp {
                catch_up_at: Change::Set(now + NEXT_CATCH_UP),
            })
        };
        let key = QuestionKey::new(question_id);
        match self.ask.questions.catch_up(&key, due, next).await {
            Ok(_) => {}
            // Another does it, or it is over, or answers pour in: then it is looked at again.
            Err(Error::Refused { .. } | Error::NotFound { .. } | Error::Conflict { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        let places = self.more_places_of(&question).await?;
        self.tell(&question, &places).await
    }

    /// While nothing can be sent at all, nobody is claimed.
    async fn is_ready(&self) -> Result<(), Failure> {
        let ready = self.sending.pusher.ready().await;
        ready.map_err(|why| Failure::World(why.to_string()))
    }

    /// The question, if it lacks answers and may still get them.
    async fn lacking(&self, question_id: Uuid) -> Result<Option<Question>, Error> {
        let now = now_of(&self.ask).seconds();
        let question = self.ask.questions.question_told_of(question_id).await?;
        let lacks = |question: &Question| question.responses_needed > 0 && accepts(question, now);
        Ok(question.map(|found| found.data).filter(lacks))
    }

    async fn told_of(&self, question_id: Uuid) -> Result<Vec<Notice>, Error> {
        let notices = self.ask.notices.notices_of_question(question_id);
        notices.all().collect().await
    }

    /// Tells as many people as there are places: those of the pool, and when that is empty those of the next one.
    async fn tell(&self, question: &Question, places: &Outreach) -> Result<(), Failure> {
        let (id, round) = (question.question_id, places.round);
        let mut left = places::left(places);
        let line = Line::new(&self.sending.pace);
        let mut passed = HashSet::new();
        let mut pool = match left {
            0 => Vec::new(),
            _ => self.next_pool(question, round, &mut passed).await?,
        };
        while left > 0 && !pool.is_empty() && !line.is_broken() {
            let next: Vec<Subscription> = pool.drain(..left.min(pool.len())).collect();
            passed.extend(next.iter().map(|device| device.fingerprint_hash.clone()));
            let next = self.who_could_answer(question, next).await?;
            let each = stream::iter(next)
                .map(|device| self.tell_one(question, device, round, &line))
                .buffer_unordered(AT_ONCE);
            // One that fails does not keep those from being sent that are claimed.
            let outcomes: Vec<Result<Told, Failure>> = each.collect().await;
            let outcomes = outcomes
                .into_iter()
                .collect::<Result<Vec<Told>, Failure>>()?;
            let told = outcomes.iter().filter(|told| **told == Told::Yes);
            left = left.saturating_sub(told.count());
            if left > 0 && (pool.is_empty() || outcomes.contains(&Told::NoPlace)) {
                // Whom others have told meanwhile has a place as well.
                left = self.places_left(id).await?;
            }
            if left > 0 && pool.is_empty() {
                pool = self.next_pool(question, round, &mut passed).await?;
            }
        }
        Ok(())
    }

    /// People who were neither passed nor told yet.
    async fn next_pool(
        &self,
        question: &Question,
        round: i64,
        passed: &mut HashSet<String>,
    ) -> Result<Vec<Subscription>, Error> {
        let mut pool = self.pool(question, round, passed).await?;
        // Read after it: whoever is told from now on is in the pool, their claim fails, and they count.
        passed.extend(people_of(&self.told_of(question.question_id).await?));
        pool.retain(|device| !passed.contains(&device.fingerprint_hash));
        Ok(pool)
    }

    async fn tell_one(
        &self,
        question: &Question,
        device: Subscription,
        round: i64,
        line: &Line<'_>,
    ) -> Result<Told, Failure> {
        if line.is_broken() {
            return Ok(Told::Left);
        }
        let device = match self.claim(question, &device, round).await? {
            Claim::Ours(device) => device,
            Claim::ToldAlready => return Ok(Told::Yes),
            Claim::NotNow => return Ok(Told::No),
            Claim::NoPlace => return Ok(Told::NoPlace),
        };
        let left = question.expires_at - now_of(&self.ask).seconds();
        let push = words::push(question, &device, left, self.sending.page.as_deref());
        Ok(match line.send(&self.sending.pusher, &push).await {
            Became::Sent | Became::Refused | Became::Unanswered => Told::Yes,
            Became::GivenUp | Became::OfAnotherProject => {
                self.free_place(question.question_id).await;
                Told::No
            }
            Became::Unregistered => {
                self.deactivate(&device).await;
                self.free_place(question.question_id).await;
                Told::No
            }
        })
    }
}

fn people_of(notices: &[Notice]) -> HashSet<String> {
    let people = notices.iter().map(|notice| notice.fingerprint_hash.clone());
    people.collect()
}
