//! The consumer that writes bronze.

use std::sync::Arc;

use tablewright::Store;
use tablewright::descriptor::Table;
use tablewright_stream::{Failure, Handler, Record, Shard, Takes};

use crate::error::LakeError;
use crate::lake::Lake;

/// Writes what a table's change stream tells.
#[derive(Debug)]
pub(crate) struct Writer {
    lake: Lake,
    table: &'static Table,
    store: Store,
}

impl Writer {
    pub(crate) fn new(lake: &Lake, table: &'static Table, store: &Store) -> Self {
        Writer {
            lake: lake.clone(),
            table,
            store: store.clone(),
        }
    }
}

impl Handler for Writer {
    /// A single record has no place among the others: one that was laid aside is behind them, and silver without it.
    async fn handle(&self, _: Arc<Record>) -> Result<(), Failure> {
        let why = "a change that is not in bronze cannot be put there later; `tablewright lake rebuild` makes silver right without it";
        Err(Failure::Record(why.to_owned()))
    }

    fn takes(&self) -> Option<Takes> {
        let options = &self.lake.inner.options;
        Some(Takes {
            many: options.flush_many,
            bytes: options.flush_bytes,
            wait: options.flush_after,
        })
    }

    /// A file that cannot be written is never the fault of what is in it.
    async fn handle_all(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), Failure> {
        let written = self.lake.append(shard, records).await;
        self.lake.note_written(shard, records, written.is_ok());
        written.map_err(of_the_world)
    }

    /// Silver is right again when it was made from the table.
    async fn lost(&self, shard: &Shard) -> Result<(), Failure> {
        let (table, now) = (&self.table.name, self.store.now_millis());
        tracing::error!(%table, "changes are lost to the lake: its silver is made anew from the table");
        let noted = self.lake.change_identity(|identity| {
            identity.lose(table, now);
            identity.unbroken_since = Some(now);
        });
        noted.await.map_err(of_the_world)?;
        // What could not be written does not wait any more, and nothing may come after it in this shard.
        self.lake.note_written(shard, &[], true);
        Ok(())
    }
}

fn of_the_world(error: LakeError) -> Failure {
    Failure::World(error.to_string())
}
