//! What becomes of records that are hard to keep.

use std::sync::Arc;

use serde_json::{Value, json};
use tablewright::Entity as _;
use tablewright_stream::{DeadLetters, Failure, LambdaConsumer, NotFound, Record};
use todo::model::Task;

use crate::support::{Notebook, World, quick};

fn record(id: &str, before: &Value, after: &Value) -> Value {
    let item = |value: &Value| json!({ "PK": { "S": "p" }, "value": value });
    json!({
        "eventID": id,
        "eventSourceARN": "arn:aws:dynamodb:embedded:000000000000:table/todo-app-data/stream/now",
        "dynamodb": { "SequenceNumber": "1", "Keys": { "PK": { "S": "p" } }, "OldImage": item(before), "NewImage": item(after) },
    })
}

/// What becomes of records that nobody can handle: the batch is done, whatever is in it.
async fn none_is_handled(records: &[Value]) -> (World, DeadLetters) {
    let world = World::new().await;
    let consumer = LambdaConsumer::new(
        "reader",
        &world.store,
        &Task::descriptor().table,
        quick(),
        |_: Arc<Record>| async { Err(Failure::Record(String::from("no"))) },
    );
    let done = consumer.handle(&json!({ "Records": records })).await;
    assert_eq!(done.unwrap(), json!({ "batchItemFailures": [] }));
    let dead = DeadLetters::new(&world.store);
    (world, dead)
}

/// Two images of nearly 400 KB do not fit into one item; and as text some have many times as much.
#[tokio::test(flavor = "multi_thread")]
async fn the_largest_records_are_kept_whole() {
    let text = |letter: &str| json!({ "S": letter.repeat(390_000 / letter.len()) });
    let records = [
        record("letters", &text("a"), &text("é")),
        record("control", &text("\u{1}"), &text("\u{2}")),
    ];
    let (_world, dead) = none_is_handled(&records).await;
    for written in &records {
        let whole = Record::of_lambda("todo-app-data", written).unwrap();
        let id = written["eventID"].as_str().unwrap();
        let kept = dead.record("reader", id).await;
        assert!(kept == Ok(whole), "{id} is not as it was");
    }
    let letters = dead.of("reader").all().collect().await.unwrap();
    assert!(letters.iter().all(|letter| letter.error == "no"));
    assert!(letters.iter().any(|letter| letter.parts > 9));
    dead.forget("reader", "control").await.unwrap();
    assert_eq!(
        dead.record("reader", "control").await,
        Err(NotFound::NoLetter)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_record_that_cannot_be_kept_whole_the_key_and_the_reason_are() {
    let endless = json!({ "S": "a".repeat(31_000_000) });
    let none = json!({ "S": "" });
    // An id that is longer than any: even the letter does not fit.
    let long = "e".repeat(200);
    let records = [
        record("endless", &endless, &none),
        record(&long, &none, &none),
        record("small", &none, &none),
    ];
    let (_world, dead) = none_is_handled(&records).await;
    let letters = dead.of("reader").all().collect().await.unwrap();
    let ids: Vec<&str> = letters.iter().map(|one| one.event_id.as_str()).collect();
    assert_eq!(ids, ["endless", "small"]);
    let error = &letters[0].error;
    for told in ["no; ", "31000", "\"PK\": S(\"p\")"] {
        assert!(error.contains(told), "{told} is not in {error}");
    }
    let unreadable = dead.record("reader", "endless").await;
    assert!(matches!(unreadable, Err(NotFound::Unreadable(_))));
    assert!(dead.record("reader", "small").await.is_ok());
    dead.forget("reader", "endless").await.unwrap();
}

/// However many are asked for, they are tried one after another, what happened first before the others.
#[tokio::test(flavor = "multi_thread")]
async fn what_happened_first_is_tried_again_first() {
    let many = 25;
    let records: Vec<Value> = (0..many)
        .map(|number| {
            let value = json!({ "N": "1" });
            let mut record = record(&format!("{:02}", many - number), &value, &value);
            record["dynamodb"]["ApproximateCreationDateTime"] = json!(1_700_000_000 + number);
            record
        })
        .collect();
    let (world, dead) = none_is_handled(&records).await;
    for letter in dead.of("reader").all().collect().await.unwrap() {
        dead.ask_again("reader", &letter.event_id).await.unwrap();
    }
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    notebook.has(records.len()).await;
    while !dead.of("reader").all().collect().await.unwrap().is_empty() {}
    running.stop().await;
    let tried: Vec<String> = notebook
        .records()
        .iter()
        .map(|record| record.event_id.clone())
        .collect();
    let happened: Vec<&str> = records
        .iter()
        .map(|record| record["eventID"].as_str().unwrap())
        .collect();
    assert_eq!(tried, happened);
}
