//! What services do all day, through the SDK's client.

use std::future::{Future as _, poll_fn};
use std::task::Poll;

use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{Put, ReturnConsumedCapacity, TransactWriteItem};
use tablewright_local::Engine;

use crate::tables::{self, INDEX, text};

#[tokio::test]
async fn what_was_written_is_read_by_key_and_by_index() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    for id in ["a", "b"] {
        tables::put(&dynamodb, "things", id).await;
    }

    let got = dynamodb
        .get_item()
        .table_name("things")
        .key("id", text("a"))
        .send()
        .await
        .unwrap();
    assert_eq!(got.item.unwrap()["colour"], text("red"));

    let queried = dynamodb
        .query()
        .table_name("things")
        .index_name(INDEX)
        .key_condition_expression("colour = :red AND id > :a")
        .expression_attribute_values(":red", text("red"))
        .expression_attribute_values(":a", text("a"))
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert_eq!(queried.count, 1);
    assert_eq!(queried.items()[0]["id"], text("b"));
    assert_eq!(queried.consumed_capacity.unwrap().capacity_units, Some(0.5));
}

#[tokio::test]
async fn a_condition_that_fails_is_a_typed_error() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "a").await;

    let refused = dynamodb
        .put_item()
        .table_name("things")
        .item("id", text("a"))
        .condition_expression("attribute_not_exists(id)")
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(
        refused.is_conditional_check_failed_exception(),
        "{refused:?}"
    );

    let put = Put::builder()
        .table_name("things")
        .item("id", text("a"))
        .condition_expression("attribute_not_exists(id)")
        .build()
        .unwrap();
    let cancelled = dynamodb
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build())
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(
        cancelled.is_transaction_canceled_exception(),
        "{cancelled:?}"
    );
}

#[tokio::test]
async fn an_operation_the_engine_lacks_is_unknown() {
    let dynamodb = Engine::temporary().unwrap().dynamodb();
    let refused = dynamodb.describe_limits().send().await.unwrap_err();
    assert_eq!(refused.code(), Some("UnknownOperationException"));
}

#[tokio::test]
async fn data_outlives_the_engine_and_clients_keep_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let dynamodb = Engine::open(folder.path()).unwrap().dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::put(&dynamodb, "things", "a").await;
    Engine::open(folder.path()).unwrap_err();
    drop(dynamodb);

    let dynamodb = Engine::open(folder.path()).unwrap().dynamodb();
    assert_eq!(tables::ids(&dynamodb, "things", None).await, ["a"]);
    assert_eq!(tables::ids(&dynamodb, "things", Some(INDEX)).await, ["a"]);
}

#[tokio::test]
async fn a_temporary_engine_leaves_nothing_behind() {
    let engine = Engine::temporary().unwrap();
    let (folder, other) = (engine.directory().to_owned(), engine.clone());
    drop(engine);
    assert!(folder.exists());
    drop(other);
    assert!(!folder.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_at_once_lose_nothing() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    let writers = (0..8).map(|writer| {
        let dynamodb = dynamodb.clone();
        tokio::spawn(async move {
            for n in 0..25 {
                tables::put(&dynamodb, "things", &format!("{writer}-{n}")).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let all = tables::ids(&dynamodb, "things", None).await;
    assert_eq!(all.len(), 200);
    assert_eq!(tables::ids(&dynamodb, "things", Some(INDEX)).await, all);
}

/// Whoever asked may be paused for good, in a `select!` for one: others are answered.
#[tokio::test(flavor = "multi_thread")]
async fn requests_nobody_waits_for_hold_up_no_others() {
    let engine = Engine::temporary().unwrap();
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    let mut paused = Vec::new();
    for _ in 0..50 {
        let mut request = Box::pin(dynamodb.list_tables().send());
        let once = poll_fn(|context| Poll::Ready(request.as_mut().poll(context)));
        // One or the other may have been answered at once.
        if once.await.is_pending() {
            paused.push(request);
        }
    }
    tables::put(&dynamodb, "things", "a").await;
    for request in paused {
        assert_eq!(request.await.unwrap().table_names(), ["things"]);
    }
}
