//! What routes share.

use tablewright::Store;
use tablewright_stream::Streams;

use crate::model::Todo;
use crate::rules::Retention;

/// The repositories, and what the settings say about tasks.
#[derive(Debug, Clone)]
pub struct App {
    pub(crate) todo: Todo,
    pub(crate) retention: Retention,
    /// Where the changes of tasks are told.
    pub(crate) streams: Option<Streams>,
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
        }
    }

    /// With the change streams of the tables, which [`App::keep_counts`] reads.
    #[must_use]
    pub fn with_streams(self, streams: Streams) -> Self {
        App {
            streams: Some(streams),
            ..self
        }
    }

    pub(crate) fn store(&self) -> &Store {
        self.todo.store()
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.store().now_millis().div_euclid(1000)
    }
}
