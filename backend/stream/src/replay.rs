//! Dead letters for which somebody asked, tried again.

use std::sync::Arc;

use tokio::sync::watch;

use crate::attempt::Work;
use crate::dead::NotFound;
use crate::error::StreamError;
use crate::handler::{Failure, Handler};
use crate::model::Replay;
use crate::record::Record;

/// What became of a record that was tried again.
enum Again {
    Handled,
    /// It failed so often, the last time so.
    Failed(u32, Failure),
    /// We were told to stop.
    Left,
}

impl<H: Handler> Work<H> {
    /// Tries dead letters again for which somebody asked, until there is none or it is told to stop. A wish is there until it has its outcome.
    pub(crate) async fn try_again(&self, told: &watch::Receiver<bool>) -> Result<(), StreamError> {
        loop {
            let asked = self.dead.replays(&self.consumer).await?;
            if asked.is_empty() {
                return Ok(());
            }
            for replay in asked {
                if !self.try_one(&replay, told).await? {
                    return Ok(());
                }
            }
        }
    }

    /// Tries one, and says whether it has its outcome.
    async fn try_one(
        &self,
        replay: &Replay,
        told: &watch::Receiver<bool>,
    ) -> Result<bool, StreamError> {
        let (name, dead, event_id) = (&self.consumer, &self.dead, &replay.event_id);
        let record = match dead.record(name, event_id).await {
            Ok(record) => Arc::new(record),
            Err(NotFound::Store(error)) => return Err(error.into()),
            Err(error) => {
                // It was forgotten since, or there is nothing in it to try.
                if !matches!(error, NotFound::NoLetter) {
                    tracing::error!(consumer = %name, event = %event_id, %error, "a dead letter cannot be tried again");
                }
                dead.drop_replay(replay).await?;
                return Ok(true);
            }
        };
        match self.again(&record, told).await {
            Again::Left => return Ok(false),
            Again::Handled => {
                match dead.forget(name, event_id).await {
                    Ok(()) | Err(NotFound::NoLetter) => {}
                    Err(error) => {
                        tracing::warn!(consumer = %name, event = %event_id, %error, "a dead letter was handled and is still there")
                    }
                }
                dead.drop_replay(replay).await?;
            }
            // Whoever reads in the letter that it was in vain may ask again at once.
            Again::Failed(failures, failure) => {
                dead.drop_replay(replay).await?;
                self.bury(&record, failures, &failure).await?;
            }
        }
        Ok(true)
    }

    /// Tries a record `attempts` times, whoever is at fault, and without waiting for its turn: whoever asked wants to know, and may ask again.
    async fn again(&self, record: &Arc<Record>, told: &watch::Receiver<bool>) -> Again {
        let goes_on = || !*told.borrow();
        let mut failures = 0;
        while goes_on() {
            let Err(failure) = self.once(record).await else {
                self.count_handled();
                return Again::Handled;
            };
            failures += 1;
            if failures >= self.options.attempts {
                return Again::Failed(failures, failure);
            }
            self.wait(failures, goes_on).await;
        }
        Again::Left
    }
}
