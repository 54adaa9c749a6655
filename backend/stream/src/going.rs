//! Whether a process goes on with a shard.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use crate::lease::Held;

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

    /// Whether the next attempt may begin.
    pub(crate) fn tries(&self) -> bool {
        self.held.is_good() && !*self.stop.borrow() && !self.is_gone.load(Ordering::Acquire)
    }

    /// Whether it is worth waiting for another attempt.
    pub(crate) fn waits(&self) -> bool {
        self.tries() && !self.is_leaving.load(Ordering::Acquire)
    }
}
