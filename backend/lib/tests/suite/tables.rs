//! Tables: created, brought up to date where nothing is lost, left alone where something would be.

use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText};
use tablewright::descriptor::{Index, KeyAttribute, Schema, StreamView, Table};
use tablewright::tables::{TableError, bring_up_to_date};

use crate::support::Place;

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
