//! The shards that were seen, and when it is worth to look for others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::error::StreamError;
use crate::model::Lease;
use crate::share::id;
use crate::source::{Shard, ShardId, Source};

/// How long nobody looks where nothing has ended. Shards come from shards that end, and those who read them say so in their leases: this is for what nobody thought of.
const SELDOM: Duration = Duration::from_secs(60);

/// The shards of the streams as they were when they were last looked at.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    shards: Vec<Shard>,
    looked: Option<Looked>,
    /// Shards that were not there any more, and had not been read to their ends.
    missing: HashMap<ShardId, Missing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Missing {
    since: Instant,
    /// The signs of life of whoever reads it.
    signs: (i64, i64),
}

#[derive(Debug)]
struct Looked {
    at: Instant,
    /// How many shards had been read to their ends.
    ended: usize,
}

impl Seen {
    pub(crate) fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// A reader has stopped: its shard may have ended, or be gone.
    pub(crate) fn is_doubtful(&mut self) {
        self.looked = None;
    }

    /// Looks at the streams, where there may be something new. `is_read` says of which shards all has been read.
    pub(crate) async fn look(
        &mut self,
        source: &Source,
        leases: &[Lease],
        is_read: impl Fn(&Lease) -> bool,
        term: Duration,
    ) -> Result<(), StreamError> {
        let ended = leases.iter().filter(|lease| is_read(lease)).count();
        if self.is_worth_it(ended, leases.len(), term, Instant::now()) {
            self.shards = source.shards().await?;
            let at = Instant::now();
            self.looked = Some(Looked { at, ended });
            self.miss(leases, at);
        }
        Ok(())
    }

    /// Whether a shard went before it was read to its end: looked for twice, a term apart, it was not there, and meanwhile nobody gave a sign of life for it.
    pub(crate) fn is_lost(&self, lease: &Lease, term: Duration) -> bool {
        let missing = self.missing.get(&id(lease));
        let signs = (lease.epoch, lease.signs);
        missing.is_some_and(|missing| missing.signs == signs && self.was_looked_for(missing, term))
    }

    fn is_worth_it(&self, ended: usize, leases: usize, term: Duration, now: Instant) -> bool {
        let Some(looked) = &self.looked else {
            return true;
        };
        // Where all have ended, their children are still to come.
        let none_is_open = ended == leases;
        let is_due = |missing: &Missing| {
            now.saturating_duration_since(missing.since) >= term
                && !self.was_looked_for(missing, term)
        };
        none_is_open
            || ended != looked.ended
            || self.missing.values().any(is_due)
            || now.saturating_duration_since(looked.at) >= SELDOM
    }

    fn was_looked_for(&self, missing: &Missing, term: Duration) -> bool {
        let looked = self.looked.as_ref();
        looked.is_some_and(|looked| looked.at.saturating_duration_since(missing.since) >= term)
    }

    /// Remembers whose shards are not there. Leases are read before shards are looked for, so each had one.
    fn miss(&mut self, leases: &[Lease], now: Instant) {
        let there = |lease: &Lease| self.shards.iter().any(|shard| shard.id == id(lease));
        let gone = leases.iter().filter(|lease| !lease.ended && !there(lease));
        let missing = gone.map(|lease| {
            let signs = (lease.epoch, lease.signs);
            let known = self.missing.get(&id(lease));
            let known = known.filter(|known| known.signs == signs);
            let since = known.map_or(now, |known| known.since);
            (id(lease), Missing { since, signs })
        });
        self.missing = missing.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERM: Duration = Duration::from_secs(10);

    #[test]
    fn it_is_looked_for_shards_when_one_has_ended_and_else_seldom() {
        let (mut seen, now) = (Seen::default(), Instant::now());
        assert!(seen.is_worth_it(0, 0, TERM, now), "never looked");
        seen.looked = Some(Looked { at: now, ended: 1 });
        let later = now + Duration::from_secs(59);
        assert!(!seen.is_worth_it(1, 3, TERM, later));
        assert!(seen.is_worth_it(2, 3, TERM, later), "another has ended");
        assert!(seen.is_worth_it(1, 1, TERM, later), "none is open");
        assert!(seen.is_worth_it(1, 3, TERM, now + SELDOM));
        seen.is_doubtful();
        assert!(seen.is_worth_it(1, 3, TERM, later), "a reader has stopped");
    }

    #[test]
    fn a_shard_is_lost_that_is_missing_for_a_term_and_read_by_nobody() {
        let mut lease = Lease {
            consumer: String::from("c"),
            stream: String::from("s"),
            shard: String::from("gone"),
            owner: None,
            wanted: None,
            epoch: 1,
            signs: 1,
            after: None,
            since: None,
            ended: false,
        };
        let (mut seen, now) = (Seen::default(), Instant::now());
        let look = |seen: &mut Seen, lease: &Lease, at: Instant| {
            seen.looked = Some(Looked { at, ended: 0 });
            seen.miss(std::slice::from_ref(lease), at);
            seen.is_lost(lease, TERM)
        };
        assert!(!look(&mut seen, &lease, now));
        assert!(!seen.is_worth_it(0, 1, TERM, now + TERM / 2));
        assert!(
            seen.is_worth_it(0, 1, TERM, now + TERM),
            "is it still away?"
        );
        // Somebody reads it after all.
        lease.signs = 2;
        assert!(!look(&mut seen, &lease, now + TERM));
        assert!(!seen.is_lost(&lease, TERM), "asked again without a look");
        assert!(look(&mut seen, &lease, now + 2 * TERM));
        lease.ended = true;
        assert!(!look(&mut seen, &lease, now + 3 * TERM), "it was read");
    }
}
