//! The same handlers under AWS Lambda, which reads the stream itself.

use std::sync::Arc;

use serde_json::{Value, json};
use tablewright::Store;
use tablewright::descriptor::Table;

use crate::attempt::Work;
use crate::handler::{Failure, Handler};
use crate::numbers;
use crate::options::Options;
use crate::record::{NotARecord, Record};

/// Handles the events AWS Lambda makes of a stream. The trigger has `ReportBatchItemFailures`: what is not handled comes again, and
/// all after it.
#[derive(Debug)]
pub struct LambdaConsumer<H> {
    work: Work<H>,
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
        }
    }

    /// Handles an event, and says which record was not handled.
    ///
    /// # Errors
    /// [`NotARecord`] when it is no event of this table's stream: then Lambda sends it again, and in the end to its destination for failures.
    pub async fn handle(&self, event: &Value) -> Result<Value, NotARecord> {
        let records = event["Records"].as_array();
        let records = records.ok_or_else(|| NotARecord(String::from("there are no `Records`")))?;
        let records: Result<Vec<Record>, NotARecord> =
            records.iter().map(|record| self.read(record)).collect();
        for record in records? {
            let record = Arc::new(record);
            if !self.through(&record).await {
                return Ok(json!({ "batchItemFailures": [{ "itemIdentifier": record.sequence }] }));
            }
        }
        Ok(json!({ "batchItemFailures": [] }))
    }

    fn read(&self, record: &Value) -> Result<Record, NotARecord> {
        let source = record["eventSourceARN"].as_str().unwrap_or_default();
        let table = self.work.store.table_name(self.work.table);
        if source.split('/').nth(1) != Some(&table) {
            return Err(NotARecord(format!(
                "it is of `{source}`, not of the table {table}"
            )));
        }
        Record::of_lambda(&self.work.table.name, record)
    }

    /// Whether the next record may come. What the world is against is for Lambda to send again: waiting here costs money.
    async fn through(&self, record: &Arc<Record>) -> bool {
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
        }
    }
}
