//! How far behind a consumer is: by the oldest record it has not handled, of all shards this process reads.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use crate::numbers;
use crate::source::ShardId;

/// The oldest record of each shard that is not handled, by when it happened.
#[derive(Debug)]
pub(crate) struct Lag {
    consumer: String,
    oldest: Mutex<HashMap<ShardId, i64>>,
}

impl Lag {
    pub(crate) fn new(consumer: &str) -> Self {
        Lag {
            consumer: consumer.to_owned(),
            oldest: Mutex::default(),
        }
    }

    /// Notes when the oldest record of a shard happened that is not handled; none when all are. To be said again now and then: it grows by itself.
    pub(crate) fn note(&self, shard: &ShardId, oldest: Option<i64>, now: i64) {
        let mut all = self.all();
        match oldest {
            Some(happened) => match all.get_mut(shard) {
                Some(known) => *known = happened,
                None => drop(all.insert(shard.clone(), happened)),
            },
            None => drop(all.remove(shard)),
        }
        let oldest = all.values().min().copied();
        numbers::lag(&self.consumer, oldest.map_or(0, |oldest| now - oldest));
    }

    fn all(&self) -> MutexGuard<'_, HashMap<ShardId, i64>> {
        self.oldest
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
