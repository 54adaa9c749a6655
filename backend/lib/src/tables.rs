//! The tables of a model: created, and brought up to date where that loses nothing.

use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType, LocalSecondaryIndex,
    PointInTimeRecoverySpecification, Projection as SdkProjection, ProjectionType,
    ScalarAttributeType, StreamSpecification, StreamViewType, TableDescription, TableStatus,
    TimeToLiveSpecification, TimeToLiveStatus,
};
use tablewright_descriptor::{Index, KeyAttribute, KeyKind, Projection, Schema, StreamView, Table};

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

/// What cannot be changed without losing data.
fn losses(table: &Table, found: &TableDescription) -> Vec<String> {
    let mut reasons = Vec::new();
    let kinds = found.attribute_definitions();
    if !same_keys(found.key_schema(), kinds, table.key_attributes()) {
        reasons.push(format!(
            "its key is {}, the model's is {}; keys of a table never change: export it, and import it into a new one",
            keys_in_words(found.key_schema(), kinds),
            attributes_in_words(table.key_attributes())
        ));
    }
    for index in &table.indexes {
        let global = found
            .global_secondary_indexes()
            .iter()
            .find(|known| known.index_name() == Some(&index.name));
        let local = found
            .local_secondary_indexes()
            .iter()
            .find(|known| known.index_name() == Some(&index.name));
        let schema = match (global, local) {
            (Some(known), _) => known.key_schema(),
            (_, Some(known)) => known.key_schema(),
            (None, None) if index.local => {
                reasons.push(format!(
                    "it lacks the local index {}, which can only be made with the table",
                    index.name
                ));
                continue;
            }
            (None, None) => continue,
        };
        if !same_keys(schema, kinds, index.key_attributes()) {
            reasons.push(format!(
                "its index {} has the key {}, the model's has {}; give the new index another name, and drop the old one when nothing reads it",
                index.name,
                keys_in_words(schema, kinds),
                attributes_in_words(index.key_attributes())
            ));
        }
        let projection = global
            .and_then(|known| known.projection())
            .or_else(|| local.and_then(|known| known.projection()));
        if projection.is_some_and(|projection| !same_projection(projection, &index.projection)) {
            reasons.push(format!(
                "its index {} holds other attributes than the model says; give the new index another name, and drop the old one when nothing reads it",
                index.name
            ));
        }
    }
    if let (Some(view), Some(stream)) = (table.stream, found.stream_specification())
        && stream.stream_enabled()
        && stream.stream_view_type() != Some(&view_of(view))
    {
        reasons.push("its stream carries other images than the model says; switching it loses the records nobody has read yet: switch it off by hand when all are read".to_owned());
    }
    reasons
}

fn same_keys<'k>(
    schema: &[KeySchemaElement],
    kinds: &[AttributeDefinition],
    mut wanted: impl Iterator<Item = &'k KeyAttribute>,
) -> bool {
    let kind = |name: &str| {
        let found = kinds.iter().find(|kind| kind.attribute_name() == name);
        found.map(|found| found.attribute_type().clone())
    };
    let mut found = schema.to_vec();
    found.sort_by_key(|key| key.key_type() != &KeyType::Hash);
    let same = found.iter().all(|key| {
        wanted.next().is_some_and(|wanted| {
            wanted.name == key.attribute_name() && kind(&wanted.name) == Some(kind_of(wanted.kind))
        })
    });
    same && wanted.next().is_none()
}

fn keys_in_words(schema: &[KeySchemaElement], kinds: &[AttributeDefinition]) -> String {
    let words = schema.iter().map(|key| {
        let name = key.attribute_name();
        let kind = kinds.iter().find(|kind| kind.attribute_name() == name);
        format!(
            "{name} {}",
            kind.map_or("?", |kind| kind.attribute_type().as_str())
        )
    });
    words.collect::<Vec<_>>().join(", ")
}

fn attributes_in_words<'k>(keys: impl Iterator<Item = &'k KeyAttribute>) -> String {
    let words = keys.map(|key| format!("{} {}", key.name, kind_of(key.kind).as_str()));
    words.collect::<Vec<_>>().join(", ")
}

