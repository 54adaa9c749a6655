//! The same handlers under AWS Lambda, which reads the stream itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablewright::Store;
use tablewright::descriptor::Table;
use tokio::sync::{Semaphore, watch};

use crate::attempt::Work;
use crate::handler::{Failure, Handler, Shard};
use crate::model::Stream;
use crate::numbers;
use crate::options::Options;
use crate::reader::sign_in;
use crate::record::{Came, NotARecord, Record, Unreadable};
use crate::time_left::TimeLeft;

/// How often it is looked for dead letters that somebody wants tried again.
const LOOKS: Duration = Duration::from_secs(10);

/// Handles the events AWS Lambda makes of a stream. The trigger has `ReportBatchItemFailures`: what is not handled comes again, and
/// all after it.
///
/// A handler that [takes many at once](Handler::takes) is given all records of an event together, and must know their shard: its trigger has a tumbling window, without which
/// Lambda does not tell it.
#[derive(Debug)]
pub struct LambdaConsumer<H> {
    work: Work<H>,
    stream: Stream,
    /// When it was looked for wishes the last time; never before the consumer has signed in.
    looked: Mutex<Option<Instant>>,
    /// Where items come at the same time: how many.
    lanes: Option<Semaphore>,
}

impl<H: Handler> LambdaConsumer<H> {
    /// A consumer of a table's changes. Its dead letters are kept in `store`.
    pub fn new(
        name: impl Into<String>,
        store: &Store,
        table: &'static Table,
        options: Options,
        handler: H,
    ) -> Self {
        LambdaConsumer {
            work: Work::new(name.into(), store, table, options, handler),
            stream: Stream::new(store),
            looked: Mutex::default(),
            lanes: None,
        }
    }

    /// Handles the records of a call at the same time, as many as there are [lanes](Options::lanes), but for those of [one item](Options::order): what has a long time of it keeps
    /// others waiting only until the next call. Of a call in which one could not be handled, those after it come again, though they were.
    #[must_use]
    pub fn side_by_side(mut self) -> Self {
        self.lanes = Some(Semaphore::new(self.work.options.lanes.max(1)));
        self
    }

    /// Handles an event, and says which record was not handled. Then dead letters are tried again for which somebody asked: Lambda calls whenever something changes.
    ///
    /// # Errors
    /// [`NotARecord`] when it is no event of this table's stream: then Lambda sends it again, and in the end to its destination for failures.
    pub async fn handle(&self, event: &Value) -> Result<Value, NotARecord> {
        self.handle_in(event, &self.time_until(None)).await
    }

    /// As [`LambdaConsumer::handle`], answered before the moment at which Lambda ends the function. Nothing is begun that [may not end](Options::attempt) by then; what was not begun, and what
    /// was broken off, comes again.
    ///
    /// # Errors
    /// As [`LambdaConsumer::handle`].
    pub async fn handle_by(&self, event: &Value, deadline: Instant) -> Result<Value, NotARecord> {
        self.handle_in(event, &self.time_until(Some(deadline)))
            .await
    }

    fn time_until(&self, deadline: Option<Instant>) -> TimeLeft {
        TimeLeft::until(deadline, self.work.options.attempt)
    }

    async fn handle_in(&self, event: &Value, time: &TimeLeft) -> Result<Value, NotARecord> {
        let records = event["Records"].as_array();
        let records = records.ok_or_else(|| NotARecord(String::from("there are no `Records`")))?;
        let came: Result<Vec<Came>, NotARecord> =
            records.iter().map(|record| self.read(record)).collect();
        let came = came?;
        // Boxed, since a future of all that may happen is too deep for the compiler.
        let failed = match self.work.handler.takes() {
            None if self.lanes.is_some() => Box::pin(self.by_lines(&came, time)).await,
            None => Box::pin(self.one_by_one(came.iter().enumerate(), time))
                .await
                .map(|(_, came)| came),
            Some(_) if came.is_empty() => None,
            Some(_) => {
                let together = Box::pin(self.together(shard_of(event)?, &came, time));
                match time.for_as_long(together).await {
                    Some(true) => None,
                    Some(false) | None => came.first(),
                }
            }
        };
        let failures = match failed {
            Some(came) => json!([{ "itemIdentifier": came.sequence().unwrap_or_default() }]),
            None => {
                Box::pin(self.look_for_wishes(time)).await;
                json!([])
            }
        };
        let mut answer = json!({ "batchItemFailures": failures });
        // A trigger with a window wants its state back.
        if event["window"].is_object() {
            answer["state"] = json!({});
        }
        Ok(answer)
    }

