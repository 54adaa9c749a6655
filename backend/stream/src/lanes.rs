//! How many records of a shard are tried at the same time. What waits for its next attempt steps aside, so that others come through.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

use crate::options::Options;
use crate::rest::Before;

/// The lanes of a shard.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Arc<Semaphore>,
    /// Places for those who wait. When they are all taken it is the world that is against them, not each of them: who waits then keeps its lane, so that whatever is down is asked
    /// seldom, however many wait for it.
    aside: Arc<Semaphore>,
    ended: AtomicU64,
    passed: AtomicU64,
    /// What waits in shards before this one.
    before: Before,
}

/// A lane, or a place beside it.
#[derive(Debug)]
pub(crate) struct Place {
    /// It is given back when this is dropped.
    _permit: Result<OwnedSemaphorePermit, TryAcquireError>,
}

impl Lanes {
    pub(crate) fn new(options: &Options, before: &Before) -> Self {
        Lanes {
            lanes: Arc::new(Semaphore::new(options.lanes.max(1))),
            aside: Arc::new(Semaphore::new(options.aside)),
            ended: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            before: before.clone(),
        }
    }

    /// Waits for a lane.
    pub(crate) async fn enter(&self) -> Place {
        let permit = Arc::clone(&self.lanes).acquire_owned().await;
        Place {
            // Nobody closes it.
            _permit: permit.map_err(|_| TryAcquireError::Closed),
        }
    }

    /// A place beside the lanes, if there is one.
    pub(crate) fn aside(&self) -> Option<Place> {
        let permit = Arc::clone(&self.aside).try_acquire_owned();
        permit.is_ok().then_some(Place { _permit: permit })
    }

    /// A record came to an end.
    pub(crate) fn count(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Something was done for a record: whoever waits for the world meanwhile is told so.
    pub(crate) fn pass(&self) {
        self.one_passed();
        self.before.pass();
    }

    /// The same for those of this shard alone.
    pub(crate) fn one_passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
    }

    /// For how many records something was done.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// How many records have come to an end.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }
}
