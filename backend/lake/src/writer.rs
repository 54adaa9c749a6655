//! The consumer that writes bronze.

use std::sync::Arc;

use tablewright_stream::{Failure, Handler, Record, Shard, Takes};

use crate::lake::Lake;

/// Writes what a table's change stream tells.
#[derive(Debug)]
pub(crate) struct Writer(pub(crate) Lake);

impl Handler for Writer {
    /// A single record has no place among the others: one that was laid aside is behind them, and silver without it.
    async fn handle(&self, _: Arc<Record>) -> Result<(), Failure> {
        let why = "a change that is not in bronze cannot be put there later; `tablewright lake rebuild` makes silver right without it";
        Err(Failure::Record(why.to_owned()))
    }

    fn takes(&self) -> Option<Takes> {
        let options = &self.0.inner.options;
        Some(Takes {
            many: options.flush_many,
            bytes: options.flush_bytes,
            wait: options.flush_after,
        })
    }

    /// A file that cannot be written is never the fault of what is in it.
    async fn handle_all(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), Failure> {
        let written = self.0.append(shard, records).await;
        written.map_err(|error| Failure::World(error.to_string()))
    }
}