    /// Handles one after another, and says which could not be handled, or not in time.
    async fn one_by_one<'c>(
        &self,
        all: impl Iterator<Item = (usize, &'c Came)>,
        time: &TimeLeft,
    ) -> Option<(usize, &'c Came)> {
        for (place, came) in all {
            // Of a function that may take no longer than one attempt, each call would else begin nothing.
            if place > 0 && !time.suffices() {
                return Some((place, came));
            }
            match time.for_as_long(self.through(came, time)).await {
                Some(true) => {}
                Some(false) => return Some((place, came)),
                None => {
                    tracing::warn!(consumer = %self.work.consumer, sequence = came.sequence(), "a record was not handled before the end of the call");
                    return Some((place, came));
                }
            }
        }
        None
    }

    /// Handles those of one line one after another, and the lines at the same time. Says which is the first that could not be handled, or not in time.
    async fn by_lines<'c>(&self, all: &'c [Came], time: &TimeLeft) -> Option<&'c Came> {
        let mut lines: BTreeMap<String, Vec<(usize, &'c Came)>> = BTreeMap::new();
        for (place, came) in all.iter().enumerate() {
            let line = match came {
                Came::Record(record) => self.work.line(record),
                // Its item is not known.
                Came::Unreadable(unreadable) => unreadable.event_id.clone(),
                Came::Lost(_) => continue,
            };
            lines.entry(line).or_default().push((place, came));
        }
        // The earliest begins first: what is left comes again from there.
        let mut lines: Vec<_> = lines.into_values().collect();
        lines.sort_by_key(|line| line.first().map(|(place, _)| *place));
        let each = lines
            .into_iter()
            .map(|line| self.one_by_one(line.into_iter(), time));
        let failed = futures_util::future::join_all(each).await;
        let first = failed.into_iter().flatten().min_by_key(|(place, _)| *place);
        first.map(|(_, came)| came)
    }

    /// Whether all are handled, by a handler that takes many of a shard at once.
    async fn together(&self, shard: Shard, all: &[Came], time: &TimeLeft) -> bool {
        let mut records = Vec::with_capacity(all.len());
        for came in all {
            match came {
                Came::Record(record) => records.push(Arc::clone(record)),
                Came::Unreadable(unreadable) => {
                    let told = self.work.tell_once(&shard).await;
                    if told.is_err() || self.work.keep_unreadable(unreadable).await.is_err() {
                        return false;
                    }
                }
                // No event tells it.
                Came::Lost(_) => {}
            }
        }
        let (Some(oldest), Some(last)) = (records.first(), records.last()) else {
            return true;
        };
        let mut failures = 0;
        while let Err(failure) = self.work.together(&shard, &records).await {
            tracing::warn!(consumer = %self.work.consumer, records = records.len(), %failure, "records were not handled");
            failures += 1;
            if self.work.gives_up(oldest, &failure, failures, 0) {
                if self.work.tell_once(&shard).await.is_err() {
                    return false;
                }
                let buried = self.work.bury_all(&records, failures, &failure).await;
                return buried.is_ok();
            }
            if matches!(failure, Failure::World(_)) {
                return false;
            }
            self.work.wait(failures, || time.suffices()).await;
            if !time.suffices() {
                return false;
            }
        }
        numbers::lag(&self.work.consumer, self.work.age(last));
        true
    }

    /// A record of this table; or one that cannot be read, if it is known which.
    fn read(&self, record: &Value) -> Result<Came, NotARecord> {
        let source = record["eventSourceARN"].as_str().unwrap_or_default();
        let table = self.work.store.table_name(self.work.table);
        if source.split('/').nth(1) != Some(&table) {
            return Err(NotARecord(format!(
                "it is of `{source}`, not of the table {table}"
            )));
        }
        let name = &self.work.table.name;
        match Record::of_lambda(name, record) {
            Ok(record) => Ok(Came::Record(Arc::new(record))),
            Err(why) => match Unreadable::of_lambda(name, record, &why) {
                Some(unreadable) => Ok(Came::Unreadable(Arc::new(unreadable))),
                None => Err(why),
            },
        }
    }

    /// Whether the next record may come. What the world is against is for Lambda to send again: waiting for it here costs money.
    async fn through(&self, came: &Came, time: &TimeLeft) -> bool {
        let record = match came {
            Came::Record(record) => record,
            Came::Unreadable(unreadable) => {
                return self.work.keep_unreadable(unreadable).await.is_ok();
            }
            Came::Lost(_) => return true,
        };
        let had_time = time.suffices();
        let _turn = self.work.turn(record, || true).await;
        // Whoever waits for a turn has no lane; nobody closes them.
        let _lane = match &self.lanes {
            Some(lanes) => lanes.acquire().await.ok(),
            None => None,
        };
        if had_time && !time.suffices() {
            return false;
        }
        let mut failures = 0;
        loop {
            let Err(failure) = self.work.once(record).await else {
                self.work.count_handled();
                numbers::lag(&self.work.consumer, self.work.age(record));
                return true;
            };
            failures += 1;
            if self.work.gives_up(record, &failure, failures, 0) {
                return self.work.bury(record, failures, &failure).await.is_ok();
            }
            if matches!(failure, Failure::World(_)) {
                numbers::lag(&self.work.consumer, self.work.age(record));
                return false;
            }
            self.work.wait(failures, || time.suffices()).await;
            if !time.suffices() {
                return false;
            }
        }
    }

    /// Signs in, so that the commands know of this consumer and its letters, and tries again what somebody wants tried again.
    async fn look_for_wishes(&self, time: &TimeLeft) {
        if !time.suffices() {
            return;
        }
        let before = {
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            if looked.is_some_and(|looked| looked.elapsed() < LOOKS) {
                return;
            }
            looked.replace(Instant::now())
        };
        let name = &self.work.consumer;
        if before.is_none()
            && let Err(error) = sign_in(&self.stream, &self.work.store, name, self.work.table).await
        {
            tracing::warn!(consumer = %name, %error, "a consumer could not sign in");
            *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = None;
            return;
        }
        let (tell, told) = watch::channel(false);
        let mut trying = Box::pin(self.work.try_again(&told));
        let tried = tokio::select! {
            tried = &mut trying => Some(tried),
            // What was begun may end; the next is not begun, and the wish stays.
            () = time.runs_out() => {
                tell.send_replace(true);
                time.for_as_long(trying).await
            }
        };
        if let Some(Err(error)) = tried {
            tracing::warn!(consumer = %name, %error, "dead letters cannot be tried again");
        }
    }
}

/// The shard of an event.
fn shard_of(event: &Value) -> Result<Shard, NotARecord> {
    let shard = event["shardId"].as_str();
    let stream = event["eventSourceARN"].as_str();
    let stream = stream.or_else(|| event["Records"][0]["eventSourceARN"].as_str());
    let (Some(shard), Some(stream)) = (shard, stream) else {
        let why = "the event does not say of which shard it is: give the trigger a tumbling window";
        return Err(NotARecord(String::from(why)));
    };
    Ok(Shard {
        stream: stream.to_owned(),
        shard: shard.to_owned(),
    })
}
