//! What Amazon DynamoDB does by itself, on a schedule.

use std::sync::Weak;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::MissedTickBehavior;

use crate::engine::Inner;

/// How often expired items and old stream records are removed, unless told otherwise.
pub(crate) const INTERVAL: Duration = Duration::from_secs(60);

/// A schedule that ends with this value.
#[derive(Debug)]
pub(crate) struct Schedule(AbortHandle);

impl Schedule {
    /// Begins at once. The task keeps nothing alive: it holds the engine only while it works.
    pub(crate) fn start(engine: Weak<Inner>, interval: Duration) -> Self {
        let task: JoinHandle<()> = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                let work = tokio::task::spawn_blocking(move || engine.upkeep());
                if let Err(error) = work.await {
                    tracing::error!(%error, "upkeep of the embedded engine failed");
                }
            }
        });
        Schedule(task.abort_handle())
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.0.abort();
    }
}
