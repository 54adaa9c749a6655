//! Numbers stay right when time deletes what they count.

use std::sync::Arc;

use tablewright::{Counted, Entity, Store};

use crate::handler::{Failure, Handler};
use crate::model::Handled;
use crate::record::{Cause, Record};

/// How long it is remembered that a record was handled, in seconds: a stream keeps records for a day, dead letters may be tried again later.
const REMEMBERED: i64 = 30 * 24 * 60 * 60;

/// A handler that takes what time has deleted off the numbers that count it: the counters of the model. A write that deletes an item
/// lowers them in its own transaction; DynamoDB's deletion of an item whose time has passed is no write of anybody's, and the stream
/// alone tells of it. Each is taken off once, however often it comes: the numbers and the event's id are written in one transaction. And it is
/// taken off who counted it: who has taken their place since, under the same key, is left alone.
///
/// ```no_run
/// # use tablewright::{Entity as _, Store};
/// # use tablewright_stream::{Consumer, CountOut, Options};
/// # async fn example(store: Store, streams: aws_sdk_dynamodbstreams::Client) -> Result<(), tablewright_stream::StreamError> {
/// use todo::model::Task;
///
/// let handler = CountOut::new("todo-counts", &store).of::<Task>();
/// let table = &Task::descriptor().table;
/// let consumer = Consumer::new("todo-counts", &store, streams, table, Options::default(), handler);
/// consumer.run(std::future::pending()).await
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CountOut {
    consumer: String,
    store: Store,
    counted: Vec<Counted>,
}

impl CountOut {
    /// For a consumer of this name; it counts nothing yet.
    pub fn new(consumer: impl Into<String>, store: &Store) -> Self {
        CountOut {
            consumer: consumer.into(),
            store: store.clone(),
            counted: Vec::new(),
        }
    }

    /// Items of this entity too.
    #[must_use]
    pub fn of<T: Entity>(mut self) -> Self {
        self.counted.push(Counted::of::<T>());
        self
    }
}

impl Handler for CountOut {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        if record.cause != Cause::TimeToLive {
            return Ok(());
        }
        let gone = record.before.as_ref().ok_or_else(|| {
            let why = "the stream does not show what was deleted: the table needs `stream = \"new-and-old-images\"`";
            Failure::Record(why.to_owned())
        })?;
        let now = self.store.now_millis().div_euclid(1000);
        let handled = Handled {
            consumer: self.consumer.clone(),
            event_id: record.event_id.clone(),
            ttl: now.saturating_add(REMEMBERED),
        };
        self.store
            .count_out(&self.counted, gone, record.happened, &handled)
            .await?;
        Ok(())
    }
}
