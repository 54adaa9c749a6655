//! What there is of a table, and when it can be used.

use std::time::Duration;

use aws_sdk_dynamodb::types::{IndexStatus, TableDescription, TableStatus};
use tablewright_descriptor::Table;

use super::TableError;
use super::ask::{NOT_FOUND, says};
use super::losses::losses;
use crate::Store;

/// The longest wait between two looks at a table that is being made or changed.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

pub(super) async fn describe(
    store: &Store,
    table: &Table,
) -> Result<Option<TableDescription>, TableError> {
    let request = store
        .client()
        .describe_table()
        .table_name(store.table_name(table));
    match store
        .reading("DescribeTable", || request.clone().send())
        .await
    {
        Ok(output) => Ok(output.table),
        Err(error) if says(&error, NOT_FOUND) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses a table that cannot become what the model says without losing data.
pub(super) fn refuse_losses(
    store: &Store,
    table: &Table,
    found: &TableDescription,
) -> Result<(), TableError> {
    let reasons = losses(table, found);
    if reasons.is_empty() {
        return Ok(());
    }
    Err(TableError::WouldLose {
        table: store.table_name(table),
        reasons,
    })
}

/// Waits until a table and its indexes can be used. Filling a new index takes as long as it takes.
pub(super) async fn until_active(
    store: &Store,
    table: &Table,
) -> Result<TableDescription, TableError> {
    let unusable = |why: String| TableError::Unusable {
        table: store.table_name(table),
        why,
    };
    let mut wait = Duration::from_millis(20);
    let mut missed = 0;
    loop {
        match describe(store, table).await? {
            Some(found) => match found.table_status() {
                None | Some(TableStatus::Active) if indexes_are_ready(&found) => return Ok(found),
                None
                | Some(TableStatus::Active | TableStatus::Creating | TableStatus::Updating) => {
                    missed = 0;
                }
                Some(TableStatus::Deleting) => {
                    let why = "it is being deleted; run this again when it is gone";
                    return Err(unusable(why.to_owned()));
                }
                Some(status) => {
                    return Err(unusable(format!("its status is {}", status.as_str())));
                }
            },
            // A table that was made a moment ago is not shown everywhere at once.
            None => {
                missed += 1;
                if missed >= store.patience().attempts {
                    let why =
                        "it is not there any more; something deleted it while it was waited for";
                    return Err(unusable(why.to_owned()));
                }
            }
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

fn indexes_are_ready(found: &TableDescription) -> bool {
    found.global_secondary_indexes().iter().all(|index| {
        index
            .index_status()
            .is_none_or(|status| status == &IndexStatus::Active)
    })
}
