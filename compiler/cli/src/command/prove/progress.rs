//! How far a proof is, on a terminal; in a pipe, silence.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tablewright_prove::Step;

/// One line that is written over and over.
pub(super) struct Progress {
    name: String,
    shown: bool,
    last: Mutex<Option<(Step, Instant)>>,
}

impl Progress {
    pub(super) fn of(name: &str) -> Self {
        Progress {
            name: name.to_owned(),
            shown: io::stderr().is_terminal(),
            last: Mutex::new(None),
        }
    }

    /// Tells a new step at once, and how far it is ten times a second at most.
    pub(super) fn tell(&self, step: Step, done: u64, of: u64) {
        if !self.shown {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let recently = |(told, at): (Step, Instant)| {
            told == step && now.duration_since(at) < Duration::from_millis(100)
        };
        if last.is_some_and(recently) {
            return;
        }
        *last = Some((step, now));
        let percent = done.saturating_mul(100) / of.max(1);
        let (name, step) = (&self.name, step.as_str());
        // Where it cannot be written there is nobody to tell.
        let _ = write!(io::stderr(), "\r\u{1b}[2K{name}: {step} {percent} %");
        let _ = io::stderr().flush();
    }

    /// Takes the line away again.
    pub(super) fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[2K");
            let _ = io::stderr().flush();
        }
    }
}
