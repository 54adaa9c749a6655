//! Tables: created, brought up to date where nothing is lost, left alone where something would be.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Entity;
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText};
use tablewright::descriptor::{Index, KeyAttribute, Schema, StreamView, Table};
use tablewright::tables::{TableError, bring_up_to_date};
use todo::model::{SCHEMA, TaskPriority, Todo};

use crate::support::{Place, task};

pub(crate) fn schema(change: impl FnOnce(Table) -> Table) -> Schema {
    let table = Table::new("things", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .without_deletion_protection();
    let text = SchemaText::new("things").table(change(table)).entity(
        EntityText::new("Thing", "things", pair("THING#{id}", "METADATA")).fields(&[("id", "id")]),
    );
    Schema::resolve(text).unwrap()
}

pub(crate) fn index(name: &str) -> Index {
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

/// All that can be added to a table.
pub(crate) fn everything(table: Table) -> Table {
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
