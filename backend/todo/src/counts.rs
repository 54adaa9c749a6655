//! The counts of tasks that time deletes: `keep_completed_days` makes DynamoDB delete completed tasks, and only the change stream tells of it.

use std::time::Duration;

use tablewright::Entity as _;
use tablewright_stream::{Consumer, CountOut, Function, LambdaConsumer, Options};

use crate::model::Task;
use crate::state::App;

/// The name of the consumer, by which it goes on where it was.
const CONSUMER: &str = "todo-counts";

/// How long to wait before asking again where there was nothing. Deletion by time is late by minutes at best.
const POLL: Duration = Duration::from_secs(1);

impl App {
    /// Takes tasks that time deletes off the counts (C0-19), until `stop`. It runs whether or not tasks are forgotten now: those that were
    /// completed while they were are still deleted. Processes share the work; a service without it serves all the same.
    pub async fn keep_counts(&self, stop: impl Future<Output = ()>) {
        let Some(streams) = self.streams.clone() else {
            return;
        };
        let mut options = Options::default();
        options.poll = POLL;
        let (store, table) = (self.store(), &Task::descriptor().table);
        let consumer = Consumer::new(CONSUMER, store, streams, table, options, self.counts());
        consumer.run_when_possible(stop).await;
    }

    /// The same as a function of AWS Lambda.
    pub(crate) fn counts_as_function(&self) -> Function {
        let (store, table) = (self.store(), &Task::descriptor().table);
        let options = Options::default();
        LambdaConsumer::new(CONSUMER, store, table, options, self.counts()).into_function()
    }

    fn counts(&self) -> CountOut {
        CountOut::new(CONSUMER, self.store()).of::<Task>()
    }
}
