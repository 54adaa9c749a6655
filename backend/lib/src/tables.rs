//! The tables of a model: created, and brought up to date where that loses nothing.

mod losses;
mod options;
mod sdk;

use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    BillingMode, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate, LocalSecondaryIndex, StreamSpecification, TableDescription,
    TableStatus,
};
use tablewright_descriptor::{Schema, Table};

use self::losses::losses;
use self::options::{recovery, ttl};
use self::sdk::{definitions, invalid, key_schema, projection_of, stream_of};
use crate::Store;
use crate::error::Error;
use crate::retry::fault_of;

/// Why a table could not be made what the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The table there is differs, and changing it would lose data or is not possible. Nothing was changed.
    WouldLose {
        /// The table.
        table: String,
        /// What differs and what to do, each.
        reasons: Vec<String>,
    },
    /// DynamoDB did not do what was asked.
    Error(Error),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::WouldLose { table, reasons } => {
                write!(
                    f,
                    "table {table} cannot become what the model says: {}",
                    reasons.join("; ")
                )
            }
            TableError::Error(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TableError {}

impl From<Error> for TableError {
    fn from(error: Error) -> Self {
        TableError::Error(error)
    }
}

/// What was done to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableChange {
    /// The table.
    pub table: String,
    /// What was done, in words; empty when it was up to date.
    pub done: Vec<String>,
}

/// Creates the tables of a schema that are not there, and adds to the others what they lack: an index, a stream, TTL, recovery. All tables
/// are looked at before one is changed.
///
/// # Errors
/// [`TableError::WouldLose`] when a table has other keys than the model says, or an index of the same name with other keys.
pub async fn bring_up_to_date(
    store: &Store,
    schema: &Schema,
) -> Result<Vec<TableChange>, TableError> {
    let mut found = Vec::new();
    for table in &schema.tables {
        let description = describe(store, table).await?;
        if let Some(description) = &description {
            let reasons = losses(table, description);
            if !reasons.is_empty() {
                return Err(TableError::WouldLose {
                    table: store.table_name(table),
                    reasons,
                });
            }
        }
        found.push((table, description));
    }
    let mut changes = Vec::new();
    for (table, description) in found {
        let mut done = Vec::new();
        match description {
            None => {
                create(store, table).await?;
                done.push("created".to_owned());
            }
            Some(description) => update(store, table, &description, &mut done).await?,
        }
        ttl(store, table, &mut done).await?;
        recovery(store, table, &mut done).await;
        changes.push(TableChange {
            table: store.table_name(table),
            done,
        });
    }
    Ok(changes)
}

fn failed<E>(
    error: &aws_sdk_dynamodb::error::SdkError<E, aws_sdk_dynamodb::config::http::HttpResponse>,
) -> TableError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    TableError::Error(fault_of(error).into_error(false))
}

/// Whether DynamoDB refused with this code.
fn says<E: ProvideErrorMetadata>(
    error: &aws_sdk_dynamodb::error::SdkError<E, aws_sdk_dynamodb::config::http::HttpResponse>,
    code: &str,
) -> bool {
    error
        .as_service_error()
        .and_then(ProvideErrorMetadata::code)
        == Some(code)
}

/// What an endpoint answers that does not have the operation at all. DynamoDB's own has all of them.
const UNKNOWN_OPERATION: &str = "UnknownOperationException";

