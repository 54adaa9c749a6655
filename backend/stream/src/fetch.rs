//! Reads the records of one shard, ahead of those who handle them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tablewright::Store;
use tokio::sync::mpsc;

use crate::numbers;
use crate::options::Options;
use crate::record::{Came, Lost, NotARecord, Record, Unreadable};
use crate::source::{NotRead, Position, ShardId, Source};

/// How many records are read at first. What is read is for naught if the lease is lost before it is handled: on a machine that has little time a thousand might
/// never be.
pub(crate) const FIRST: i32 = 64;

/// After how many answers without a record nothing more is there. One does not say it: each goes on by a part of the shard only, and the next part may have some.
const EMPTY: u32 = 5;

/// How many records are given at once.
const MOST: i32 = 1000;

/// Reads the records of one shard.
#[derive(Debug)]
pub(crate) struct Fetcher {
    pub(crate) consumer: String,
    pub(crate) options: Options,
    pub(crate) store: Store,
    pub(crate) source: Source,
    pub(crate) id: ShardId,
    /// Where to read on when there is no iterator.
    pub(crate) from: Position,
    /// What happened earlier is passed over.
    pub(crate) since: Option<i64>,
    /// Since when the shard cannot be read, in milliseconds since 1970; 0 when it can.
    pub(crate) failing_since: Arc<AtomicI64>,
    /// When it was last asked and nothing more was there, as far as some answers without a record tell, in milliseconds since 1970; 0 when it never was. What was read before has been taken by then.
    pub(crate) nothing_since: Arc<AtomicI64>,
    /// How many of the last answers had no record.
    pub(crate) empty: u32,
    pub(crate) iterator: Option<String>,
    /// How many records to read at once: twice as many after each time.
    pub(crate) most: i32,
    pub(crate) failures: u32,
}

/// What was read.
enum Next {
    Records(Vec<Came>),
    /// There is nothing after it.
    Last(Vec<Came>),
    /// What was to be read is gone, and there is something after it.
    Lost(Came),
    Nothing,
}

impl Fetcher {
    /// Reads to the end of the shard, or for as long as somebody takes what is read.
    pub(crate) async fn run(mut self, to: mpsc::Sender<Vec<Came>>) {
        while let Ok(room) = to.reserve().await {
            match self.next().await {
                Next::Records(records) => {
                    room.send(records);
                    continue;
                }
                Next::Last(records) => return room.send(records),
                Next::Lost(lost) => room.send(vec![lost]),
                Next::Nothing => drop(room),
            }
            let pause = match self.failures {
                0 => self.options.poll,
                failures => self.options.wait(failures),
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn next(&mut self) -> Next {
        // Where nothing says up to where it was read, the oldest there is may go between two requests.
        let asks_for_oldest = self.iterator.is_none() && self.from == Position::Oldest;
        match self.ask().await {
            Ok(next) => {
                self.failures = 0;
                self.failing_since.store(0, Ordering::Relaxed);
                next
            }
            Err(not_read) => {
                self.iterator = None;
                self.empty = 0;
                self.understand(match not_read {
                    NotRead::Trimmed if asks_for_oldest => {
                        NotRead::Failed("what was oldest went before it was read".to_owned())
                    }
                    not_read => not_read,
                })
            }
        }
    }

    async fn ask(&mut self) -> Result<Next, NotRead> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self.source.iterator(&self.id, &self.from).await?,
        };
        let now = self.store.now_millis();
        let read = self.source.records(&iterator, self.most).await?;
        if read.records.is_empty() {
            self.empty = self.empty.saturating_add(1);
            if self.empty >= EMPTY && read.next.is_some() {
                self.nothing_since.store(now, Ordering::Release);
            }
        } else {
            self.empty = 0;
            self.most = self.most.saturating_mul(2).min(MOST);
        }
        let table = self.source.table();
        let mut records = Vec::with_capacity(read.records.len());
        for record in read.records {
            let why = match Record::of_stream(table, record.clone()) {
                Ok(record) => {
                    records.push(Came::Record(Arc::new(record)));
                    continue;
                }
                Err(NotARecord(why)) => why,
            };
            let unreadable = Unreadable::new(table, &self.id.shard, &record, why);
            records.push(Came::Unreadable(Arc::new(unreadable)));
        }
        if let Some(last) = records.iter().rev().find_map(Came::position) {
            self.from = last;
        }
        records.retain(|record| self.since.is_none_or(|since| record.happened() >= since));
        self.iterator = read.next;
        Ok(match (self.iterator.is_none(), records.is_empty()) {
            (true, _) => Next::Last(records),
            (false, true) => Next::Nothing,
            (false, false) => Next::Records(records),
        })
    }

    fn understand(&mut self, not_read: NotRead) -> Next {
        match not_read {
            NotRead::Expired => {}
            NotRead::Gone => {
                numbers::lost(&self.consumer, &self.id.shard);
                return Next::Last(vec![self.lost()]);
            }
            NotRead::Trimmed => {
                self.from = Position::Oldest;
                numbers::trimmed(&self.consumer);
                tracing::error!(consumer = %self.consumer, shard = %self.id.shard, "records were trimmed before they were read");
                return Next::Lost(self.lost());
            }
            NotRead::Failed(why) => {
                self.failures = self.failures.saturating_add(1);
                let now = self.store.now_millis();
                let _ = self.failing_since.compare_exchange(
                    0,
                    now,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                );
                tracing::warn!(consumer = %self.consumer, shard = %self.id.shard, %why, "the stream cannot be read");
            }
        }
        Next::Nothing
    }

    fn lost(&self) -> Came {
        Came::Lost(Lost {
            of: self.id.told(),
            seen: self.store.now_millis(),
        })
    }
}
