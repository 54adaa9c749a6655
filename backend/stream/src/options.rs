//! How a consumer reads.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// How a consumer reads. The defaults are right for a local endpoint; on AWS a `poll` of a second is cheaper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How long to wait before asking again where there was nothing.
    pub poll: Duration,
    /// How long a process may be silent before others take its shards.
    pub lease: Duration,
    /// How many items are handled at the same time.
    pub lanes: usize,
    /// How many records of a shard are read before those before them have come to an end. While one waits, this many others may wait with it.
    pub ahead: usize,
    /// How many items of a shard may wait for another attempt without others waiting with them.
    pub aside: usize,
    /// What comes one after another.
    pub order: Order,
    /// How often a record is tried that fails by itself.
    pub attempts: u32,
    /// How long to wait after the first failure; twice as long after each further one, up to `longest_wait`. A wait is half of that and up to as much again, by chance: what failed together does not come again together.
    pub first_wait: Duration,
    /// The longest wait between two attempts.
    pub longest_wait: Duration,
    /// How old a record may become while the world is against it, before it becomes a dead letter. DynamoDB keeps records for a day.
    pub oldest: Duration,
    /// For how many others something may be done while the world is against a record, before it becomes a dead letter. After a crash they come again.
    pub passed: u64,
    /// How long what was begun may take when a consumer is told to stop.
    pub grace: Duration,
    /// How long one attempt may take. Under AWS Lambda nothing is begun for which less time is left, but the first of a call.
    pub attempt: Duration,
    /// Where a consumer begins that has never read.
    pub start: Start,
}

/// What comes one after another. The rest comes at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The changes of one item.
    Item,
    /// The changes of all items under one partition key: of a task and of its assignments, say.
    Partition,
}

/// Where a consumer begins that has never read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// With the oldest record that is kept.
    Oldest,
    /// With what happens from now on.
    Now,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            poll: Duration::from_millis(100),
            lease: Duration::from_secs(10),
            lanes: 16,
            ahead: 1000,
            aside: 64,
            order: Order::Item,
            attempts: 5,
            first_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(30),
            oldest: Duration::from_secs(20 * 3600),
            passed: 100_000,
            grace: Duration::from_secs(10),
            attempt: Duration::from_secs(60),
            start: Start::Oldest,
        }
    }
}

impl Options {
    /// How long to wait after so many failures, the first being 1: between half of the time and the whole.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        let half = self.whole_wait(failures) / 2;
        // Its keys are random, and it is the whole of what must be.
        let share = (RandomState::new().hash_one(failures) % 1000) as u32;
        half + (half / 1000).saturating_mul(share)
    }

    fn whole_wait(&self, failures: u32) -> Duration {
        let doubled = 1u32
            .checked_shl(failures.saturating_sub(1))
            .unwrap_or(u32::MAX);
        self.first_wait
            .saturating_mul(doubled)
            .min(self.longest_wait)
    }

    /// How often a lease is renewed, and the shards are looked through.
    pub(crate) fn round(&self) -> Duration {
        self.lease / 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_longest() {
        let options = Options::default();
        assert_eq!(options.whole_wait(1), Duration::from_millis(100));
        assert_eq!(options.whole_wait(4), Duration::from_millis(800));
        assert_eq!(options.whole_wait(20), Duration::from_secs(30));
        assert_eq!(options.whole_wait(u32::MAX), Duration::from_secs(30));
    }

    #[test]
    fn what_failed_together_does_not_come_again_together() {
        let options = Options::default();
        for failures in [1, 4, u32::MAX] {
            let whole = options.whole_wait(failures);
            let waits: Vec<Duration> = (0..50).map(|_| options.wait(failures)).collect();
            assert!(waits.iter().all(|wait| (whole / 2..=whole).contains(wait)));
            assert!(waits.iter().any(|wait| *wait != waits[0]));
        }
    }
}
