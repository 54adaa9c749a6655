//! A table that is not there.

use aws_sdk_dynamodb::types::{BillingMode, GlobalSecondaryIndex, LocalSecondaryIndex};
use tablewright_descriptor::Table;

use super::TableError;
use super::ask::Attempts;
use super::look::describe;
use super::sdk::{definitions, invalid, key_schema, projection_of, stream_of};
use crate::Store;

/// Creates a table, and says whether it is certain that it is ours. Another process may have been faster; then it is what that one made.
pub(super) async fn create(
    store: &Store,
    table: &Table,
    done: &mut Vec<String>,
) -> Result<bool, TableError> {
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
    let request = store
        .client()
        .create_table()
        .table_name(store.table_name(table))
        .set_attribute_definitions(Some(definitions(table, &table.indexes)?))
        .set_key_schema(Some(key_schema(table.key_attributes())?))
        .set_global_secondary_indexes((!global.is_empty()).then_some(global))
        .set_local_secondary_indexes((!local.is_empty()).then_some(local))
        .billing_mode(BillingMode::PayPerRequest)
        .set_stream_specification(table.stream.map(stream_of).transpose()?)
        .set_deletion_protection_enabled(table.deletion_protection.then_some(true));
    let mut attempts = Attempts::new(store, "CreateTable");
    loop {
        match request.clone().send().await {
            Ok(_) => {
                done.push("created".to_owned());
                return Ok(true);
            }
            Err(error) => attempts.failed(&error).await,
        }
        if describe(store, table).await?.is_some() {
            if attempts.may_have_happened() {
                done.push("created".to_owned());
            }
            return Ok(false);
        }
        attempts.go_on()?;
    }
}
