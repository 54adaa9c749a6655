//! Who sends a mail: whoever makes its record (C1-20).

use std::time::{Duration, Instant};

use tablewright::Error;
use tablewright_stream::Failure;

use crate::model::{
    MailFailed, MailRecord, MailRecordKey, MailRecordRepo, MailRecordState, MailSent, RetryMail,
    Tasks,
};

/// How long records are kept, in seconds: longer than any event is delivered again.
const KEPT: i64 = 30 * 24 * 3600;

/// How much of an error is kept, in characters.
const LONGEST: usize = 500;

/// The records of mails.
#[derive(Debug)]
pub(super) struct Claims {
    mails: MailRecordRepo,
    stale: Duration,
}

/// The right to send one mail, for a while.
#[derive(Debug)]
pub(super) struct Claim {
    key: MailRecordKey,
    good_until: Instant,
}

impl Claim {
    /// Whether nobody else can have it yet. After a long sleep of this process it is not.
    pub(super) fn is_good(&self) -> bool {
        Instant::now() < self.good_until
    }
}

impl Claims {
    pub(super) fn new(tasks: &Tasks, stale: Duration) -> Self {
        Claims {
            mails: tasks.mail_records.clone(),
            stale,
        }
    }

    /// How long a claim is its owner's.
    pub(super) fn stale(&self) -> Duration {
        self.stale
    }

    /// The right to send a mail; none when it was sent.
    pub(super) async fn claim(
        &self,
        event_id: &str,
        user_id: &str,
    ) -> Result<Option<Claim>, Failure> {
        let now = self.now();
        let claim = Claim {
            key: MailRecordKey::new(event_id, user_id),
            // The other half is for sending.
            good_until: Instant::now() + self.stale / 2,
        };
        let record = MailRecord {
            event_id: event_id.to_owned(),
            user_id: user_id.to_owned(),
            state: MailRecordState::Claimed,
            attempts: 1,
            claimed_at: now,
            sent_at: None,
            error: None,
            expires_at: now + KEPT,
        };
        match self.mails.claim_mail(record).await {
            Ok(_) => return Ok(Some(claim)),
            Err(Error::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let known = self.mails.mail_record(event_id, user_id).await?;
        if known.is_some_and(|known| is_over(known.state)) {
            return Ok(None);
        }
        let stale = now - i64::try_from(self.stale.as_secs()).unwrap_or(i64::MAX);
        let again = RetryMail {
            state: MailRecordState::Claimed.into(),
            claimed_at: now.into(),
            add_attempts: 1,
        };
        match self.mails.retry_mail(&claim.key, stale, again).await {
            Ok(_) => Ok(Some(claim)),
            Err(Error::Refused { .. } | Error::NotFound { .. }) => Err(Failure::World(
                String::from("another notifier has claimed the mail and not finished yet"),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// It was sent.
    pub(super) async fn sent(&self, claim: Claim) -> Result<(), Failure> {
        let sent = MailSent {
            state: MailRecordState::Sent.into(),
            sent_at: Some(self.now()).into(),
        };
        settled(self.mails.mail_sent(&claim.key, sent).await)
    }

    /// It was not sent, and why.
    pub(super) async fn failed(&self, claim: Claim, why: &str) -> Result<(), Failure> {
        let failed = MailFailed {
            state: MailRecordState::Failed.into(),
            error: Some(why.chars().take(LONGEST).collect()).into(),
        };
        settled(self.mails.mail_failed(&claim.key, failed).await)
    }

    /// Seconds since 1970.
    fn now(&self) -> i64 {
        let now = self.mails.items().store().now_millis();
        now.div_euclid(1000)
    }
}

fn is_over(state: MailRecordState) -> bool {
    matches!(state, MailRecordState::Sent | MailRecordState::Bounced)
}

/// A record that is no longer claimed was settled by somebody else: the mail came back already, or we were thought dead.
fn settled(written: Result<MailRecord, Error>) -> Result<(), Failure> {
    match written {
        Ok(_) | Err(Error::Refused { .. } | Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
