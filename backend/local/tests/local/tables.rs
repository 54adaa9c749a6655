//! Tables the tests use, and what they do with them.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, Projection, ProjectionType, ScalarAttributeType, StreamSpecification, StreamViewType,
    TimeToLiveSpecification,
};

/// The name of the index every table has: by the attribute `colour`.
pub(crate) const INDEX: &str = "by-colour";

pub(crate) fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub(crate) fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn key(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder()
        .attribute_name(name)
        .key_type(kind)
        .build()
        .unwrap()
}

fn attribute(name: &str) -> AttributeDefinition {
    AttributeDefinition::builder()
        .attribute_name(name)
        .attribute_type(ScalarAttributeType::S)
        .build()
        .unwrap()
}

/// A table with the key `id`, an index, and a stream of both images.
pub(crate) async fn create(dynamodb: &Client, table: &str) {
    dynamodb
        .create_table()
        .table_name(table)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key("id", KeyType::Hash))
        .attribute_definitions(attribute("id"))
        .attribute_definitions(attribute("colour"))
        .global_secondary_indexes(
            GlobalSecondaryIndex::builder()
                .index_name(INDEX)
                .key_schema(key("colour", KeyType::Hash))
                .key_schema(key("id", KeyType::Range))
                .projection(
                    Projection::builder()
                        .projection_type(ProjectionType::All)
                        .build(),
                )
                .build()
                .unwrap(),
        )
        .stream_specification(stream(true))
        .send()
        .await
        .unwrap();
}

pub(crate) fn stream(enabled: bool) -> StreamSpecification {
    let specification = StreamSpecification::builder().stream_enabled(enabled);
    let specification = match enabled {
        true => specification.stream_view_type(StreamViewType::NewAndOldImages),
        false => specification,
    };
    specification.build().unwrap()
}

/// Lets the items of a table expire by their attribute `ttl`.
pub(crate) async fn expire(dynamodb: &Client, table: &str) {
    let specification = TimeToLiveSpecification::builder()
        .enabled(true)
        .attribute_name("ttl")
        .build()
        .unwrap();
    dynamodb
        .update_time_to_live()
        .table_name(table)
        .time_to_live_specification(specification)
        .send()
        .await
        .unwrap();
}

/// Writes an item; the answer is the acknowledgement.
pub(crate) async fn put(dynamodb: &Client, table: &str, id: &str) {
    dynamodb
        .put_item()
        .table_name(table)
        .item("id", text(id))
        .item("colour", text("red"))
        .send()
        .await
        .unwrap();
}

/// The ids of all items of a table, or of its index, in order.
pub(crate) async fn ids(dynamodb: &Client, table: &str, index: Option<&str>) -> Vec<String> {
    let mut pages = dynamodb
        .scan()
        .table_name(table)
        .set_index_name(index.map(ToOwned::to_owned))
        .into_paginator()
        .items()
        .send();
    let mut ids = Vec::new();
    while let Some(item) = pages.next().await {
        ids.push(item.unwrap()["id"].as_s().unwrap().clone());
    }
    ids.sort_unstable();
    ids
}