async fn describe(store: &Store, table: &Table) -> Result<Option<TableDescription>, TableError> {
    let sent = store
        .client()
        .describe_table()
        .table_name(store.table_name(table))
        .send()
        .await;
    match sent {
        Ok(output) => Ok(output.table),
        Err(error) if says(&error, "ResourceNotFoundException") => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

async fn create(store: &Store, table: &Table) -> Result<(), TableError> {
    let (mut global, mut local) = (Vec::new(), Vec::new());
    for index in &table.indexes {
        if index.local {
            local.push(
                LocalSecondaryIndex::builder()
                    .index_name(&index.name)
                    .set_key_schema(Some(key_schema(index.key_attributes())?))
                    .projection(projection_of(&index.projection))
                    .build()
                    .map_err(invalid)?,
            );
        } else {
            global.push(
                GlobalSecondaryIndex::builder()
                    .index_name(&index.name)
                    .set_key_schema(Some(key_schema(index.key_attributes())?))
                    .projection(projection_of(&index.projection))
                    .build()
                    .map_err(invalid)?,
            );
        }
    }
    let sent = store
        .client()
        .create_table()
        .table_name(store.table_name(table))
        .set_attribute_definitions(Some(definitions(table, &table.indexes)?))
        .set_key_schema(Some(key_schema(table.key_attributes())?))
        .set_global_secondary_indexes((!global.is_empty()).then_some(global))
        .set_local_secondary_indexes((!local.is_empty()).then_some(local))
        .billing_mode(BillingMode::PayPerRequest)
        .set_stream_specification(table.stream.map(stream_of).transpose()?)
        .set_deletion_protection_enabled(table.deletion_protection.then_some(true))
        .send()
        .await;
    if let Err(error) = sent {
        // Another process may have been faster; then the table is what it made.
        if !says(&error, "ResourceInUseException") {
            return Err(failed(&error));
        }
    }
    until_active(store, table).await
}

async fn update(
    store: &Store,
    table: &Table,
    found: &TableDescription,
    done: &mut Vec<String>,
) -> Result<(), TableError> {
    let missing = table.indexes.iter().filter(|index| {
        let known = found.global_secondary_indexes().iter();
        !index.local
            && !known
                .into_iter()
                .any(|known| known.index_name() == Some(&index.name))
    });
    // Those of the keys there are go along: what an endpoint does with the ones that are left out is not documented.
    let mut attributes = found.attribute_definitions().to_vec();
    // DynamoDB makes one index at a time.
    for index in missing {
        let action = CreateGlobalSecondaryIndexAction::builder()
            .index_name(&index.name)
            .set_key_schema(Some(key_schema(index.key_attributes())?))
            .projection(projection_of(&index.projection))
            .build()
            .map_err(invalid)?;
        for added in definitions(table, std::slice::from_ref(index))? {
            let name = added.attribute_name();
            if !attributes
                .iter()
                .any(|known| known.attribute_name() == name)
            {
                attributes.push(added);
            }
        }
        store
            .client()
            .update_table()
            .table_name(store.table_name(table))
            .set_attribute_definitions(Some(attributes.clone()))
            .global_secondary_index_updates(
                GlobalSecondaryIndexUpdate::builder().create(action).build(),
            )
            .send()
            .await
            .map_err(|error| failed(&error))?;
        until_active(store, table).await?;
        done.push(format!("added the index {}", index.name));
    }
    let streams = found
        .stream_specification()
        .is_some_and(StreamSpecification::stream_enabled);
    if let (Some(view), false) = (table.stream, streams) {
        store
            .client()
            .update_table()
            .table_name(store.table_name(table))
            .stream_specification(stream_of(view)?)
            .send()
            .await
            .map_err(|error| failed(&error))?;
        until_active(store, table).await?;
        done.push("switched the stream on".to_owned());
    }
    if table.deletion_protection && found.deletion_protection_enabled() == Some(false) {
        store
            .client()
            .update_table()
            .table_name(store.table_name(table))
            .deletion_protection_enabled(true)
            .send()
            .await
            .map_err(|error| failed(&error))?;
        until_active(store, table).await?;
        done.push("protected it from deletion".to_owned());
    }
    Ok(())
}

/// Reads leave out what has expired, wherever it is stored: without TTL all is right, and nothing is cleared away.
fn without_ttl(table: &str) {
    tracing::warn!(
        table,
        "this endpoint has no TTL: what has expired is not given out, and stays stored"
    );
}

/// Waits until a table and its indexes can be used.
async fn until_active(store: &Store, table: &Table) -> Result<(), TableError> {
    let mut wait = Duration::from_millis(20);
    loop {
        let found = describe(store, table).await?;
        let ready = found.as_ref().is_some_and(|found| {
            let indexes = found.global_secondary_indexes();
            found.table_status() == Some(&TableStatus::Active)
                && indexes.iter().all(|index| {
                    index
                        .index_status()
                        .is_none_or(|status| status.as_str() == "ACTIVE")
                })
        });
        if ready {
            return Ok(());
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(5));
    }
}
