//! The shards that were seen, and when it is worth to look for others.

use std::time::{Duration, Instant};

use crate::error::StreamError;
use crate::model::Lease;
use crate::source::{Shard, Source};

/// How long nobody looks where nothing has ended. Shards come from shards that end, and those who read them say so in their leases: this is for what nobody thought of.
const SELDOM: Duration = Duration::from_secs(60);

/// The shards of the streams as they were when they were last looked at.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    shards: Vec<Shard>,
    looked: Option<Looked>,
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
    ) -> Result<(), StreamError> {
        let ended = leases.iter().filter(|lease| is_read(lease)).count();
        if self.is_worth_it(ended, leases.len(), Instant::now()) {
            self.shards = source.shards().await?;
            let at = Instant::now();
            self.looked = Some(Looked { at, ended });
        }
        Ok(())
    }

    fn is_worth_it(&self, ended: usize, leases: usize, now: Instant) -> bool {
        let Some(looked) = &self.looked else {
            return true;
        };
        // Where all have ended, their children are still to come.
        let none_is_open = ended == leases;
        none_is_open || ended != looked.ended || now.saturating_duration_since(looked.at) >= SELDOM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_for_shards_when_one_has_ended_and_else_seldom() {
        let (mut seen, now) = (Seen::default(), Instant::now());
        assert!(seen.is_worth_it(0, 0, now), "never looked");
        seen.looked = Some(Looked { at: now, ended: 1 });
        let later = now + Duration::from_secs(59);
        assert!(!seen.is_worth_it(1, 3, later));
        assert!(seen.is_worth_it(2, 3, later), "another has ended");
        assert!(seen.is_worth_it(1, 1, later), "none is open");
        assert!(seen.is_worth_it(1, 3, now + SELDOM));
        seen.is_doubtful();
        assert!(seen.is_worth_it(1, 3, later), "a reader has stopped");
    }
}
