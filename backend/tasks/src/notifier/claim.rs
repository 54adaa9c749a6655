//! Who sends a mail: whoever makes its record (C1-20).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tablewright::Error;
use tablewright_mail::Sender;
use tablewright_stream::Failure;

use crate::model::{
    MailFailed, MailGoesOn, MailRecord, MailRecordKey, MailRecordRepo, MailRecordState, MailSent,
    RetryMail, Tasks,
};
use crate::undelivered;

use super::news::OneMail;
use super::passed::Passed;

/// How long the record of a mail is kept, in seconds: longer than any event is delivered again. As long it may wait, and is shown where it was given up.
pub(crate) const MAIL_KEPT: i64 = 30 * 24 * 3600;

/// How much of an error is kept, in characters.
const LONGEST: usize = 500;

/// How many mails of others are watched before those are forgotten that nobody asks about any more.
const WATCHED: usize = 1000;

/// Why a mail is given up that nobody came to send.
const DIED: &str = "whoever sent it ended before the server had answered, each time";

/// Why a mail is given up that nobody took before its record is forgotten.
pub(super) const TOO_LATE: &str = "nobody took it for four weeks";

/// How long before it is forgotten a mail is given up, in seconds: so that somebody can see it.
pub(super) const LAST: i64 = 2 * 24 * 3600;

/// How many signs of life are given in the time in which one is expected.
const SIGNS: u32 = 3;

/// The records of mails.
#[derive(Debug)]
pub(super) struct Claims {
    tasks: Tasks,
    mails: MailRecordRepo,
    stale: Duration,
    again: Vec<Duration>,
    passed: Passed,
    /// Mails that others have claimed: what they last showed, and since when by our watch. Nobody compares clocks.
    watched: Mutex<HashMap<(String, String), Seen>>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    attempts: i64,
    signs: i64,
    since: Instant,
    asked: Instant,
}

