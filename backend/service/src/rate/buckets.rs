//! A bucket of requests for each caller, kept as one moment: when it is full again.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const SHARDS: usize = 16;

/// Callers in a shard: sixteen bytes each, so that all are about two megabytes.
const MOST: usize = 8192;

/// How many are forgotten at once, when all are in use.
const FORGOTTEN: usize = MOST / 8;

/// What became of a request for one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes { left: u32, full_in: Duration },
    No { wait: Duration, full_in: Duration },
}

#[derive(Debug)]
pub(super) struct Buckets {
    began: Instant,
    /// Nanoseconds until one more request is allowed.
    step: u64,
    burst: u32,
    hasher: RandomState,
    /// By the hash of the caller, whose key nobody outside knows: nanoseconds since the beginning when the bucket is full again.
    shards: Vec<Mutex<HashMap<u64, u64>>>,
}

impl Buckets {
    pub(super) fn new(per_second: u32, burst: u32) -> Self {
        Buckets {
            began: Instant::now(),
            step: 1_000_000_000 / u64::from(per_second.max(1)),
            burst: burst.max(1),
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    pub(super) fn take(&self, who: &impl Hash, now: Instant) -> Taken {
        let now = nanos(now.saturating_duration_since(self.began));
        let hash = self.hasher.hash_one(who);
        let shard = &self.shards[hash as usize % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let full = shard.get(&hash).copied().unwrap_or(0).max(now);
        let whole = self.step * u64::from(self.burst);
        let next = full + self.step;
        if next - now > whole {
            let wait = Duration::from_nanos(next - now - whole);
            let full_in = Duration::from_nanos(full - now);
            return Taken::No { wait, full_in };
        }
        if shard.len() >= MOST && !shard.contains_key(&hash) {
            make_room(&mut shard, now);
        }
        shard.insert(hash, next);
        let left = (whole - (next - now)) / self.step;
        Taken::Yes {
            left: u32::try_from(left).unwrap_or(u32::MAX),
            full_in: Duration::from_nanos(next - now),
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 4)
}

/// Forgets callers whose buckets are full: they are as new ones. If all are in use, those that asked least; an eighth of all,
/// so that it is seldom done however many callers a stranger makes up.
fn make_room(shard: &mut HashMap<u64, u64>, now: u64) {
    shard.retain(|_, full| *full > now);
    if shard.len() < MOST {
        return;
    }
    let mut moments: Vec<u64> = shard.values().copied().collect();
    let (_, least, _) = moments.select_nth_unstable(FORGOTTEN);
    let mut to_forget = FORGOTTEN;
    shard.retain(|_, full| {
        let forget = to_forget > 0 && *full <= *least;
        to_forget -= usize::from(forget);
        !forget
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(taken: Taken) -> Option<u32> {
        match taken {
            Taken::Yes { left, .. } => Some(left),
            Taken::No { .. } => None,
        }
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let buckets = Buckets::new(10, 3);
        let now = buckets.began;
        let ada = |after: u64| buckets.take(&"ada", now + Duration::from_millis(after));
        assert_eq!(
            [ada(0), ada(0), ada(0)].map(left),
            [Some(2), Some(1), Some(0)]
        );
        let wait = Duration::from_millis(100);
        let full_in = Duration::from_millis(300);
        assert_eq!(ada(0), Taken::No { wait, full_in });
        // Asking in vain costs nothing, and others are not touched.
        assert_eq!(left(buckets.take(&"bob", now)), Some(2));
        assert_eq!(left(ada(99)), None);
        assert_eq!(left(ada(100)), Some(0));
        assert_eq!(left(ada(101)), None);
        assert_eq!(left(ada(1000)), Some(2));
    }

    #[test]
    fn the_memory_is_bounded_however_many_ask() {
        let buckets = Buckets::new(1, 5);
        let now = buckets.began;
        for caller in 0..3 * SHARDS * MOST {
            assert_eq!(left(buckets.take(&caller, now)), Some(4));
        }
        let kept: usize = buckets
            .shards
            .iter()
            .map(|shard| shard.lock().unwrap().len())
            .sum();
        assert!(kept <= SHARDS * MOST, "{kept}");
        // Buckets that are full again make room first.
        let later = now + Duration::from_secs(3600);
        for caller in 0..100 {
            buckets.take(&format!("new {caller}"), later);
        }
        let kept: usize = buckets
            .shards
            .iter()
            .map(|shard| shard.lock().unwrap().len())
            .sum();
        assert!(kept < SHARDS * MOST, "{kept}");
    }
}
