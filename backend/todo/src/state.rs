//! What routes share.

use std::time::Duration;

use tablewright::{Entity as _, Store};
use tablewright_lake::Place;
use tablewright_stream::Streams;

use crate::model::{Task, Todo};
use crate::rules::Retention;

/// The repositories, and what the settings say about tasks.
#[derive(Debug, Clone)]
pub struct App {
    pub(crate) todo: Todo,
    pub(crate) retention: Retention,
    /// Where the changes of tasks are told.
    pub(crate) streams: Option<Streams>,
    /// Where the data lake is, if there is to be one.
    pub(crate) lake: Option<Place>,
    /// Whether the address of a user is the one their issuer has verified.
    pub(crate) verified_addresses: bool,
    /// When a request that has no answer is given up.
    pub(crate) request_timeout: Duration,
}

impl App {
    /// On these repositories; completed tasks are forgotten after so many days, if any.
    pub fn new(todo: Todo, keep_completed_days: Option<u32>) -> Self {
        App {
            todo,
            retention: Retention {
                days: keep_completed_days,
            },
            streams: None,
            lake: None,
            verified_addresses: false,
            request_timeout: Duration::from_secs(30),
        }
    }

    /// With the change streams of the tables, which [`App::keep_counts`] and [`App::keep_lake`] read.
    #[must_use]
    pub fn with_streams(self, streams: Streams) -> Self {
        App {
            streams: Some(streams),
            ..self
        }
    }

    /// With a data lake, which [`App::keep_lake`] writes.
    #[must_use]
    pub fn with_lake(self, lake: Option<Place>) -> Self {
        App { lake, ..self }
    }

    /// The name of its table.
    pub fn table(&self) -> String {
        self.store().table_name(&Task::descriptor().table)
    }

    pub(crate) fn store(&self) -> &Store {
        self.todo.store()
    }

    /// How long a request may work, so that there is time left to answer what was done.
    pub(crate) fn time_to_work(&self) -> Duration {
        self.request_timeout / 3 * 2
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.store().now_millis().div_euclid(1000)
    }
}
