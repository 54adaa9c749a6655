//! Tables made over a network that fails, and beside others who make the same.

use std::time::Duration;

use tablewright::tables::{TableError, bring_up_to_date};
use tablewright::{Error, Patience, Store};

use crate::faulty::{Fault, Faulty};
use crate::tables::{everything, index, schema};

/// A store whose network fails as it is told, and that does not wait long.
fn faulty() -> (Faulty, Store) {
    let faulty = Faulty::new();
    let patience = Patience {
        attempts: 4,
        first_wait: Duration::from_micros(10),
        longest_wait: Duration::from_micros(50),
        meetings: 4,
        reapply: 1,
    };
    let store = Store::builder(faulty.client()).patience(patience).build();
    (faulty, store)
}

/// What another process does between a look and the request that follows.
fn another_process_does(operation: &'static str, body: &'static str) -> Fault {
    Fault::After(Box::new(move |engine| {
        let reply = engine.dispatch(operation, body.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
    }))
}

#[tokio::test]
async fn what_another_process_added_a_moment_ago_is_found_there() {
    let (faulty, store) = faulty();
    bring_up_to_date(&store, &schema(|table| table))
        .await
        .unwrap();
    let index = r#"{"TableName":"things",
        "AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},
            {"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"}],
        "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"GSI1","Projection":{"ProjectionType":"ALL"},
            "KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}]}}]}"#;
    let stream = r#"{"TableName":"things","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;
    let ttl = r#"{"TableName":"things","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}"#;
    // Amazon's answers; the embedded engine takes both a second time.
    let streams_already = r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"Table already has an enabled stream: TableName: things"}"#;
    let deletes_already = r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"TimeToLive is already enabled"}"#;
    faulty.plan(
        "UpdateTable",
        [
            another_process_does("UpdateTable", index),
            Fault::None,
            Fault::Answer(400, streams_already),
        ],
    );
    let looks_before = (0..4).map(|_| Fault::None);
    faulty.plan(
        "DescribeTable",
        looks_before.chain([another_process_does("UpdateTable", stream)]),
    );
    faulty.plan("UpdateTimeToLive", [Fault::Answer(400, deletes_already)]);
    faulty.plan(
        "DescribeTimeToLive",
        [
            Fault::None,
            Fault::None,
            another_process_does("UpdateTimeToLive", ttl),
        ],
    );
    let done = bring_up_to_date(&store, &schema(everything)).await.unwrap();
    assert_eq!(done[0].done, ["added the index GSI2"]);
}

#[tokio::test]
async fn what_dynamodb_is_too_busy_for_is_asked_for_again() {
    let (faulty, store) = faulty();
    bring_up_to_date(&store, &schema(|table| table))
        .await
        .unwrap();
    let in_use = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"Table is being updated"}"#;
    let limit = r#"{"__type":"com.amazonaws.dynamodb.v20120810#LimitExceededException","message":"Only 1 online index can be created simultaneously per table"}"#;
    faulty.plan(
        "UpdateTable",
        [Fault::Answer(400, in_use), Fault::Answer(400, limit)],
    );
    let one = schema(|table| table.index(index("GSI1")));
    let done = bring_up_to_date(&store, &one).await.unwrap();
    assert_eq!(done[0].done, ["added the index GSI1"]);
    assert_eq!(faulty.sent("UpdateTable"), 3);

    faulty.plan("UpdateTable", (0..4).map(|_| Fault::Answer(400, limit)));
    let given_up = bring_up_to_date(&store, &schema(everything)).await;
    match given_up {
        Err(TableError::Error(Error::Backend { code, .. })) => {
            assert_eq!(code, "LimitExceededException");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(faulty.sent("UpdateTable"), 4);
}

#[tokio::test]
async fn tables_are_made_over_a_network_that_fails() {
    const ASKED: [&str; 5] = [
        "DescribeTable",
        "CreateTable",
        "UpdateTable",
        "DescribeTimeToLive",
        "UpdateTimeToLive",
    ];
    type Fails = fn() -> Fault;
    let faults: [Fails; 4] = [
        || Fault::Throttle,
        || Fault::LoseRequest,
        || Fault::LoseAnswer,
        || Fault::ServerError,
    ];
    for fails in faults {
        let (faulty, store) = faulty();
        for operation in ASKED {
            faulty.plan(operation, [fails()]);
        }
        let created = bring_up_to_date(&store, &schema(|table| table.index(index("GSI1"))))
            .await
            .unwrap();
        assert_eq!(created[0].done, ["created"]);
        assert!(faulty.sent("DescribeTable") > 2);
        let more = bring_up_to_date(&store, &schema(everything)).await.unwrap();
        assert_eq!(
            more[0].done,
            [
                "added the index GSI2",
                "switched the stream on",
                "switched TTL on, by ttl"
            ]
        );
        let again = bring_up_to_date(&store, &schema(everything)).await.unwrap();
        assert!(again[0].done.is_empty(), "{again:?}");
    }
}

#[tokio::test]
async fn a_network_that_keeps_failing_is_given_up() {
    let (faulty, store) = faulty();
    faulty.plan("DescribeTable", (0..4).map(|_| Fault::Throttle));
    let throttled = bring_up_to_date(&store, &schema(|table| table)).await;
    assert_eq!(throttled, Err(TableError::Error(Error::Throttled)));
    faulty.plan("CreateTable", (0..4).map(|_| Fault::LoseRequest));
    let lost = bring_up_to_date(&store, &schema(|table| table)).await;
    assert!(
        matches!(lost, Err(TableError::Error(Error::Uncertain { .. }))),
        "{lost:?}"
    );
    assert_eq!(faulty.sent("CreateTable"), 4);
}

#[tokio::test]
async fn a_table_that_vanishes_is_not_waited_for() {
    let (faulty, store) = faulty();
    // The first look finds nothing, so that the table is made; the second one comes too late.
    let gone = another_process_does("DeleteTable", r#"{"TableName":"things"}"#);
    faulty.plan("DescribeTable", [Fault::None, gone]);
    let vanished = bring_up_to_date(&store, &schema(|table| table)).await;
    let vanished = vanished.unwrap_err().to_string();
    assert!(
        vanished.starts_with("table things cannot be used: it is not there any more"),
        "{vanished}"
    );

    bring_up_to_date(&store, &schema(|table| table))
        .await
        .unwrap();
    let going = r#"{"Table":{"TableName":"things","TableStatus":"DELETING"}}"#;
    faulty.plan("DescribeTable", [Fault::None, Fault::Answer(200, going)]);
    let going = bring_up_to_date(&store, &schema(everything)).await;
    let going = going.unwrap_err().to_string();
    assert!(
        going.starts_with("table things cannot be used: it is being deleted"),
        "{going}"
    );
    assert_eq!(faulty.sent("UpdateTable"), 0);
}
