//! One record, tried until it is handled or dead.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tablewright::Store;
use tablewright::descriptor::Table;

use crate::dead::DeadLetters;
use crate::handler::{Failure, Handler};
use crate::numbers;
use crate::options::{Options, Order};
use crate::record::Record;

const STEP: Duration = Duration::from_millis(50);

/// A consumer as the records meet it.
#[derive(Debug)]
pub(crate) struct Work<H> {
    pub(crate) consumer: String,
    pub(crate) handler: H,
    pub(crate) options: Options,
    pub(crate) dead: DeadLetters,
    pub(crate) store: Store,
    pub(crate) table: &'static Table,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Handled,
    Dead,
    /// Not for us to go on with.
    Left,
}

impl<H: Handler> Work<H> {
    /// Tries a record, for as long as `goes_on` says so.
    pub(crate) async fn through(&self, record: &Arc<Record>, goes_on: impl Fn() -> bool) -> Ended {
        let mut failures = 0;
        while goes_on() {
            let Err(failure) = self.once(record).await else {
                numbers::record(&self.consumer, "handled");
                numbers::lag(&self.consumer, self.age(record));
                return Ended::Handled;
            };
            failures += 1;
            if self.gives_up(record, &failure, failures) {
                match self.bury(record, failures, &failure).await {
                    Ok(()) => return Ended::Dead,
                    Err(error) => {
                        tracing::error!(consumer = %self.consumer, event = %record.event_id, %error, "a dead letter cannot be kept")
                    }
                }
            }
            self.wait(failures, &goes_on).await;
        }
        Ended::Left
    }

    /// What a record has in common with those it comes after.
    pub(crate) fn line(&self, record: &Record) -> String {
        match self.options.order {
            Order::Item => record.item(),
            Order::Partition => {
                let partition = record.keys.get(&self.table.partition_key.name);
                format!("{partition:?}")
            }
        }
    }

    /// Waits in small steps: whoever is told to stop does not sit out a long wait.
    async fn wait(&self, failures: u32, goes_on: impl Fn() -> bool) {
        let mut left = self.options.wait(failures);
        while goes_on() && !left.is_zero() {
            let step = left.min(STEP);
            tokio::time::sleep(step).await;
            left -= step;
        }
    }

    /// Tries a record. A handler that panics has failed.
    pub(crate) async fn once(&self, record: &Arc<Record>) -> Result<(), Failure> {
        let handled = AssertUnwindSafe(self.handler.handle(Arc::clone(record))).catch_unwind();
        let done = handled.await.unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<&str>().map(|why| (*why).to_owned());
            let why = why.or_else(|| panic.downcast_ref::<String>().cloned());
            let why = why.unwrap_or_else(|| String::from("it panicked"));
            Err(Failure::Record(format!("the handler panicked: {why}")))
        });
        done.inspect_err(|failure| {
            numbers::failure(&self.consumer);
            tracing::warn!(consumer = %self.consumer, event = %record.event_id, %failure, "a record was not handled");
        })
    }

    pub(crate) fn gives_up(&self, record: &Record, failure: &Failure, failures: u32) -> bool {
        match failure {
            Failure::Record(_) => failures >= self.options.attempts,
            Failure::World(_) => {
                i128::from(self.age(record)) > self.options.oldest.as_millis() as i128
            }
        }
    }

    pub(crate) async fn bury(
        &self,
        record: &Record,
        failures: u32,
        failure: &Failure,
    ) -> Result<(), tablewright::Error> {
        let why = failure.to_string();
        self.dead
            .keep(&self.consumer, record, failures, &why)
            .await?;
        numbers::record(&self.consumer, "dead");
        tracing::error!(consumer = %self.consumer, event = %record.event_id, %why, "a record is a dead letter now");
        Ok(())
    }

    /// How long ago a record happened, in milliseconds.
    fn age(&self, record: &Record) -> i64 {
        self.store.now_millis().saturating_sub(record.happened)
    }
}
