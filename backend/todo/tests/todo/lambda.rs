//! The program under AWS Lambda: its service, and each of its consumers, with events as a gateway and a stream send them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tablewright::{Entity as _, Store};
use tablewright_lake::{LakeModel, Place, Reader, RecordBatch, Status};
use tablewright_local::Engine;
use tablewright_stream::{DeadLetters, image_of_json};
use tablewright_testing::{Function, Gateway, Issuer, served, stored};
use todo::model::{SCHEMA, Task, TaskCounts, Todo};

fn program(words: &[&str], endpoint: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_todo"));
    command
        .args(words)
        .env("TABLEWRIGHT_ENDPOINT", endpoint)
        .env("TABLEWRIGHT_LAKE", folder.join("lake"))
        .current_dir(folder);
    command
}

fn changes() -> Value {
    serde_json::from_str(include_str!("lambda/changes.json")).unwrap()
}

/// The tables as they were when the changes had happened.
async fn after_the_changes() -> (Engine, Store) {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    Todo::new(&store).create_tables().await.unwrap();
    let stream = tablewright_stream::model::Stream::new(&store);
    stream.create_tables().await.unwrap();
    let table = &Task::descriptor().table.name;
    for record in changes()["Records"].as_array().unwrap() {
        let change = &record["dynamodb"];
        match image_of_json(&change["NewImage"]) {
            Ok(image) => {
                let put = store.client().put_item().table_name(table);
                put.set_item(Some(image)).send().await.map(drop).unwrap();
            }
            Err(_) => {
                let keys = image_of_json(&change["Keys"]).unwrap();
                let delete = store.client().delete_item().table_name(table);
                delete.set_key(Some(keys)).send().await.map(drop).unwrap();
            }
        }
    }
    (engine, store)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_answers_a_gateway() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let issuer = Issuer::start().await;
    let mut command = program(&[], &served(&engine).await, folder.path());
    issuer.trusted_by(&mut command);
    let mut todo = Function::start(command).await;
    let (token, tasks) = (issuer.token("ada", &[]), "/api/v1/tasks");

    let made = Gateway::post(tasks, &json!({ "title": "buy milk" })).bearing(&token);
    let made = todo.asked(made).await;
    assert_eq!(
        (made.status, &made.json["title"]),
        (201, &json!("buy milk"))
    );
    let encoded = Gateway::post_in_base64(tasks, &json!({ "title": "größer" })).bearing(&token);
    assert_eq!(todo.asked(encoded).await.json["title"], "größer");
    let listed = todo.asked(Gateway::get(tasks).bearing(&token)).await;
    assert_eq!(listed.json["items"].as_array().unwrap().len(), 2);
    let asked = Gateway::get(&format!("{tasks}?limit=1&status=pending")).bearing(&token);
    assert_eq!(
        todo.asked(asked).await.json["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let asked = Gateway::get(&format!("{tasks}?status=completed")).bearing(&token);
    assert_eq!(todo.asked(asked).await.json["items"], json!([]));
    let again = Gateway::post(tasks, &json!({ "title": "once" }));
    let again = again.bearing(&token).header("idempotency-key", "k-1");
    let first = todo.asked(again.clone()).await.json;
    assert_eq!(todo.asked(again).await.json, first);

    // What the gateway says of a token is not believed without the token.
    let looked_at = todo.asked(Gateway::looked_at(tasks)).await;
    assert_eq!(looked_at.status, 401);
    assert_eq!(looked_at.json["type"], "/problems/unauthenticated");
    let looked_at = Gateway::looked_at(tasks).bearing(&token);
    assert_eq!(todo.asked(looked_at).await.status, 200);
    let lost = todo.asked(Gateway::bad_path().bearing(&token)).await;
    assert!([400, 404].contains(&lost.status), "{lost:?}");
    let page = todo
        .asked(Gateway::with_cookies("/", &["theme=dark"]))
        .await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(
        page.headers["content-type"]
            .as_str()
            .unwrap()
            .contains("html")
    );
}

/// S0-41, C0-19: what time deletes is counted out by a function, once.
#[tokio::test(flavor = "multi_thread")]
async fn counts_are_kept_by_a_function() {
    let (engine, store) = after_the_changes().await;
    let folder = tempfile::tempdir().unwrap();
    let endpoint = served(&engine).await;
    let log = folder.path().join("log");
    let mut command = program(&["follow", "todo-counts"], &endpoint, folder.path());
    command.stderr(File::create(&log).unwrap());
    let mut counts = Function::start(command).await;
    let told = async || {
        let counts = stored::<TaskCounts>(store.client()).await.remove(0);
        (counts.total, counts.by_status_completed)
    };
    assert_eq!(told().await, (2, 1));
    for _ in 0..2 {
        let handled = counts.invoke(&changes()).await.unwrap();
        assert_eq!(handled["batchItemFailures"], json!([]));
        assert_eq!(told().await, (1, 0));
    }

    // What nobody can read is laid aside, and holds nobody up.
    let unreadable = serde_json::from_str(include_str!("lambda/unreadable.json")).unwrap();
    let handled = counts.invoke(&unreadable).await.unwrap();
    assert_eq!(handled["batchItemFailures"], json!([]));
    let dead = DeadLetters::new(&store).of("todo-counts").all().collect();
    assert_eq!(dead.await.unwrap().len(), 1);
    is_what_the_alarm_goes_by(&log, |line| line["level"] == "ERROR", "dead-letter.log");

    let mut foreign = changes();
    foreign["Records"][0]["eventSourceARN"] = json!("arn:aws:dynamodb:eu:1:table/other/stream/x");
    let why = counts.invoke(&foreign).await.unwrap_err();
    assert!(
        why["errorMessage"].as_str().unwrap().contains("other"),
        "{why}"
    );
}

/// A function that lays a record aside, or cannot bring silver up to date, has done its work: nobody hears of it but by an alarm on its log. `infrastructure/test/service.test.ts` holds that the alarm
/// matches the line that is kept here; `TABLEWRIGHT_BLESS=1` writes it anew.
fn is_what_the_alarm_goes_by(log: &Path, goes_by: impl Fn(&Value) -> bool, kept: &str) {
    let log = fs::read_to_string(log).unwrap();
    let logged: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| goes_by(line))
        .map(without_time)
        .collect();
    let [logged] = &logged[..] else {
        panic!("one line: {log}");
    };
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../infrastructure/test")
        .join(kept);
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        fs::write(&kept, format!("{logged}\n")).unwrap();
    }
    let kept: Value = serde_json::from_str(&fs::read_to_string(kept).unwrap()).unwrap();
    assert_eq!(*logged, kept);
}

