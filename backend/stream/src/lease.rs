//! The right to read a shard, and the fence before those that had it earlier.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tablewright::{Change, Error, Versioned};

use crate::model::{KeepLease, Lease, LeaseKey, LeaseRepo};
use crate::source::Position;

/// A shard this process reads. It is good for so long after the last sign of life; then it may be another's.
#[derive(Debug)]
pub(crate) struct Held {
    leases: LeaseRepo,
    key: LeaseKey,
    owner: String,
    epoch: i64,
    term: Duration,
    good_until: Mutex<Instant>,
}

/// Why a lease was not renewed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotKept {
    /// It is another's.
    Lost,
    /// It cannot be said at the moment.
    Unknown(Error),
}

impl From<Error> for NotKept {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => NotKept::Lost,
            error => NotKept::Unknown(error),
        }
    }
}

/// What a sign of life brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Ours,
    /// Another process is to have it: finish what was begun, and let go.
    Wanted,
}

impl Held {
    /// Takes a lease that nobody holds any more; none when somebody was faster.
    pub(crate) async fn take(
        leases: &LeaseRepo,
        seen: &Lease,
        owner: &str,
        term: Duration,
    ) -> Result<Option<(Held, Lease)>, Error> {
        let key = LeaseKey::new(&seen.consumer, &seen.stream, &seen.shard);
        let asked = Instant::now();
        let taken = leases
            .keep_lease(&key, |Versioned { data: lease, .. }| {
                if (lease.epoch, lease.signs, lease.ended) != (seen.epoch, seen.signs, false) {
                    return Err(NotKept::Lost);
                }
                Ok(KeepLease {
                    owner: Change::Set(Some(owner.to_owned())),
                    wanted: Change::Set(None),
                    epoch: Change::Set(lease.epoch + 1),
                    signs: Change::Set(lease.signs + 1),
                    ..KeepLease::default()
                })
            })
            .await;
        match taken {
            Ok(Versioned { data, .. }) => {
                let held = Held {
                    leases: leases.clone(),
                    key,
                    owner: owner.to_owned(),
                    epoch: data.epoch,
                    term,
                    good_until: Mutex::new(asked + term),
                };
                Ok(Some((held, data)))
            }
            Err(NotKept::Lost | NotKept::Unknown(Error::Conflict { .. })) => Ok(None),
            Err(NotKept::Unknown(error)) => Err(error),
        }
    }

    /// Whether nobody else can have it yet. After a long sleep of this process it is not.
    pub(crate) fn is_good(&self) -> bool {
        let good_until = self
            .good_until
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Instant::now() < *good_until
    }

    /// A sign of life, and how far all is handled.
    pub(crate) async fn keep(&self, reached: Option<&Position>) -> Result<Kept, NotKept> {
        let mut kept = Kept::Ours;
        self.change(|lease| {
            if lease.wanted.is_some() {
                kept = Kept::Wanted;
            }
            handled_up_to(reached)
        })
        .await?;
        Ok(kept)
    }

    /// Lets it go: others need not wait.
    pub(crate) async fn release(&self, reached: Option<&Position>) -> Result<(), NotKept> {
        self.change(|_| KeepLease {
            owner: Change::Set(None),
            ..handled_up_to(reached)
        })
        .await
    }

    /// The shard has been read to its end.
    pub(crate) async fn end(&self, reached: Option<&Position>) -> Result<(), NotKept> {
        self.change(|_| KeepLease {
            owner: Change::Set(None),
            ended: Change::Set(true),
            ..handled_up_to(reached)
        })
        .await
    }

    async fn change(&self, mut change: impl FnMut(&Lease) -> KeepLease) -> Result<(), NotKept> {
        let asked = Instant::now();
        let written = self
            .leases
            .keep_lease(&self.key, |Versioned { data: lease, .. }| {
                if lease.epoch != self.epoch || lease.owner.as_deref() != Some(&self.owner) {
                    return Err(NotKept::Lost);
                }
                Ok(KeepLease {
                    signs: Change::Set(lease.signs + 1),
                    ..change(lease)
                })
            });
        written.await?;
        *self
            .good_until
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = asked + self.term;
        Ok(())
    }
}

/// How far all is handled, if anything is.
fn handled_up_to(reached: Option<&Position>) -> KeepLease {
    KeepLease {
        after: reached.map_or(Change::Keep, |reached| Change::Set(reached.after())),
        ..KeepLease::default()
    }
}
