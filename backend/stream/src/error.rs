//! What can go wrong with a consumer as a whole.

use std::fmt;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;

/// What can go wrong with a consumer as a whole. What goes wrong with one record is a [`Failure`](crate::Failure).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// The table has no stream: its model says `stream = "new-and-old-images"`, and its tables are not up to date.
    NoStream {
        /// The table.
        table: String,
    },
    /// The streams cannot be read.
    Request {
        /// What was asked.
        operation: &'static str,
        /// What was answered.
        why: String,
    },
    /// What consumers remember cannot be read or written.
    Store(tablewright::Error),
}

impl StreamError {
    pub(crate) fn of(
        operation: &'static str,
        error: &(impl ProvideErrorMetadata + std::error::Error),
    ) -> Self {
        let code = error.code().unwrap_or("no answer");
        let why = match error.message() {
            Some(message) => format!("{code}: {message}"),
            None => format!("{code}: {error}"),
        };
        StreamError::Request { operation, why }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::NoStream { table } => write!(f, "the table {table} has no stream"),
            StreamError::Request { operation, why } => write!(f, "{operation} failed: {why}"),
            StreamError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {}

impl From<tablewright::Error> for StreamError {
    fn from(error: tablewright::Error) -> Self {
        StreamError::Store(error)
    }
}
