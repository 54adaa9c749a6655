//! The same handlers under AWS Lambda.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablewright::Entity as _;
use tablewright_stream::model::Stream;
use tablewright_stream::{Cause, DeadLetters, Failure, LambdaConsumer, Record};
use todo::model::Task;
use tokio::sync::Notify;

use crate::support::{Notebook, World, quick};

const ARN: &str =
    "arn:aws:dynamodb:eu-west-1:123456789012:table/todo-app-data/stream/2026-01-01T00:00:00.000";

pub(crate) fn record(sequence: u32, event: &str) -> Value {
    json!({
        "eventID": event, "eventName": "INSERT", "eventSource": "aws:dynamodb", "eventSourceARN": ARN, "awsRegion": "eu-west-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_763_200_000, "SequenceNumber": sequence.to_string(), "SizeBytes": 26, "StreamViewType": "NEW_AND_OLD_IMAGES",
            "Keys": { "PK": { "S": event }, "SK": { "S": "x" } }, "NewImage": { "PK": { "S": event }, "SK": { "S": "x" }, "title": { "S": event } },
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_reported_and_comes_again_with_all_after_it() {
    let world = World::new().await;
    let notebook = Notebook::default();
    let book = notebook.clone();
    let handler = move |record: Arc<Record>| {
        let book = book.clone();
        async move {
            match record.event_id.as_str() {
                "down" => Err(Failure::World(String::from("down"))),
                "poison" => Err(Failure::Record(String::from("bitter"))),
                _ => {
                    book.note(record);
                    Ok(())
                }
            }
        }
    };
    let consumer = LambdaConsumer::new(
        "reader",
        &world.store,
        &Task::descriptor().table,
        quick(),
        handler,
    );
    // A record that is as old as this would be a dead letter at once.
    let now = world.store.now_millis() / 1000;
    let young = |sequence: u32, event: &str| {
        let mut record = record(sequence, event);
        record["dynamodb"]["ApproximateCreationDateTime"] = json!(now);
        record
    };
    let event = json!({ "Records": [young(1, "a"), young(2, "poison"), young(3, "b"), young(4, "down"), young(5, "c")] });
    let answer = consumer.handle(&event).await.unwrap();
    assert_eq!(
        answer,
        json!({ "batchItemFailures": [{ "itemIdentifier": "4" }] })
    );
    assert_eq!(notebook.titles(), ["a", "b"]);
    let dead = DeadLetters::new(&world.store)
        .of("reader")
        .all()
        .collect()
        .await
        .unwrap();
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].event_id, "poison");
    let answer = consumer
        .handle(&json!({ "Records": [young(5, "c")] }))
        .await
        .unwrap();
    assert_eq!(answer, json!({ "batchItemFailures": [] }));

    for wrong in [
        json!({}),
        json!({ "Records": [{}] }),
        json!({ "Records": [{ "eventSourceARN": ARN }] }),
    ] {
        assert!(consumer.handle(&wrong).await.is_err(), "{wrong}");
    }
    let mut foreign = young(6, "d");
    foreign["eventSourceARN"] = json!(ARN.replace("todo-app-data", "another"));
    assert!(
        consumer
            .handle(&json!({ "Records": [foreign] }))
            .await
            .is_err()
    );
    assert_eq!(notebook.titles(), ["a", "b", "c"]);
}

/// The first waits for the second: one after another they would come to no end. Those of one item keep their order all the same.
#[tokio::test(flavor = "multi_thread")]
async fn side_by_side_one_that_takes_long_keeps_no_other_waiting() {
    let world = World::new().await;
    let (notebook, second_came) = (Notebook::default(), Arc::new(Notify::new()));
    let (book, second) = (notebook.clone(), Arc::clone(&second_came));
    let handler = move |record: Arc<Record>| {
        let (book, second) = (book.clone(), Arc::clone(&second));
        async move {
            match record.event_id.as_str() {
                "first" => second.notified().await,
                "second" => second.notify_one(),
                "down" | "out" => return Err(Failure::World(String::from("down"))),
                _ => {}
            }
            book.note(record);
            Ok(())
        }
    };
    let (table, now) = (&Task::descriptor().table, world.store.now_millis() / 1000);
    let consumer = LambdaConsumer::new("reader", &world.store, table, quick(), handler);
    let consumer = consumer.side_by_side();
    let young = |sequence: u32, event: &str, item: &str| {
        let mut record = record(sequence, event);
        record["dynamodb"]["ApproximateCreationDateTime"] = json!(now);
        record["dynamodb"]["Keys"]["PK"] = json!({ "S": item });
        record
    };
    let event = json!({ "Records": [
        young(1, "first", "a"), young(2, "after", "a"), young(3, "second", "b"), young(4, "down", "c"), young(5, "never", "c"), young(6, "out", "d"),
    ] });
    let handled = tokio::time::timeout(Duration::from_secs(60), consumer.handle(&event));
    let answer = handled.await.expect("nobody waits for ever").unwrap();
    assert_eq!(
        answer,
        json!({ "batchItemFailures": [{ "itemIdentifier": "4" }] }),
        "the first that failed"
    );
    assert_eq!(notebook.titles(), ["second", "first", "after"]);
}

/// What a handler refuses is tried with waits, as by a consumer of its own; its letter is known to the commands, and is tried again when somebody asks, with what changes next.
#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_are_known_and_tried_again() {
    let world = World::new().await;
    let stream = Stream::new(&world.store);
    let (notebook, heals) = (Notebook::default(), Arc::new(AtomicBool::new(false)));
    let attempts: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let (book, healed, tried) = (notebook.clone(), Arc::clone(&heals), Arc::clone(&attempts));
    let handler = move |record: Arc<Record>| {
        let (book, healed, tried) = (book.clone(), Arc::clone(&healed), Arc::clone(&tried));
        async move {
            if record.event_id == "poison" {
                tried.lock().unwrap().push(Instant::now());
                if !healed.load(Ordering::SeqCst) {
                    return Err(Failure::Record(String::from("bitter")));
                }
            }
            book.note(record);
            Ok(())
        }
    };
    let (table, options) = (&Task::descriptor().table, quick());
    let consumer = || LambdaConsumer::new("reader", &world.store, table, options, handler.clone());
    let mut strange = record(2, "strange");
    strange["dynamodb"]["NewImage"]["new"] = json!({ "Q": "?" });
    let event =
        json!({ "Records": [record(1, "a"), strange, record(3, "poison"), record(4, "b")] });
    let answer = consumer().handle(&event).await.unwrap();
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    assert_eq!(notebook.titles(), ["a", "b"], "nothing is held up");
    {
        let tried = attempts.lock().unwrap();
        assert_eq!(tried.len(), options.attempts as usize);
        // Half of it is by chance.
        let least = options.first_wait / 2;
        assert!(
            tried.windows(2).all(|two| two[1] - two[0] >= least),
            "it was waited between them"
        );
    }
    let readers = stream.readers.readers().all().collect().await.unwrap();
    let names: Vec<&str> = readers
        .iter()
        .map(|reader| reader.consumer.as_str())
        .collect();
    assert_eq!(names, ["reader"]);
    let dead = DeadLetters::new(&world.store);
    let letters = async || dead.of("reader").all().collect().await.unwrap().len();
    assert_eq!(letters().await, 2);

    heals.store(true, Ordering::SeqCst);
    dead.ask_again("reader", "poison").await.unwrap();
    // Another process is called for the next change.
    let next = json!({ "Records": [record(5, "c")] });
    consumer().handle(&next).await.unwrap();
    assert_eq!(notebook.titles(), ["a", "b", "c", "poison"]);
    assert_eq!(letters().await, 1, "what cannot be read is kept");
}

#[test]
fn a_record_is_the_same_in_both_forms() {
    let mut told = record(7, "e");
    told["userIdentity"] = json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" });
    let record = Record::of_lambda("todo-app-data", &told).unwrap();
    assert_eq!(record.cause, Cause::TimeToLive);
    assert_eq!(record.happened, 1_763_200_000_000);
    assert_eq!(
        Record::of_lambda("todo-app-data", &record.to_json()).unwrap(),
        record
    );
}
