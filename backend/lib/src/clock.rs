//! What time it is. Tests bring their own.

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of time.
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// Milliseconds since 1970, UTC.
    fn now_millis(&self) -> i64;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_millis(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
    }
}
