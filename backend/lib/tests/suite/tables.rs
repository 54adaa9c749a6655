//! Tables: created, brought up to date where nothing is lost, left alone where something would be.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText};
use tablewright::descriptor::{Index, KeyAttribute, Schema, StreamView, Table};
use tablewright::tables::{TableError, bring_up_to_date};
use tablewright::{Entity, Error, Patience, Store};
use todo::model::{SCHEMA, TaskPriority, Todo};

use crate::faulty::{Fault, Faulty};
use crate::support::{Place, task};

fn schema(change: impl FnOnce(Table) -> Table) -> Schema {
    let table = Table::new("things", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .without_deletion_protection();
    let text = SchemaText::new("things").table(change(table)).entity(
        EntityText::new("Thing", "things", pair("THING#{id}", "METADATA")).fields(&[("id", "id")]),
    );
    Schema::resolve(text).unwrap()
}

fn index(name: &str) -> Index {
    Index::global(name, KeyAttribute::string(format!("{name}PK")))
        .sort_key(KeyAttribute::string(format!("{name}SK")))
}

#[tokio::test]
async fn a_table_gets_what_it_lacks_and_is_then_left_alone() {
    let place = Place::new().await;
    let store = place.builder().build();
    let done = bring_up_to_date(&store, &schema(|table| table))
        .await
        .unwrap();
    assert_eq!(done[0].done[0], "created");
    let more = schema(|table| {
        table
            .index(index("GSI1"))
            .index(index("GSI2"))
            .ttl("ttl")
            .stream(StreamView::NewAndOldImages)
    });
    let done = bring_up_to_date(&store, &more).await.unwrap();
    assert_eq!(
        done[0].done,
        [
            "added the index GSI1",
            "added the index GSI2",
            "switched the stream on",
            "switched TTL on, by ttl"
        ]
    );
    let again = bring_up_to_date(&store, &more).await.unwrap();
    assert!(again[0].done.is_empty(), "{again:?}");
    // What the model no longer says stays: to drop an index is a decision of its own.
    let less = bring_up_to_date(&store, &schema(|table| table))
        .await
        .unwrap();
    assert!(less[0].done.is_empty(), "{less:?}");
}

#[tokio::test]
async fn a_change_that_would_lose_data_is_refused_with_the_reason() {
    let place = Place::new().await;
    let store = place.builder().build();
    let first = schema(|table| {
        table
            .index(index("GSI1"))
            .ttl("ttl")
            .stream(StreamView::KeysOnly)
    });
    bring_up_to_date(&store, &first).await.unwrap();
    let other_key = schema(|mut table| {
        table.sort_key = Some(KeyAttribute::number("SK"));
        table
    });
    let other_index = schema(|table| {
        table.index(Index::global("GSI1", KeyAttribute::string("GSI1PK")).keys_only())
    });
    let local = schema(|table| {
        table.index(
            Index::local("LSI", KeyAttribute::string("PK")).sort_key(KeyAttribute::string("L")),
        )
    });
    let other_stream = schema(|table| table.stream(StreamView::NewImage));
    let cases = [
        (
            other_key,
            "its key is PK S, SK S, the model's is PK S, SK N",
        ),
        (
            other_index,
            "its index GSI1 has the key GSI1PK S, GSI1SK S, the model's has GSI1PK S",
        ),
        (local, "it lacks the local index LSI"),
        (other_stream, "its stream carries other images"),
        (
            schema(|table| table.ttl("expires")),
            "it deletes by ttl, the model's attribute is expires",
        ),
    ];
    for (schema, reason) in cases {
        match bring_up_to_date(&store, &schema).await {
            Err(TableError::WouldLose { reasons, .. }) => {
                assert!(
                    reasons.iter().any(|told| told.starts_with(reason)),
                    "{reasons:?}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn two_processes_may_bring_tables_up_to_date_at_once() {
    let place = Place::new().await;
    let store = place.builder().build();
    let schema = schema(|table| table.index(index("GSI1")));
    let (one, two) = tokio::join!(
        bring_up_to_date(&store, &schema),
        bring_up_to_date(&store, &schema)
    );
    one.unwrap();
    two.unwrap();
}

/// A store whose network fails as it is told, and that does not wait long.
fn faulty() -> (Faulty, Store) {
    let faulty = Faulty::new();
    let patience = Patience {
        attempts: 4,
        first_wait: Duration::from_micros(10),
        longest_wait: Duration::from_micros(50),
        reapply: 1,
    };
    let store = Store::builder(faulty.client()).patience(patience).build();
    (faulty, store)
}

/// All that can be added to a table.
fn everything(table: Table) -> Table {
    table
        .index(index("GSI1"))
        .index(index("GSI2"))
        .ttl("ttl")
        .stream(StreamView::NewAndOldImages)
}

#[tokio::test]
async fn processes_that_find_the_same_things_missing_do_not_disturb_each_other() {
    let place = Place::new().await;
    bring_up_to_date(&place.builder().build(), &schema(|table| table))
        .await
        .unwrap();
    let processes = (0..4).map(|_| {
        let store = place.builder().build();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(bring_up_to_date(&store, &schema(everything)))
        })
    });
    let processes: Vec<_> = processes.collect();
    for process in processes {
        process.join().unwrap().unwrap();
    }
    let again = bring_up_to_date(&place.builder().build(), &schema(everything))
        .await
        .unwrap();
    assert!(again[0].done.is_empty(), "{again:?}");
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

#[tokio::test]
async fn nothing_is_changed_when_one_table_deletes_by_another_attribute() {
    let place = Place::new().await;
    let store = place.builder().build();
    let both = |first: fn(Table) -> Table, ttl: &str| {
        let mut schema = schema(first);
        let other = Table::new("others", KeyAttribute::string("PK")).without_deletion_protection();
        schema.tables.push(other.ttl(ttl).into());
        schema
    };
    bring_up_to_date(&store, &both(|table| table, "ttl"))
        .await
        .unwrap();
    match bring_up_to_date(&store, &both(everything, "expires")).await {
        Err(TableError::WouldLose { table, reasons }) => {
            assert!(table.ends_with("others"), "{table}");
            assert!(reasons[0].starts_with("it deletes by ttl"), "{reasons:?}");
        }
        other => panic!("{other:?}"),
    }
    let name = store.table_name(&schema(|table| table).tables[0]);
    let things = place.client.describe_table().table_name(name).send().await;
    let things = things.unwrap().table.unwrap();
    assert!(things.global_secondary_indexes().is_empty(), "{things:?}");
}

/// DynamoDB fills a new index with the items that have its keys; those that were written before have none.
#[tokio::test]
async fn items_come_into_a_new_index_by_their_next_update() {
    let place = Place::new().await;
    let mut before = SCHEMA.clone();
    let table = Arc::make_mut(&mut before.tables[0]);
    table.indexes.retain(|index| index.name != "GSI3");
    let store = place.store(&before).await;
    let tasks = Todo::new(&store).tasks;
    let mut old = task("ada", "old");
    old.priority = Some(TaskPriority::Urgent);
    let key = old.key();
    tasks.items().insert(old).await.unwrap();
    let name = store.table_name(&SCHEMA.tables[0]);
    let written_before = place
        .client
        .update_item()
        .table_name(name)
        .key("PK", AttributeValue::S("TASK#ada".to_owned()))
        .key("SK", AttributeValue::S(format!("TASK#{}", key.task_id)))
        .update_expression("REMOVE GSI3PK, GSI3SK")
        .condition_expression("attribute_exists(GSI3PK)");
    written_before.send().await.unwrap();

    let done = bring_up_to_date(&store, &SCHEMA).await.unwrap();
    assert_eq!(done[0].done, ["added the index GSI3"]);
    let urgent = || tasks.tasks_by_priority("ada", TaskPriority::Urgent).page();
    assert!(urgent().await.unwrap().items.is_empty());
    tasks.items().update(&key, |_| {}).await.unwrap();
    assert_eq!(urgent().await.unwrap().items[0].title, "old");
}
