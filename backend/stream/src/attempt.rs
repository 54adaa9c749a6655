//! One record, tried until it is handled or dead.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tablewright::Store;
use tablewright::descriptor::Table;
use tokio::time::timeout;

use crate::dead::DeadLetters;
use crate::going::Going;
use crate::handler::{Did, Failure, Handler, Shard, Turn};
use crate::lag::Lag;
use crate::lanes::Lanes;
use crate::numbers;
use crate::options::{Options, Order};
use crate::progress::Progress;
use crate::record::{Came, Record, Unreadable};

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
    pub(crate) lag: Lag,
    pub(crate) progress: Progress,
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
    pub(crate) fn new(
        consumer: String,
        store: &Store,
        table: &'static Table,
        options: Options,
        handler: H,
    ) -> Self {
        numbers::begin(&consumer);
        Work {
            lag: Lag::new(&consumer),
            progress: Progress::new(store.now_millis()),
            consumer,
            handler,
            options,
            dead: DeadLetters::new(store),
            store: store.clone(),
            table,
        }
    }

    /// Tries what came until it is handled or dead, for as long as this process goes on.
    pub(crate) async fn through(&self, came: &Came, going: &Going, lanes: &Lanes) -> Ended {
        let record = match came {
            Came::Record(record) => record,
            Came::Unreadable(unreadable) => {
                let _lane = lanes.enter().await;
                return self.lay_aside(unreadable, going).await;
            }
            Came::Lost(lost) => return self.tell(&lost.of, going).await,
        };
        // Whoever has a turn may wait for a lane, and nobody who has a lane waits for a turn.
        let Some(_turn) = self.turn(record, || going.waits()).await else {
            return Ended::Left;
        };
        let mut lane = Some(lanes.enter().await);
        let before = lanes.passed();
        let mut failures = 0;
        while going.tries().await {
            let failure = match self.once(record).await {
                Ok(did) => {
                    if did == Did::Something {
                        lanes.pass();
                    }
                    self.count_handled();
                    return Ended::Handled;
                }
                Err(failure) => failure,
            };
            failures += 1;
            let passed = lanes.passed() - before;
            if self.gives_up(record, &failure, failures, passed) {
                match self.bury(record, failures, &failure).await {
                    Ok(()) => return Ended::Dead,
                    Err(error) => {
                        tracing::error!(consumer = %self.consumer, event = %record.event_id, %error, "a dead letter cannot be kept")
                    }
                }
            }
            // Where there is no place aside, it keeps its lane while it waits. Then it is the others' turn.
            let aside = lanes.aside();
            lane = lane.filter(|_| aside.is_none());
            self.wait(failures, || going.waits()).await;
            drop(lane);
            lane = Some(lanes.enter().await);
            if !going.waits() {
                break;
            }
        }
        Ended::Left
    }

    /// Tries records that are taken together until they are handled or dead, for as long as this process goes on. What cannot be read becomes a dead letter by itself. Before that the handler is told: they will not come again among the others.
    pub(crate) async fn all_through(&self, shard: &Shard, all: &[Came], going: &Going) -> Ended {
        let mut records = Vec::with_capacity(all.len());
        for came in all {
            if let Came::Record(record) = came {
                records.push(Arc::clone(record));
            } else if self.tell(shard, going).await == Ended::Left {
                return Ended::Left;
            }
            if let Came::Unreadable(unreadable) = came
                && self.lay_aside(unreadable, going).await == Ended::Left
            {
                return Ended::Left;
            }
        }
        let Some(oldest) = records.first() else {
            return Ended::Dead;
        };
        let mut failures = 0;
        while going.tries().await {
            let Err(failure) = self.together(shard, &records).await else {
                return Ended::Handled;
            };
            tracing::warn!(consumer = %self.consumer, first = %oldest.event_id, records = records.len(), %failure, "records were not handled");
            failures += 1;
            if self.gives_up(oldest, &failure, failures, 0) && self.tell_once(shard).await.is_ok() {
                match self.bury_all(&records, failures, &failure).await {
                    Ok(()) => return Ended::Dead,
                    Err(error) => {
                        tracing::error!(consumer = %self.consumer, %error, "dead letters cannot be kept")
                    }
                }
            }
            self.wait(failures, || going.waits()).await;
            if !going.waits() {
                break;
            }
        }
        Ended::Left
    }

    /// Tries records that are taken together, once. A handler that panics has failed.
    pub(crate) async fn together(
        &self,
        shard: &Shard,
        records: &[Arc<Record>],
    ) -> Result<(), Failure> {
        let handled = AssertUnwindSafe(self.handler.handle_all(shard, records)).catch_unwind();
        let done = handled.await.unwrap_or_else(|panic| Err(panicked(&*panic)));
        match &done {
            Ok(()) => records.iter().for_each(|_| self.count_handled()),
            Err(_) => numbers::failure(&self.consumer),
        }
        done
    }

    pub(crate) async fn bury_all(
        &self,
        records: &[Arc<Record>],
        failures: u32,
        failure: &Failure,
    ) -> Result<(), tablewright::Error> {
        for record in records {
            self.bury(record, failures, failure).await?;
        }
        Ok(())
    }

    /// Tells the handler that changes are lost, until it has noted that.
    async fn tell(&self, shard: &Shard, going: &Going) -> Ended {
        let mut failures = 0;
        while going.tries().await {
            if self.tell_once(shard).await.is_ok() {
                return Ended::Handled;
            }
            failures += 1;
            self.wait(failures, || going.waits()).await;
            if !going.waits() {
                break;
            }
        }
        Ended::Left
    }

    /// Tells the handler that changes of a shard are lost, once. One that panics has failed.
    pub(crate) async fn tell_once(&self, shard: &Shard) -> Result<(), Failure> {
        let told = AssertUnwindSafe(self.handler.lost(shard)).catch_unwind();
        let told = told.await.unwrap_or_else(|panic| Err(panicked(&*panic)));
        told.inspect_err(|failure| {
            numbers::failure(&self.consumer);
            tracing::error!(consumer = %self.consumer, shard = %shard.shard, %failure, "that changes were lost could not be noted");
        })
    }

    /// Keeps what cannot be read as a dead letter.
    async fn lay_aside(&self, unreadable: &Unreadable, going: &Going) -> Ended {
        let mut failures = 0;
        while going.tries().await {
            if self.keep_unreadable(unreadable).await.is_ok() {
                return Ended::Dead;
            }
            failures += 1;
            self.wait(failures, || going.waits()).await;
        }
        Ended::Left
    }

    /// Keeps what cannot be read as a dead letter, once.
    pub(crate) async fn keep_unreadable(
        &self,
        unreadable: &Unreadable,
    ) -> Result<(), tablewright::Error> {
        let kept = Box::pin(self.dead.keep_unreadable(&self.consumer, unreadable)).await;
        match &kept {
            Ok(()) => {
                self.tell_dead(&unreadable.event_id, &unreadable.why);
            }
            Err(error) => {
                tracing::error!(consumer = %self.consumer, event = %unreadable.event_id, %error, "a dead letter cannot be kept");
            }
        }
        kept
    }

    pub(crate) fn count_handled(&self) {
        numbers::record(&self.consumer, "handled");
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
    pub(crate) async fn wait(&self, failures: u32, goes_on: impl Fn() -> bool) {
        let mut left = self.options.wait(failures);
        while goes_on() && !left.is_zero() {
            let step = left.min(STEP);
            tokio::time::sleep(step).await;
            left -= step;
        }
    }

    /// Waits for the turn of a record; none when it is not worth waiting any longer. Of a handler that panics it is always the turn.
    pub(crate) async fn turn(
        &self,
        record: &Arc<Record>,
        goes_on: impl Fn() -> bool,
    ) -> Option<Turn> {
        let turn = AssertUnwindSafe(self.handler.turn(Arc::clone(record))).catch_unwind();
        let mut turn = pin!(turn);
        loop {
            match timeout(STEP, &mut turn).await {
                Ok(turn) => return Some(turn.unwrap_or_default()),
                Err(_) if goes_on() => {}
                Err(_) => return None,
            }
        }
    }

    /// Tries a record. A handler that panics has failed.
    pub(crate) async fn once(&self, record: &Arc<Record>) -> Result<Did, Failure> {
        let handled = AssertUnwindSafe(self.handler.attempt(Arc::clone(record))).catch_unwind();
        let done = handled.await.unwrap_or_else(|panic| Err(panicked(&*panic)));
        done.inspect_err(|failure| {
            numbers::failure(&self.consumer);
            tracing::warn!(consumer = %self.consumer, event = %record.event_id, %failure, "a record was not handled");
        })
    }

    /// Whether a record becomes a dead letter. The world cannot be against one past which so many others came through.
    pub(crate) fn gives_up(
        &self,
        record: &Record,
        failure: &Failure,
        failures: u32,
        passed: u64,
    ) -> bool {
        match failure {
            Failure::Record(_) => failures >= self.options.attempts,
            Failure::World(_) => {
                let is_old = i128::from(self.age(record)) > self.options.oldest.as_millis() as i128;
                is_old || passed > self.options.passed
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
        // It seldom happens, and would make the future of every record larger.
        Box::pin(self.dead.keep(&self.consumer, record, failures, &why)).await?;
        self.tell_dead(&record.event_id, &why);
        Ok(())
    }

    /// Counts and logs a dead letter. Where nobody reads the counters, as of a function, an alarm goes by the message, word for word: `infrastructure/src/watch.ts`.
    fn tell_dead(&self, event: &str, why: &str) {
        numbers::record(&self.consumer, "dead");
        tracing::error!(consumer = %self.consumer, event, why, "a record is a dead letter now");
    }

    /// How long ago a record happened, in milliseconds.
    pub(crate) fn age(&self, record: &Record) -> i64 {
        self.store.now_millis().saturating_sub(record.happened)
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let why = panic.downcast_ref::<&str>().map(|why| (*why).to_owned());
    let why = why.or_else(|| panic.downcast_ref::<String>().cloned());
    let why = why.unwrap_or_else(|| String::from("it panicked"));
    Failure::Record(format!("the handler panicked: {why}"))
}
