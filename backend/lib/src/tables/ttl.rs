//! TTL: switched on, never switched to another attribute.

use aws_sdk_dynamodb::types::{TimeToLiveSpecification, TimeToLiveStatus};
use tablewright_descriptor::Table;

use super::TableError;
use super::ask::{Attempts, NOT_FOUND, UNKNOWN_OPERATION, says};
use super::sdk::invalid;
use crate::Store;

/// Whether a table deletes what has expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ttl {
    Off,
    AsWanted,
    /// The endpoint has no TTL.
    Nowhere,
}

/// What there is of TTL.
///
/// # Errors
/// [`TableError::WouldLose`] when the table deletes by another attribute.
pub(super) async fn ttl_of(
    store: &Store,
    table: &Table,
    attribute: &str,
) -> Result<Ttl, TableError> {
    let name = store.table_name(table);
    let request = store.client().describe_time_to_live().table_name(&name);
    let found = match store
        .reading("DescribeTimeToLive", || request.clone().send())
        .await
    {
        Ok(output) => output.time_to_live_description,
        Err(error) if says(&error, UNKNOWN_OPERATION) => return Ok(Ttl::Nowhere),
        // Another process is making the table at this moment.
        Err(error) if says(&error, NOT_FOUND) => return Ok(Ttl::Off),
        Err(error) => return Err(error.into()),
    };
    let is_on = |status: &TimeToLiveStatus| {
        matches!(
            status,
            TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling
        )
    };
    let on = found.filter(|found| found.time_to_live_status().is_some_and(is_on));
    match on.as_ref().map(|found| found.attribute_name()) {
        None => Ok(Ttl::Off),
        Some(Some(found)) if found == attribute => Ok(Ttl::AsWanted),
        Some(found) => Err(TableError::WouldLose {
            table: name,
            reasons: vec![format!(
                "it deletes by {}, the model's attribute is {attribute}; switch TTL off by hand, and run this again an hour later",
                found.unwrap_or("another attribute")
            )],
        }),
    }
}

pub(super) async fn switch_ttl_on(
    store: &Store,
    table: &Table,
    done: &mut Vec<String>,
) -> Result<(), TableError> {
    let Some(attribute) = &table.ttl else {
        return Ok(());
    };
    let name = store.table_name(table);
    let specification = TimeToLiveSpecification::builder()
        .attribute_name(attribute)
        .enabled(true)
        .build()
        .map_err(invalid)?;
    let request = store
        .client()
        .update_time_to_live()
        .table_name(&name)
        .time_to_live_specification(specification);
    let in_words = format!("switched TTL on, by {attribute}");
    let mut attempts = Attempts::new(store, "UpdateTimeToLive");
    loop {
        match ttl_of(store, table, attribute).await? {
            Ttl::Off => {}
            Ttl::AsWanted => {
                if attempts.may_have_happened() {
                    done.push(in_words);
                }
                return Ok(());
            }
            Ttl::Nowhere => {
                without_ttl(&name);
                return Ok(());
            }
        }
        match attempts.go_on() {
            Ok(()) => {}
            Err(error) if says(&error, UNKNOWN_OPERATION) => {
                without_ttl(&name);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        match request.clone().send().await {
            Ok(_) => {
                done.push(in_words);
                return Ok(());
            }
            Err(error) => attempts.failed(&error).await,
        }
    }
}

/// Reads leave out what has expired, wherever it is stored: without TTL all is right, and nothing is cleared away.
fn without_ttl(table: &str) {
    tracing::warn!(
        table,
        "this endpoint has no TTL: what has expired is not given out, and stays stored"
    );
}
