//! Whether a process goes on with a shard.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::lease::Held;

/// How often it is looked whether a lease that had run out is good again.
const STEP: Duration = Duration::from_millis(20);

/// Whether a process goes on with a shard.
#[derive(Debug)]
pub(crate) struct Going {
    pub(crate) held: Held,
    stop: watch::Receiver<bool>,
    is_leaving: AtomicBool,
    is_gone: AtomicBool,
}

impl Going {
    pub(crate) fn new(held: Held, stop: watch::Receiver<bool>) -> Self {
        Going {
            held,
            stop,
            is_leaving: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
        }
    }

    /// Another process is to have the shard: what was read is tried, and what fails is left to it.
    pub(crate) fn leave(&self) {
        self.is_leaving.store(true, Ordering::Release);
    }

    /// Another process has it: nothing more is begun.
    pub(crate) fn be_gone(&self) {
        self.is_gone.store(true, Ordering::Release);
    }

    /// Whether the next attempt may begin. A lease that has run out may be another's, and may be ours still: it is waited until the next sign of life
    /// has told which. Who gave it up instead would read all again, and on a machine that has little time never come to handle it.
    pub(crate) async fn tries(&self) -> bool {
        while !self.is_over() {
            if self.held.is_good() {
                return true;
            }
            tokio::time::sleep(STEP).await;
        }
        false
    }

    /// Whether it is worth waiting for another attempt.
    pub(crate) fn waits(&self) -> bool {
        !self.is_over() && !self.is_leaving.load(Ordering::Acquire)
    }

    fn is_over(&self) -> bool {
        *self.stop.borrow() || self.is_gone.load(Ordering::Acquire)
    }
}
