//! One shard, read by this process.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use crate::attempt::Work;
use crate::batch::Batch;
use crate::handler::{Failure, Handler};
use crate::lease::{Held, Kept, NotKept};
use crate::numbers;
use crate::record::Record;
use crate::source::{NotRead, Position, ShardId, Source};

/// One shard, read by this process.
#[derive(Debug)]
pub(crate) struct ShardReader<H> {
    work: Arc<Work<H>>,
    source: Source,
    id: ShardId,
    held: Held,
    stop: watch::Receiver<bool>,
    /// Where to read on when there is no iterator.
    from: Position,
    /// What happened earlier is passed over.
    since: Option<i64>,
    iterator: Option<String>,
    /// There is nothing after what was read.
    is_last: bool,
    /// Up to where all is handled, if that is not written down yet.
    reached: Option<String>,
    failures: u32,
    last_sign: Instant,
    /// Another process is to have the shard.
    wanted: bool,
}

/// Why a reader stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The shard has been read to its end.
    Ended,
    /// Another process reads it now, or will.
    Gone,
    /// We were told to.
    Told,
}

impl<H: Handler> ShardReader<H> {
    pub(crate) fn new(
        work: Arc<Work<H>>,
        source: Source,
        id: ShardId,
        held: Held,
        (from, since): (Position, Option<i64>),
        stop: watch::Receiver<bool>,
    ) -> Self {
        ShardReader {
            work,
            source,
            id,
            held,
            stop,
            from,
            since,
            iterator: None,
            is_last: false,
            reached: None,
            failures: 0,
            last_sign: Instant::now(),
            wanted: false,
        }
    }

    /// Reads until there is a reason to stop, and lets go of the lease.
    pub(crate) async fn run(mut self) -> Stopped {
        let stopped = self.read().await;
        let reached = self.reached.as_deref();
        let last = match stopped {
            Stopped::Ended => self.held.end(reached).await,
            Stopped::Told | Stopped::Gone => self.held.release(reached).await,
        };
        // If it is unknown, whoever takes the shard reads again from the last checkpoint.
        if let Err(NotKept::Unknown(error)) = last {
            self.warn("a checkpoint could not be written", &error);
        }
        stopped
    }

    async fn read(&mut self) -> Stopped {
        loop {
            if *self.stop.borrow() {
                return Stopped::Told;
            }
            let batch = Batch::new(self.next().await);
            if let Some(stopped) = self.handle(&batch).await {
                return stopped;
            }
            if let Some(stopped) = self.give_a_sign(!batch.is_empty()).await {
                return stopped;
            }
            if self.is_last {
                return Stopped::Ended;
            }
            if batch.is_empty() {
                self.pause().await;
            }
        }
    }

    /// The next records, if there are any.
    async fn next(&mut self) -> Vec<Record> {
        match self.ask().await {
            Ok(records) => {
                self.failures = 0;
                records
            }
            Err(not_read) => {
                self.iterator = None;
                self.understand(not_read);
                Vec::new()
            }
        }
    }

    async fn ask(&mut self) -> Result<Vec<Record>, NotRead> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self.source.iterator(&self.id, &self.from).await?,
        };
        let read = self.source.records(&iterator).await?;
        let table = self.source.table();
        let mut records = Vec::with_capacity(read.records.len());
        for record in read.records {
            let record = Record::of_stream(table, record);
            records.push(record.map_err(|error| NotRead::Failed(error.to_string()))?);
        }
        records.retain(|record| self.since.is_none_or(|since| record.happened >= since));
        self.is_last = read.next.is_none();
        self.iterator = read.next;
        Ok(records)
    }

    fn understand(&mut self, not_read: NotRead) {
        match not_read {
            NotRead::Expired => {}
            NotRead::Gone => self.is_last = true,
            NotRead::Trimmed => {
                self.from = Position::Oldest;
                numbers::trimmed(&self.work.consumer);
                tracing::error!(consumer = %self.work.consumer, shard = %self.id.shard, "records were trimmed before they were read");
            }
            NotRead::Failed(why) => {
                self.failures = self.failures.saturating_add(1);
                self.warn("the stream cannot be read", &Failure::World(why));
            }
        }
    }

    /// Handles records, with signs of life if it takes long.
    async fn handle(&mut self, batch: &Batch) -> Option<Stopped> {
        if batch.is_empty() {
            return None;
        }
        let goes_on = || self.held.is_good() && !*self.stop.borrow();
        let mut work = pin!(batch.handle(&self.work, goes_on));
        loop {
            tokio::select! {
                () = &mut work => break,
                () = tokio::time::sleep(self.work.options.round()) => match self.held.keep(batch.reached()).await {
                    Ok(kept) => self.wanted |= kept == Kept::Wanted,
                    Err(NotKept::Lost) => return Some(Stopped::Gone),
                    Err(NotKept::Unknown(error)) => self.warn("a checkpoint could not be written", &error),
                },
            }
        }
        if let Some(reached) = batch.reached() {
            self.from = Position::After(reached.to_owned());
            self.reached = Some(reached.to_owned());
        }
        match (batch.is_through(), *self.stop.borrow()) {
            (true, _) => None,
            (false, true) => Some(Stopped::Told),
            (false, false) => Some(Stopped::Gone),
        }
    }

    /// Writes down how far all is handled, and that this process lives, when it is time.
    async fn give_a_sign(&mut self, is_news: bool) -> Option<Stopped> {
        if is_news || self.last_sign.elapsed() >= self.work.options.round() {
            match self.held.keep(self.reached.as_deref()).await {
                Ok(kept) => {
                    self.reached = None;
                    self.last_sign = Instant::now();
                    self.wanted |= kept == Kept::Wanted;
                }
                Err(NotKept::Lost) => return Some(Stopped::Gone),
                Err(NotKept::Unknown(error)) => {
                    self.warn("a checkpoint could not be written", &error);
                }
            }
        }
        (self.wanted || !self.held.is_good()).then_some(Stopped::Gone)
    }

    async fn pause(&mut self) {
        let pause = match self.failures {
            0 => {
                numbers::lag(&self.work.consumer, 0);
                self.work.options.poll
            }
            failures => self.work.options.wait(failures),
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = self.stop.changed() => {}
        }
    }

    fn warn(&self, what: &str, error: &dyn std::error::Error) {
        tracing::warn!(consumer = %self.work.consumer, shard = %self.id.shard, %error, "{what}");
    }
}
