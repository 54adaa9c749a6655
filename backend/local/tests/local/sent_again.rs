//! Transactions that are sent again under one token.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::{
    TransactWriteItemsError, TransactWriteItemsOutput,
};
use aws_sdk_dynamodb::types::{
    AttributeValue, Delete, Put, ReturnConsumedCapacity, TransactWriteItem, Update,
};
use tablewright_local::Engine;
use tokio::task::JoinSet;

use crate::tables::{self, text};

/// A put of 5 KB, an addition to a count, and a removal, under a token.
async fn transact(
    dynamodb: &Client,
    token: &str,
    add: &str,
) -> Result<TransactWriteItemsOutput, TransactWriteItemsError> {
    let put = Put::builder()
        .table_name("things")
        .item("id", text("put"))
        .item("long", text("x".repeat(5000)))
        .build()
        .unwrap();
    let update = Update::builder()
        .table_name("things")
        .key("id", text("count"))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", "count")
        .expression_attribute_values(":one", AttributeValue::N(add.to_owned()))
        .build()
        .unwrap();
    let delete = Delete::builder()
        .table_name("things")
        .key("id", text("gone"))
        .build()
        .unwrap();
    let items = [
        TransactWriteItem::builder().put(put).build(),
        TransactWriteItem::builder().update(update).build(),
        TransactWriteItem::builder().delete(delete).build(),
    ];
    let sent = dynamodb
        .transact_write_items()
        .set_transact_items(Some(items.to_vec()))
        .client_request_token(token)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await;
    sent.map_err(|error| error.into_service_error())
}

fn units(output: &TransactWriteItemsOutput) -> f64 {
    output.consumed_capacity()[0]
        .capacity_units()
        .unwrap_or_default()
}

async fn counted(dynamodb: &Client) -> AttributeValue {
    let got = dynamodb
        .get_item()
        .table_name("things")
        .key("id", text("count"));
    let item = got.send().await.unwrap().item.unwrap();
    item["count"].clone()
}

#[tokio::test]
async fn a_transaction_under_the_same_token_is_carried_out_once_and_charged_as_a_read() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    let first = transact(&dynamodb, "one", "1").await.unwrap();
    // 5 KB, and twice what is less than one, doubled.
    assert_eq!(units(&first), 14.0);
    let again = transact(&dynamodb, "one", "1").await.unwrap();
    // The same as reads: two times 4 KB, and twice what is less than one, doubled.
    assert_eq!(units(&again), 8.0);
    assert_eq!(counted(&dynamodb).await, AttributeValue::N("1".into()));

    let other = transact(&dynamodb, "one", "2").await.unwrap_err();
    assert!(
        other.is_idempotent_parameter_mismatch_exception(),
        "{other:?}"
    );
    assert_eq!(counted(&dynamodb).await, AttributeValue::N("1".into()));
    transact(&dynamodb, "two", "1").await.unwrap();
    assert_eq!(counted(&dynamodb).await, AttributeValue::N("2".into()));
    let long = "x".repeat(37);
    let refused = transact(&dynamodb, &long, "1").await.unwrap_err();
    assert!(format!("{refused:?}").contains("clientRequestToken"));
}

#[tokio::test]
async fn what_was_refused_may_be_sent_again_under_its_token() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    transact(&dynamodb, "one", "1").await.unwrap_err();
    tables::create(&dynamodb, "things").await;
    transact(&dynamodb, "one", "1").await.unwrap();
    assert_eq!(counted(&dynamodb).await, AttributeValue::N("1".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_under_one_token_are_one() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    let mut all = JoinSet::new();
    for _ in 0..50 {
        let dynamodb = dynamodb.clone();
        all.spawn(async move { transact(&dynamodb, "one", "1").await });
    }
    let mut writes = 0;
    while let Some(sent) = all.join_next().await {
        writes += usize::from(units(&sent.unwrap().unwrap()) == 14.0);
    }
    assert_eq!(writes, 1);
    assert_eq!(counted(&dynamodb).await, AttributeValue::N("1".into()));
}