/// How long something took is another time every time.
fn without_time(mut line: Value) -> Value {
    line.as_object_mut().unwrap().remove("timestamp");
    if let Some(seconds) = line.get_mut("behind_seconds") {
        assert!(seconds.as_f64().unwrap() > 0.0);
        *seconds = json!(900.0);
    }
    line
}

/// What cannot be reached is not handled: from there on Lambda sends the records again.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_handled_as_far_as_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let mut counts = Function::start(program(
        &["follow", "todo-counts"],
        &endpoint,
        folder.path(),
    ))
    .await;
    let handled = counts.invoke(&changes()).await.unwrap();
    // The last of them is the one that time has deleted, and all that needs the tables.
    let last = &changes()["Records"][10]["dynamodb"]["SequenceNumber"];
    assert_eq!(
        handled["batchItemFailures"],
        json!([{ "itemIdentifier": last }])
    );
}

/// S0-50: the lake is written by a function, each change once, however the events are cut.
#[tokio::test(flavor = "multi_thread")]
async fn the_lake_is_written_by_a_function() {
    let (engine, _store) = after_the_changes().await;
    let folder = tempfile::tempdir().unwrap();
    let endpoint = served(&engine).await;
    let start = async || {
        let command = program(&["follow", "todo-lake"], &endpoint, folder.path());
        Function::start(command).await
    };
    let part = |records: std::ops::Range<usize>| {
        let mut event = changes();
        let records = event["Records"].as_array().unwrap()[records].to_vec();
        event["Records"] = json!(records);
        event
    };
    let mut lake = start().await;
    for cut in [0..4, 0..4, 0..7, 3..11] {
        let handled = lake.invoke(&part(cut)).await.unwrap();
        assert_eq!(handled, json!({ "batchItemFailures": [], "state": {} }));
    }
    // Another process goes on where it was.
    drop(lake);
    let mut lake = start().await;
    lake.invoke(&changes()).await.unwrap();
    let end = serde_json::from_str(include_str!("lambda/end-of-window.json")).unwrap();
    lake.invoke(&end).await.unwrap();
    let mut without_shard = changes();
    without_shard["shardId"] = Value::Null;
    let why = lake.invoke(&without_shard).await.unwrap_err();
    assert!(
        why["errorMessage"]
            .as_str()
            .unwrap()
            .contains("tumbling window"),
        "{why}"
    );

    let place = Place::folder(folder.path().join("lake")).unwrap();
    let reader = Reader::open(&place, "todo").unwrap();
    let mut sequences = Vec::new();
    for entity in ["Task", "TaskCounts"] {
        let see = |rows: &RecordBatch| sequences.extend(texts(rows, "sequence"));
        reader.bronze(entity, see).await.unwrap();
    }
    assert_eq!(sequences.len(), 11);
    assert_eq!(sequences.iter().collect::<BTreeSet<_>>().len(), 11);
    let status = Status::of(&place, &LakeModel::new(&SCHEMA)).await.unwrap();
    let tasks = status
        .entities
        .iter()
        .find(|one| one.entity == "Task")
        .unwrap();
    assert_eq!((tasks.rows, tasks.waiting), (Some(1), 0));
}

/// Bronze is written, and nobody would know that silver is not.
#[tokio::test(flavor = "multi_thread")]
async fn a_lake_whose_silver_cannot_be_made_says_for_how_long() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let log = folder.path().join("log");
    let mut command = program(&["follow", "todo-lake"], &endpoint, folder.path());
    command.stderr(File::create(&log).unwrap());
    let mut lake = Function::start(command).await;
    let handled = lake.invoke(&changes()).await.unwrap();
    assert_eq!(handled["batchItemFailures"], json!([]));
    let looked_after = |line: &Value| line["message"] == "silver and gold were looked after";
    is_what_the_alarm_goes_by(&log, looked_after, "looked-after.log");
}

fn texts(rows: &RecordBatch, name: &str) -> Vec<String> {
    let column = rows.column_by_name(name).unwrap();
    (0..rows.num_rows())
        .map(|row| format!("{:?}", column.slice(row, 1)))
        .collect()
}

#[test]
fn a_function_needs_lambda_and_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let told = |words: &[&str], lambda: bool| {
        let mut command = program(words, "temporary", folder.path());
        if lambda {
            command.env("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:1");
        }
        let ended = command.output().unwrap();
        assert!(!ended.status.success());
        String::from_utf8(ended.stderr).unwrap()
    };
    let here = "this is no Lambda: here `todo` runs all of them, beside the service";
    assert!(told(&["follow", "todo-lake"], false).contains(here));
    assert!(told(&["follow", "nobody"], true).contains("there are todo-counts, todo-lake"));
}
