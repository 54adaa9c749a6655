//! The lake as a function of AWS Lambda, whose calls have an end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablewright::Store;
use tablewright_lake::{Lake, Place, Status};
use tablewright_local::connect;
use tablewright_testing::Ahead;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::support::{World, agree, model, quick, sequences};

fn event(sequence: u32) -> Value {
    let stream =
        "arn:aws:dynamodb:eu-central-1:1:table/todo-app-data/stream/2026-11-15T00:00:00.000";
    let key = json!({ "PK": { "S": "TASK#ada" }, "SK": { "S": format!("TASK#{sequence}") } });
    let mut image = key.clone();
    image["Type"] = json!({ "S": "Task" });
    json!({
        "eventSourceARN": stream,
        "shardId": "shardId-1",
        "window": {},
        "isFinalInvokeForWindow": true,
        "Records": [{
            "eventID": format!("e{sequence}"),
            "eventSourceARN": stream,
            "dynamodb": { "Keys": key, "SequenceNumber": sequence.to_string(), "NewImage": image },
        }],
    })
}

// A table that is too large to be read in a call: here it never answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_before_its_deadline_and_bronze_is_written_though_silver_cannot_be_made() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let connection = connect(&endpoint.parse().unwrap()).await.unwrap();
    let store = Store::new(connection.dynamodb);
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let function = Lake::as_function(place.clone(), model(), quick(), &store);
    for sequence in 1..=3 {
        let deadline = Instant::now() + Duration::from_secs(20);
        let call = function(event(sequence), deadline);
        // Lambda ends who has not answered by then.
        let answered = tokio::time::timeout_at(deadline.into(), call).await;
        let answered = answered.expect("it answers in time").unwrap();
        assert_eq!(answered["batchItemFailures"], json!([]));
        assert_eq!(sequences(&place).await.len(), sequence as usize);
    }
    let status = Status::of(&place, &model()).await.unwrap();
    assert!(status.entities.iter().all(|entity| entity.rows.is_none()));
}

/// Refuses every request, and tells of each that would read a table whole.
async fn refusing(endpoint: TcpListener, scans: mpsc::UnboundedSender<()>) {
    const REFUSED: &str = r#"{"__type":"com.amazon.coral.validate#ValidationException"}"#;
    loop {
        let (mut caller, _) = endpoint.accept().await.unwrap();
        let scans = scans.clone();
        tokio::spawn(async move {
            let mut request = vec![0; 64 << 10];
            while let Ok(1..) = caller.read(&mut request).await {
                let text = String::from_utf8_lossy(&request).to_lowercase();
                if text.contains("dynamodb_20120810.scan") {
                    let _ = scans.send(());
                }
                request.fill(0);
                let length = REFUSED.len();
                let answer = format!(
                    "HTTP/1.1 400 Bad Request\r\nContent-Length: {length}\r\n\r\n{REFUSED}"
                );
                if caller.write_all(answer.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
    }
}

// As when there is no room for what is made: a table that is read whole in each call, for nothing, costs as much as one that is used.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_which_silver_cannot_be_made_is_not_read_again_in_every_call() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (scans, mut told) = mpsc::unbounded_channel();
    let refusing = tokio::spawn(refusing(listener, scans));
    let connection = connect(&endpoint.parse().unwrap()).await.unwrap();
    let store = Store::new(connection.dynamodb);
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let function = Lake::as_function(place.clone(), model(), quick(), &store);
    for sequence in 1..=3 {
        let deadline = Instant::now() + Duration::from_secs(60);
        let answered = function(event(sequence), deadline).await.unwrap();
        assert_eq!(answered["batchItemFailures"], json!([]));
        assert_eq!(sequences(&place).await.len(), sequence as usize);
    }
    refusing.abort();
    let mut many = 0;
    while told.try_recv().is_ok() {
        many += 1;
    }
    assert_eq!(many, 1, "the table was read in more calls than the first");
}

// Lambda gives it what the stream still has, and does not say what that had forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_was_not_called_for_longer_than_changes_are_kept_makes_silver_anew() {
    let world = World::new().await;
    let clock = Ahead::default();
    let store = Store::builder(world.engine.dynamodb()).clock(clock.clone());
    let store = store.build();
    let function = Lake::as_function(world.place(), model(), quick(), &store);
    let call = async |sequence| {
        let deadline = Instant::now() + Duration::from_secs(60);
        let answered = function(event(sequence), deadline).await.unwrap();
        assert_eq!(answered["batchItemFailures"], json!([]));
    };
    world.write("ada", "told").await;
    call(1).await;
    agree(&world.silver("Task").await, &world.tasks().await);
    world.write("ada", "never told").await;
    clock.by_seconds(22 * 3600);
    call(2).await;
    assert_eq!(
        world.silver("Task").await.len(),
        2,
        "what was told, and the item of the call"
    );
    clock.by_seconds(24 * 3600);
    call(3).await;
    agree(&world.silver("Task").await, &world.tasks().await);
    assert_eq!(world.silver("Task").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_cannot_write_does_not_say_that_all_is_there() {
    let world = World::new().await;
    let clock = Ahead::default();
    let store = Store::builder(world.engine.dynamodb()).clock(clock.clone());
    let store = store.build();
    let function = Lake::as_function(world.place(), model(), quick(), &store);
    let call = async |sequence| {
        // What it says of itself is written once in a minute.
        clock.by_seconds(120);
        let now = store.now_millis();
        let mut event = event(sequence);
        event["Records"][0]["dynamodb"]["ApproximateCreationDateTime"] = json!(now / 1000);
        let deadline = Instant::now() + Duration::from_secs(60);
        let answered = function(event, deadline).await.unwrap();
        (now, answered["batchItemFailures"].as_array().unwrap().len())
    };
    let as_of = async || world.reader().as_of().await.unwrap().unwrap();
    let (first, failed) = call(1).await;
    assert_eq!(failed, 0);
    assert!(as_of().await >= first);
    let bronze = world.folder.path().join("todo/bronze/entity=Task");
    std::fs::rename(&bronze, world.folder.path().join("aside")).unwrap();
    std::fs::write(&bronze, "").unwrap();
    let (second, failed) = call(2).await;
    assert_eq!(failed, 1);
    assert!(as_of().await < second);
    std::fs::remove_file(&bronze).unwrap();
    std::fs::rename(world.folder.path().join("aside"), &bronze).unwrap();
    let (third, failed) = call(2).await;
    assert_eq!(failed, 0);
    assert!(as_of().await >= third);
}
