//! The program under AWS Lambda: its service, and each of its consumers.

mod bus;
pub(crate) mod mails;
mod webhook;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tablewright::Entity as _;
use tablewright_local::Engine;
use tablewright_stream::{Failure, Record};
use tablewright_testing::{Function, Gateway, Issuer, served, stream_event};
use tasks::Consumers;
use tasks::model::{Assignment, Task};

use crate::races::history;
use crate::support::{Api, Asks as _, until};
use crate::told::{events, mails};

fn program(words: &[&str], endpoint: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tasks"));
    command
        .args(words)
        .env("TABLEWRIGHT_ENDPOINT", endpoint)
        .env("TABLEWRIGHT_EVENTS_LOG", folder.join("events"))
        .env("TABLEWRIGHT_MAIL_FOLDER", folder.join("mail"))
        .current_dir(folder);
    command
}

/// The event of everything that has changed, in its order. Nothing may change meanwhile.
pub(crate) async fn changes(api: &Api) -> Value {
    let all = history(api).await.len();
    // By their place in the stream: one may come again.
    let records: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
    let seen = Arc::clone(&records);
    let mut consumers = Consumers::none();
    let handler = move |record: Arc<Record>| {
        let record = record.to_json();
        seen.lock().unwrap().insert(sequence(&record), record);
        std::future::ready(Ok::<(), Failure>(()))
    };
    consumers.follow("watching", &api.app, &api.following(), handler);
    until(|| records.lock().unwrap().len() == all).await;
    consumers.stop().await;
    let records: Vec<Value> = records.lock().unwrap().values().cloned().collect();
    stream_event(&Task::descriptor().table.name, &records)
}

/// Where in the stream a record is, so that it can be compared.
fn sequence(record: &Value) -> String {
    let number = record["dynamodb"]["SequenceNumber"].as_str().unwrap();
    format!("{number:0>40}")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_answers_a_gateway() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let issuer = Issuer::start().await;
    let mut command = program(&[], &served(&engine).await, folder.path());
    issuer.trusted_by(&mut command);
    let mut tasks = Function::start(command).await;
    let path = "/api/v1/tasks";
    let (admin, member) = (
        issuer.token("grace", &["Admins"]),
        issuer.token("alan", &["Members"]),
    );
    let task = json!({ "title": "Fix bug" });
    let made = tasks
        .asked(Gateway::post(path, &task).bearing(&admin))
        .await;
    assert_eq!((made.status, &made.json["title"]), (201, &json!("Fix bug")));
    let encoded = Gateway::post_in_base64(path, &task).bearing(&admin);
    assert_eq!(tasks.asked(encoded).await.status, 201);
    let refused = tasks
        .asked(Gateway::post(path, &task).bearing(&member))
        .await;
    assert_eq!(refused.status, 403, "{refused:?}");
    // The gateway may say that somebody is an admin; the token has to.
    assert_eq!(tasks.asked(Gateway::looked_at(path)).await.status, 401);
    let listed = tasks.asked(Gateway::looked_at(path).bearing(&admin)).await;
    assert_eq!(listed.json["items"].as_array().unwrap().len(), 2);
    let lost = tasks.asked(Gateway::bad_path().bearing(&admin)).await;
    assert!([400, 404].contains(&lost.status), "{lost:?}");
    let page = tasks
        .asked(Gateway::with_cookies("/", &["theme=dark"]))
        .await;
    assert_eq!(page.status, 200, "{page:?}");
}

/// Each does what it does beside the server, once, however often the event comes.
#[tokio::test(flavor = "multi_thread")]
async fn each_consumer_is_a_function() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let (admin, _alan) = (api.admin("456").await, api.member("alan").await);
    let (kept, gone) = (admin.task("Fix bug").await, admin.task("Never mind").await);
    for task in [&kept, &gone] {
        admin.assign(task, "alan").await.expect(200);
    }
    admin.status(&kept, "COMPLETED").await.expect(200);
    admin.delete(&format!("/tasks/{gone}")).await.expect(204);
    // Two people, two tasks, two assignments, a change and a deletion, and what these count.
    let event = changes(&api).await;
    for name in [
        "tasks-cleaner",
        "tasks-historian",
        "tasks-notifier",
        "tasks-events-log",
    ] {
        let words = ["follow", name];
        let mut function = Function::start(program(&words, &endpoint, folder.path())).await;
        for _ in 0..2 {
            let handled = function.invoke(&event).await.unwrap();
            assert_eq!(handled, json!({ "batchItemFailures": [] }), "{name}");
        }
        assert!(
            function.invoke(&json!({ "Records": [{}] })).await.is_err(),
            "{name}"
        );
    }
    let assignments = api.stored::<Assignment>().await;
    assert_eq!(
        assignments.len(),
        1,
        "what was deleted has nobody: {assignments:?}"
    );
    let history = admin
        .get(&format!("/tasks/{kept}/history"))
        .await
        .expect(200);
    let history = history.body["items"].as_array().unwrap().len();
    assert!(history >= 3, "{history}");
    let told = events(folder.path());
    assert!(
        told.iter()
            .any(|event| event["detail-type"] == "TaskCreated"),
        "{told:?}"
    );
    let mails = mails(folder.path());
    let to_alan = mails
        .iter()
        .filter(|mail| mail["to"].to_string().contains("alan"));
    assert!(to_alan.count() >= 1, "{mails:?}");

    let mut nobody = program(&["follow", "tasks-events-bus"], &endpoint, folder.path());
    let nobody = nobody.env("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:1").output();
    let said = String::from_utf8(nobody.unwrap().stderr).unwrap();
    assert!(said.contains("nobody it could tell"), "{said}");
}
