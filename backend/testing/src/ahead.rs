//! Time that a test lets pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tablewright::{Clock, SystemClock};

/// The machine's clock, put forward as a test likes.
#[derive(Debug, Clone, Default)]
pub struct Ahead(Arc<AtomicI64>);

impl Ahead {
    /// Puts it forward, for everybody who has it.
    pub fn by_seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// Puts it forward to the next full hour: what is counted by the hour is then counted in one.
    pub fn to_a_full_hour(&self) {
        const HOUR: i64 = 3_600_000;
        let left = HOUR - self.now_millis().rem_euclid(HOUR);
        self.0.fetch_add(left, Ordering::SeqCst);
    }
}

impl Clock for Ahead {
    fn now_millis(&self) -> i64 {
        SystemClock.now_millis() + self.0.load(Ordering::SeqCst)
    }
}
