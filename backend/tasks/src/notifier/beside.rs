//! What goes on beside the records of the stream: lines of mails that waited, and mails a server is slow with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// How many mails a server is slow with at once without others waiting for them.
const SLOW_AT_ONCE: usize = 8;

/// What goes on beside the records.
#[derive(Debug)]
pub(super) struct Beside {
    running: Mutex<Running>,
    slow: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Running {
    works: JoinSet<()>,
    /// Nothing more is begun.
    is_over: bool,
}

impl Default for Beside {
    fn default() -> Self {
        Beside {
            running: Mutex::default(),
            slow: Arc::new(Semaphore::new(SLOW_AT_ONCE)),
        }
    }
}

impl Beside {
    /// Begins some work; gives it back where nothing more is begun.
    pub(super) fn begin<W>(&self, work: W) -> Result<(), W>
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let mut running = self.running();
        if running.is_over {
            return Err(work);
        }
        while let Some(ended) = running.works.try_join_next() {
            tell_of_panic(ended);
        }
        running.works.spawn(work);
        Ok(())
    }

    /// A place for a mail the server is slow with, if there is one.
    pub(super) fn place_for_slow(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slow).try_acquire_owned().ok()
    }

    /// Waits until all that was begun has come to its end.
    pub(super) async fn all_ended(&self) {
        loop {
            let mut works = std::mem::take(&mut self.running().works);
            if works.is_empty() {
                return;
            }
            while let Some(ended) = works.join_next().await {
                tell_of_panic(ended);
            }
        }
    }

    /// Begins nothing more, and breaks off what has not come to its end after so long.
    pub(super) async fn end(&self, last: Duration) {
        self.running().is_over = true;
        if tokio::time::timeout(last, self.all_ended()).await.is_err() {
            tracing::warn!("mails are broken off that were on the wire for long");
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell_of_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "the sending of a mail broke off");
    }
}
