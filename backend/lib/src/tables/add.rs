//! What a table that is there lacks.

use aws_sdk_dynamodb::operation::update_table::builders::UpdateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, StreamSpecification,
    TableDescription,
};
use tablewright_descriptor::{Index, StreamView, Table};

use super::TableError;
use super::ask::Attempts;
use super::look::{refuse_losses, until_active};
use super::sdk::{definitions, invalid, key_schema, projection_of, stream_of};
use crate::Store;

/// Something a model says of a table that can be added to it.
enum Part<'t> {
    Index(&'t Index),
    Stream(StreamView),
    Protection,
}

/// Adds what the model says and the table lacks, one after another: DynamoDB makes one index at a time.
pub(super) async fn add_what_it_lacks(
    store: &Store,
    table: &Table,
    done: &mut Vec<String>,
) -> Result<(), TableError> {
    let indexes = table.indexes.iter().filter(|index| !index.local);
    let parts = indexes
        .map(Part::Index)
        .chain(table.stream.map(Part::Stream))
        .chain(table.deletion_protection.then_some(Part::Protection));
    let mut found = ready(store, table).await?;
    for part in parts {
        let mut attempts = Attempts::new(store, "UpdateTable");
        let mut added = false;
        while !added && !part.is_in(&found) {
            attempts.go_on()?;
            match part.request(store, table, &found)?.send().await {
                Ok(_) => added = true,
                Err(error) => attempts.failed(&error).await,
            }
            found = ready(store, table).await?;
        }
        if added || attempts.may_have_happened() {
            done.push(part.in_words());
        }
    }
    Ok(())
}

/// The table when it can be changed. Another process, with another model, may have been at it.
async fn ready(store: &Store, table: &Table) -> Result<TableDescription, TableError> {
    let found = until_active(store, table).await?;
    refuse_losses(store, table, &found)?;
    Ok(found)
}

impl Part<'_> {
    fn is_in(&self, found: &TableDescription) -> bool {
        match self {
            Part::Index(index) => found
                .global_secondary_indexes()
                .iter()
                .any(|known| known.index_name() == Some(&index.name)),
            Part::Stream(_) => found
                .stream_specification()
                .is_some_and(StreamSpecification::stream_enabled),
            // An endpoint that says nothing of it has none.
            Part::Protection => found.deletion_protection_enabled() != Some(false),
        }
    }

    fn request(
        &self,
        store: &Store,
        table: &Table,
        found: &TableDescription,
    ) -> Result<UpdateTableFluentBuilder, TableError> {
        let request = store
            .client()
            .update_table()
            .table_name(store.table_name(table));
        Ok(match self {
            Part::Index(index) => with_index(request, table, index, found)?,
            Part::Stream(view) => request.stream_specification(stream_of(*view)?),
            Part::Protection => request.deletion_protection_enabled(true),
        })
    }

    fn in_words(&self) -> String {
        match self {
            Part::Index(index) => format!("added the index {}", index.name),
            Part::Stream(_) => "switched the stream on".to_owned(),
            Part::Protection => "protected it from deletion".to_owned(),
        }
    }
}

fn with_index(
    request: UpdateTableFluentBuilder,
    table: &Table,
    index: &Index,
    found: &TableDescription,
) -> Result<UpdateTableFluentBuilder, TableError> {
    let action = CreateGlobalSecondaryIndexAction::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(index.key_attributes())?))
        .projection(projection_of(&index.projection))
        .build()
        .map_err(invalid)?;
    // Those of the keys there are go along: what an endpoint does with the ones that are left out is not documented.
    let mut attributes = found.attribute_definitions().to_vec();
    for added in definitions(table, std::slice::from_ref(index))? {
        let name = added.attribute_name();
        if !attributes
            .iter()
            .any(|known| known.attribute_name() == name)
        {
            attributes.push(added);
        }
    }
    let update = GlobalSecondaryIndexUpdate::builder().create(action).build();
    Ok(request
        .set_attribute_definitions(Some(attributes))
        .global_secondary_index_updates(update))
}