fn same_projection(found: &SdkProjection, wanted: &Projection) -> bool {
    match (found.projection_type(), wanted) {
        (Some(ProjectionType::All) | None, Projection::All) => true,
        (Some(ProjectionType::KeysOnly), Projection::KeysOnly) => true,
        (Some(ProjectionType::Include), Projection::Only(names)) => {
            let found = found.non_key_attributes();
            found.len() == names.len() && names.iter().all(|name| found.contains(name))
        }
        _ => false,
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

async fn ttl(store: &Store, table: &Table, done: &mut Vec<String>) -> Result<(), TableError> {
    let Some(attribute) = &table.ttl else {
        return Ok(());
    };
    let name = store.table_name(table);
    let sent = store
        .client()
        .describe_time_to_live()
        .table_name(&name)
        .send()
        .await;
    let found = match sent {
        Ok(output) => output.time_to_live_description,
        Err(error) if says(&error, UNKNOWN_OPERATION) => {
            without_ttl(&name);
            return Ok(());
        }
        Err(error) => return Err(failed(&error)),
    };
    let status = found.as_ref().and_then(|found| found.time_to_live_status());
    if matches!(
        status,
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    ) {
        let is = found.as_ref().and_then(|found| found.attribute_name());
        if is == Some(attribute) {
            return Ok(());
        }
        return Err(TableError::WouldLose {
            table: name,
            reasons: vec![format!(
                "it deletes by {}, the model's attribute is {attribute}; switch TTL off by hand, and run this again an hour later",
                is.unwrap_or("another attribute")
            )],
        });
    }
    let specification = TimeToLiveSpecification::builder()
        .attribute_name(attribute)
        .enabled(true)
        .build()
        .map_err(invalid)?;
    let sent = store
        .client()
        .update_time_to_live()
        .table_name(&name)
        .time_to_live_specification(specification)
        .send()
        .await;
    match sent {
        Ok(_) => done.push(format!("switched TTL on, by {attribute}")),
        Err(error) if says(&error, UNKNOWN_OPERATION) => without_ttl(&name),
        Err(error) => return Err(failed(&error)),
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

/// Point-in-time recovery, where the endpoint has it: an embedded engine is recovered from copies of its folder.
async fn recovery(store: &Store, table: &Table, done: &mut Vec<String>) {
    if !table.recovery {
        return;
    }
    let name = store.table_name(table);
    let found = store
        .client()
        .describe_continuous_backups()
        .table_name(&name)
        .send()
        .await;
    let found = match found {
        Ok(found) => found,
        Err(error) if says(&error, UNKNOWN_OPERATION) => return,
        Err(error) => {
            tracing::warn!(table = name, %error, "it is not known whether point-in-time recovery is on");
            return;
        }
    };
    let on = found
        .continuous_backups_description
        .and_then(|backups| backups.point_in_time_recovery_description)
        .and_then(|recovery| recovery.point_in_time_recovery_status)
        .is_some_and(|status| status.as_str() == "ENABLED");
    if on {
        return;
    }
    let Ok(specification) = PointInTimeRecoverySpecification::builder()
        .point_in_time_recovery_enabled(true)
        .build()
    else {
        return;
    };
    let sent = store
        .client()
        .update_continuous_backups()
        .table_name(&name)
        .point_in_time_recovery_specification(specification)
        .send()
        .await;
    match sent {
        Ok(_) => done.push("switched point-in-time recovery on".to_owned()),
        Err(error) => {
            tracing::warn!(table = name, %error, "point-in-time recovery could not be switched on")
        }
    }
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

fn invalid(error: impl fmt::Display) -> TableError {
    TableError::Error(Error::invalid("the schema", "", error))
}

fn kind_of(kind: KeyKind) -> ScalarAttributeType {
    match kind {
        KeyKind::String => ScalarAttributeType::S,
        KeyKind::Number => ScalarAttributeType::N,
        KeyKind::Binary => ScalarAttributeType::B,
    }
}

fn view_of(view: StreamView) -> StreamViewType {
    match view {
        StreamView::KeysOnly => StreamViewType::KeysOnly,
        StreamView::NewImage => StreamViewType::NewImage,
        StreamView::OldImage => StreamViewType::OldImage,
        StreamView::NewAndOldImages => StreamViewType::NewAndOldImages,
    }
}

fn stream_of(view: StreamView) -> Result<StreamSpecification, TableError> {
    StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(view_of(view))
        .build()
        .map_err(invalid)
}

fn projection_of(projection: &Projection) -> SdkProjection {
    let builder = SdkProjection::builder();
    match projection {
        Projection::All => builder.projection_type(ProjectionType::All),
        Projection::KeysOnly => builder.projection_type(ProjectionType::KeysOnly),
        Projection::Only(names) => builder
            .projection_type(ProjectionType::Include)
            .set_non_key_attributes(Some(names.clone())),
    }
    .build()
}

fn key_schema<'k>(
    keys: impl Iterator<Item = &'k KeyAttribute>,
) -> Result<Vec<KeySchemaElement>, TableError> {
    keys.zip([KeyType::Hash, KeyType::Range])
        .map(|(key, kind)| {
            KeySchemaElement::builder()
                .attribute_name(&key.name)
                .key_type(kind)
                .build()
                .map_err(invalid)
        })
        .collect()
}

/// The types of all key attributes, each once.
fn definitions(table: &Table, indexes: &[Index]) -> Result<Vec<AttributeDefinition>, TableError> {
    let mut keys: Vec<&KeyAttribute> = Vec::new();
    for key in table
        .key_attributes()
        .chain(indexes.iter().flat_map(Index::key_attributes))
    {
        if !keys.iter().any(|known| known.name == key.name) {
            keys.push(key);
        }
    }
    keys.into_iter()
        .map(|key| {
            AttributeDefinition::builder()
                .attribute_name(&key.name)
                .attribute_type(kind_of(key.kind))
                .build()
                .map_err(invalid)
        })
        .collect()
}
