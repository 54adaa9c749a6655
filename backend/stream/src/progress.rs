//! How far a consumer has come: up to when every change is handled, and since when one waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::source::ShardId;

/// How far a consumer has come in this process, to be asked while it runs and afterwards. Clones tell of the same consumer. Moments are in milliseconds since 1970.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    shards: HashMap<ShardId, Mark>,
    /// Since when it is not known that every shard with something to read is read by this process.
    unsure_since: Option<i64>,
    reached: Option<i64>,
}

/// How far a shard is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    /// Up to when all is handled; none when nothing is known yet.
    pub(crate) reached: Option<i64>,
    /// Since when something waits, or the shard cannot be read.
    pub(crate) waits_since: Option<i64>,
}

impl Progress {
    pub(crate) fn new(now: i64) -> Self {
        Progress(Arc::new(Mutex::new(State {
            shards: HashMap::new(),
            unsure_since: Some(now),
            reached: None,
        })))
    }

    /// Up to when every change is handled that the stream tells, or is known to be lost: while changes wait, or a shard cannot be read, it stays at the moment before. None when that is not known yet, as before all shards were
    /// read, or where other processes read some.
    pub fn reached(&self) -> Option<i64> {
        self.state().reached
    }

    /// Since when a change waits to be handled, or something cannot be read; none when all is well.
    pub fn waits_since(&self) -> Option<i64> {
        let state = self.state();
        let waiting = state.shards.values().filter_map(|mark| mark.waits_since);
        waiting.chain(state.unsure_since).min()
    }

    /// A shard is read from now on.
    pub(crate) fn begin(&self, shard: &ShardId) {
        self.state().shards.entry(shard.clone()).or_default();
    }

    pub(crate) fn note(&self, shard: &ShardId, mark: Mark) {
        let mut state = self.state();
        if let Some(known) = state.shards.get_mut(shard) {
            *known = mark;
        }
        state.go_on();
    }

    /// A shard is read no longer, and there may be others after it.
    pub(crate) fn end(&self, shard: &ShardId, now: i64) {
        let mut state = self.state();
        state.shards.remove(shard);
        state.unsure_since.get_or_insert(now);
    }

    /// It was looked for shards, and all that have something to read are read by this process; or not, or that cannot be said.
    pub(crate) fn look(&self, all_are_read: bool, now: i64) {
        let mut state = self.state();
        match all_are_read {
            true => state.unsure_since = None,
            false => drop(state.unsure_since.get_or_insert(now)),
        }
        state.go_on();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn go_on(&mut self) {
        let reached: Option<Vec<i64>> = self.shards.values().map(|mark| mark.reached).collect();
        let reached = reached.and_then(|each| each.into_iter().min());
        if self.unsure_since.is_none() {
            self.reached = self.reached.max(reached);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(name: &str) -> ShardId {
        ShardId {
            stream: String::from("s"),
            shard: name.to_owned(),
        }
    }

    fn at(reached: i64) -> Mark {
        Mark {
            reached: Some(reached),
            waits_since: None,
        }
    }

    #[test]
    fn nothing_is_reached_before_every_shard_was_read() {
        let progress = Progress::new(1);
        let (one, other) = (shard("one"), shard("other"));
        progress.begin(&one);
        progress.note(&one, at(10));
        assert_eq!(
            (progress.reached(), progress.waits_since()),
            (None, Some(1))
        );
        progress.begin(&other);
        progress.look(true, 11);
        assert_eq!((progress.reached(), progress.waits_since()), (None, None));
        progress.note(&other, at(7));
        assert_eq!(progress.reached(), Some(7));
    }

    #[test]
    fn what_comes_after_a_shard_that_ended_holds_it_up() {
        let progress = Progress::new(1);
        let (one, other, child) = (shard("one"), shard("other"), shard("child"));
        for shard in [&one, &other] {
            progress.begin(shard);
            progress.note(shard, at(10));
        }
        progress.look(true, 10);
        progress.end(&one, 12);
        progress.note(&other, at(20));
        assert_eq!(
            (progress.reached(), progress.waits_since()),
            (Some(10), Some(12))
        );
        progress.begin(&child);
        progress.look(true, 21);
        assert_eq!(progress.reached(), Some(10));
        progress.note(&child, at(15));
        assert_eq!(
            (progress.reached(), progress.waits_since()),
            (Some(15), None)
        );
    }

    #[test]
    fn what_waits_is_told_by_the_oldest() {
        let progress = Progress::new(1);
        let (one, other) = (shard("one"), shard("other"));
        for (shard, since) in [(&one, 30), (&other, 20)] {
            progress.begin(shard);
            progress.note(
                shard,
                Mark {
                    waits_since: Some(since),
                    ..at(since - 1)
                },
            );
        }
        progress.look(true, 31);
        assert_eq!(
            (progress.reached(), progress.waits_since()),
            (Some(19), Some(20))
        );
        progress.look(false, 32);
        progress.note(&other, at(40));
        assert_eq!(
            (progress.reached(), progress.waits_since()),
            (Some(19), Some(30))
        );
    }
}