/// What is to be done with a mail.
#[derive(Debug)]
pub(super) enum Claimed {
    /// It is ours to send.
    Ours(Claim),
    /// It was not taken: it waits until then, in seconds since 1970.
    Waits(i64),
    /// Another notifier is about it.
    Elsewhere(&'static str),
    /// It is given up: so many who sent it died over it, or it has waited for too long.
    GivenUp(&'static str),
    /// Nothing.
    Over,
}

/// The right to send one mail, for as long as its owner gives signs of life.
#[derive(Debug)]
pub(super) struct Claim {
    key: MailRecordKey,
    attempt: i64,
    refusals: i64,
    /// Since when, in seconds since 1970.
    at: i64,
    /// When it was claimed before.
    before: Option<i64>,
    /// When its record is forgotten.
    expires_at: i64,
    good_until: Mutex<Instant>,
}

impl Claim {
    /// The first.
    fn new(key: MailRecordKey, at: i64, good_until: Instant) -> Self {
        Claim {
            key,
            attempt: 1,
            refusals: 0,
            at,
            before: None,
            expires_at: at + MAIL_KEPT,
            good_until: Mutex::new(good_until),
        }
    }

    /// Whether nobody else can have it yet. After a long sleep of this process it is not.
    pub(super) fn is_good(&self) -> bool {
        Instant::now() < *self.good_until()
    }

    fn good_until(&self) -> MutexGuard<'_, Instant> {
        self.good_until
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Claims {
    /// `again` is how long to wait after each time a mail was not taken; then it is given up.
    pub(super) fn new(
        tasks: &Tasks,
        sender: &Sender,
        stale: Duration,
        again: Vec<Duration>,
    ) -> Self {
        Claims {
            tasks: tasks.clone(),
            mails: tasks.mail_records.clone(),
            stale,
            again,
            passed: Passed::new(tasks, sender),
            watched: Mutex::default(),
        }
    }

    /// Asks for the right to send a mail.
    pub(super) async fn claim(&self, mail: &OneMail<'_>) -> Result<Claimed, Failure> {
        let (event_id, user_id) = (mail.event_id, mail.user_id);
        let (now, good_until) = (self.now(), Instant::now() + self.stale);
        let key = MailRecordKey::new(event_id, user_id);
        let record = MailRecord {
            event_id: event_id.to_owned(),
            user_id: user_id.to_owned(),
            state: MailRecordState::Claimed,
            attempts: 1,
            signs: 0,
            refusals: 0,
            claimed_at: now,
            sent_at: None,
            error: None,
            expires_at: now + MAIL_KEPT,
        };
        match self.mails.claim_mail(record).await {
            Ok(_) => return Ok(Claimed::Ours(Claim::new(key, now, good_until))),
            Err(Error::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let Some(known) = self.mails.mail_record(event_id, user_id).await? else {
            return Ok(Claimed::Elsewhere("its record was there and is not"));
        };
        if is_over(known.state) {
            return Ok(Claimed::Over);
        }
        if !self.may_take(&known) {
            return Ok(Claimed::Elsewhere("another notifier is sending the mail"));
        }
        let due = known.claimed_at + self.wait(known.refusals);
        if due > now && is_failed(known.state) {
            return Ok(Claimed::Waits(due));
        }
        // Whoever had claimed it died over it, perhaps with the mail on the wire: that was an attempt.
        let refusals = known.refusals + i64::from(!is_failed(known.state));
        let again = RetryMail {
            state: MailRecordState::Claimed.into(),
            claimed_at: now.into(),
            refusals: refusals.into(),
            add_attempts: 1,
        };
        let taken = self
            .mails
            .retry_mail(&key, known.attempts, known.signs, again);
        match taken.await {
            Ok(_) => {
                let mut claim = Claim::new(key, now, good_until);
                (claim.attempt, claim.refusals) = (known.attempts + 1, refusals);
                (claim.before, claim.expires_at) = (Some(known.claimed_at), known.expires_at);
                let why = match self.has_attempts_left(refusals) {
                    true if known.expires_at - LAST > now => return Ok(Claimed::Ours(claim)),
                    true => TOO_LATE,
                    false => DIED,
                };
                self.refused(claim, mail, why).await?;
                Ok(Claimed::GivenUp(why))
            }
            Err(Error::Refused { .. } | Error::NotFound { .. }) => Ok(Claimed::Elsewhere(
                "another notifier has just claimed the mail",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether nobody sends it, or who did has given no sign for long.
    fn may_take(&self, known: &MailRecord) -> bool {
        let (mut watched, now) = (self.watched(), Instant::now());
        let name = (known.event_id.clone(), known.user_id.clone());
        if is_failed(known.state) {
            watched.remove(&name);
            return true;
        }
        if watched.len() > WATCHED {
            watched.retain(|_, seen| now.duration_since(seen.asked) < self.stale * 10);
        }
        let first = Seen {
            attempts: known.attempts,
            signs: known.signs,
            since: now,
            asked: now,
        };
        let seen = watched.entry(name).or_insert(first);
        if (seen.attempts, seen.signs) != (known.attempts, known.signs) {
            *seen = first;
        }
        seen.asked = now;
        now.duration_since(seen.since) >= self.stale
    }

    /// Gives signs of life; returns when it may no longer be ours.
    pub(super) async fn keep(&self, claim: &Claim) {
        loop {
            tokio::time::sleep(self.stale / SIGNS).await;
            if !claim.is_good() || self.sign(claim).await == Some(false) {
                return;
            }
        }
    }

    /// Whether a claim whose time has run out is ours all the same: it is as long as nobody else has taken it. Asks until there is an answer; whoever sends waits
    /// meanwhile, since a mail that is broken off on the wire is sent again.
    pub(super) async fn is_still_ours(&self, claim: &Claim) -> bool {
        loop {
            if let Some(is_ours) = self.sign(claim).await {
                return is_ours;
            }
            tokio::time::sleep(self.stale / SIGNS).await;
        }
    }

    /// Gives a sign of life; says whether the claim is ours, if that can be known.
    async fn sign(&self, claim: &Claim) -> Option<bool> {
        let asked = Instant::now();
        let sign = MailGoesOn { add_signs: 1 };
        let written = self.mails.mail_goes_on(&claim.key, claim.attempt, sign);
        match written.await {
            Ok(_) => {
                *claim.good_until() = asked + self.stale;
                Some(true)
            }
            Err(Error::Refused { .. } | Error::NotFound { .. }) => Some(false),
            // It is good until it is not.
            Err(error) => {
                tracing::warn!(%error, "a sign of life could not be written");
                None
            }
        }
    }

    /// It was sent, and nobody else knows: until that is noted somebody would send it again. So it is tried until there is an answer.
    pub(super) async fn sent(&self, claim: Claim) -> Result<(), Failure> {
        let now = self.now();
        let noted = loop {
            let sent = MailSent {
                state: MailRecordState::Sent.into(),
                sent_at: Some(now).into(),
            };
            match settled(self.mails.mail_sent(&claim.key, sent).await) {
                Err(Failure::World(why)) => {
                    tracing::warn!(%why, "that a mail was sent could not be noted yet");
                    tokio::time::sleep(self.stale / SIGNS).await;
                }
                noted => break noted,
            }
        };
        self.passed.one(now).await;
        noted
    }

    /// It was not sent since nothing is at the moment: it is tried again.
    pub(super) async fn failed(&self, claim: Claim, why: &str) -> Result<(), Failure> {
        let refusals = claim.refusals;
        self.note(claim, MailRecordState::Failed, refusals, why)
            .await
    }

    /// It was not taken this time. Says when it is tried again, if it is, in seconds since 1970.
    pub(super) async fn not_taken(
        &self,
        claim: Claim,
        mail: &OneMail<'_>,
        why: &str,
    ) -> Result<Option<i64>, Failure> {
        let refusals = claim.refusals + 1;
        let due = claim.at + self.wait(refusals);
        let is_tried_again = self.has_attempts_left(refusals);
        let state = match is_tried_again {
            true => MailRecordState::Failed,
            false => MailRecordState::Unsent,
        };
        if !is_tried_again {
            self.tell_of(&claim, mail, why).await?;
        }
        self.note(claim, state, refusals, why).await?;
        Ok(is_tried_again.then_some(due))
    }

    /// It is not known whether it is this mail that is not taken, or all of ours. It is this one if any of ours passed since it was tried the last time; until then it waits, as long as
    /// the others of its age, and is not given up.
    pub(super) async fn perhaps_not_taken(
        &self,
        claim: Claim,
        mail: &OneMail<'_>,
        why: &str,
    ) -> Result<Option<i64>, Failure> {
        if let Some(before) = claim.before
            && self.passed.any_since(before).await?
        {
            return self.not_taken(claim, mail, why).await;
        }
        let most = i64::try_from(self.again.len()).unwrap_or(i64::MAX);
        let due = claim.at + self.wait(claim.attempt.min(most));
        self.failed(claim, why).await?;
        Ok(Some(due))
    }

    /// It can never be sent, and somebody should know.
    pub(super) async fn refused(
        &self,
        claim: Claim,
        mail: &OneMail<'_>,
        why: &str,
    ) -> Result<(), Failure> {
        self.tell_of(&claim, mail, why).await?;
        self.unsent(claim, why).await
    }

    async fn tell_of(&self, claim: &Claim, mail: &OneMail<'_>, why: &str) -> Result<(), Failure> {
        let (key, at) = (&claim.key, self.now());
        undelivered::given_up(&self.tasks, key, mail, why, at).await?;
        Ok(())
    }

    /// It is never sent.
    pub(super) async fn unsent(&self, claim: Claim, why: &str) -> Result<(), Failure> {
        let refusals = claim.refusals;
        self.note(claim, MailRecordState::Unsent, refusals, why)
            .await
    }

    async fn note(
        &self,
        claim: Claim,
        state: MailRecordState,
        refusals: i64,
        why: &str,
    ) -> Result<(), Failure> {
        let expires_at = match state {
            // Whoever wants it sent again finds it, as long as it is among the undelivered.
            MailRecordState::Unsent => self.now() + MAIL_KEPT,
            _ => claim.expires_at,
        };
        let failed = MailFailed {
            state: state.into(),
            error: Some(why.chars().take(LONGEST).collect()).into(),
            refusals: refusals.into(),
            expires_at: expires_at.into(),
        };
        let written = self.mails.mail_failed(&claim.key, claim.attempt, failed);
        settled(written.await)
    }

    fn has_attempts_left(&self, refusals: i64) -> bool {
        usize::try_from(refusals).is_ok_and(|many| many <= self.again.len())
    }

    /// How long to wait after so many refusals, in seconds.
    fn wait(&self, refusals: i64) -> i64 {
        let last = usize::try_from(refusals)
            .ok()
            .and_then(|many| many.checked_sub(1));
        let wait = last.and_then(|last| self.again.get(last));
        wait.map_or(0, seconds)
    }

    /// Seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        let now = self.mails.items().store().now_millis();
        now.div_euclid(1000)
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<(String, String), Seen>> {
        self.watched
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn seconds(wait: &Duration) -> i64 {
    i64::try_from(wait.as_secs()).unwrap_or(i64::MAX)
}

fn is_over(state: MailRecordState) -> bool {
    use MailRecordState::{Bounced, Sent, Unsent};
    matches!(state, Sent | Bounced | Unsent)
}

fn is_failed(state: MailRecordState) -> bool {
    state == MailRecordState::Failed
}

/// A record that is no longer claimed was settled by somebody else: the mail came back already, or we were thought dead.
fn settled(written: Result<MailRecord, Error>) -> Result<(), Failure> {
    match written {
        Ok(_) | Err(Error::Refused { .. } | Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
