//! Tables and indexes in the words of the SDK.

use std::fmt;

use aws_sdk_dynamodb::types::{
    AttributeDefinition, KeySchemaElement, KeyType, Projection as SdkProjection, ProjectionType,
    ScalarAttributeType, StreamSpecification, StreamViewType,
};
use tablewright_descriptor::{Index, KeyAttribute, KeyKind, Projection, StreamView, Table};

use super::TableError;
use crate::error::Error;

pub(super) fn kind_of(kind: KeyKind) -> ScalarAttributeType {
    match kind {
        KeyKind::String => ScalarAttributeType::S,
        KeyKind::Number => ScalarAttributeType::N,
        KeyKind::Binary => ScalarAttributeType::B,
    }
}

pub(super) fn view_of(view: StreamView) -> StreamViewType {
    match view {
        StreamView::KeysOnly => StreamViewType::KeysOnly,
        StreamView::NewImage => StreamViewType::NewImage,
        StreamView::OldImage => StreamViewType::OldImage,
        StreamView::NewAndOldImages => StreamViewType::NewAndOldImages,
    }
}

pub(super) fn stream_of(view: StreamView) -> Result<StreamSpecification, TableError> {
    StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(view_of(view))
        .build()
        .map_err(invalid)
}

pub(super) fn projection_of(projection: &Projection) -> SdkProjection {
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

pub(super) fn key_schema<'k>(
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
pub(super) fn definitions(
    table: &Table,
    indexes: &[Index],
) -> Result<Vec<AttributeDefinition>, TableError> {
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

pub(super) fn invalid(error: impl fmt::Display) -> TableError {
    TableError::Error(Error::invalid("the schema", "", error))
}
