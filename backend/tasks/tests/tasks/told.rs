//! What happens is told: events to a log, and the history of a task.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tablewright_service::{Settings, Sources};
use tablewright_stream::{Failure, Record};
use tasks::{ABOUT, App, Consumers, Following, SETTINGS, Telling};

use crate::support::{Api, Asks as _, until};

/// A service whose consumers all run, with mails and events in a folder.
pub(crate) async fn everybody(api: &Api, folder: &Path) -> Consumers {
    everybody_as(&api.app, &api.following(), folder).await
}

/// All consumers, by what they have.
pub(crate) async fn everybody_as(app: &App, following: &Following, folder: &Path) -> Consumers {
    let telling = telling(folder).await;
    Consumers::all(app, following).telling(app, following, telling)
}

/// Mails and events in a folder.
pub(crate) async fn telling(folder: &Path) -> Telling {
    let path = |name: &str| folder.join(name).display().to_string();
    let sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable("TABLEWRIGHT_EVENTS_LOG", path("events"))
        .variable("TABLEWRIGHT_MAIL_FOLDER", path("mail"))
        .variable("TABLEWRIGHT_PAGE_URL", "https://tasks.example.org");
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
    Telling::of(&settings).await.unwrap()
}

/// The events of a log, in order.
pub(crate) fn events(folder: &Path) -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(folder.join("events"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    files.sort();
    let texts = files
        .into_iter()
        .map(|file| fs::read_to_string(file).unwrap());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    let names = events
        .iter()
        .map(|event| event["detail-type"].as_str().unwrap());
    names.collect()
}

/// S1-24, S1-33, S1-40: the events of the document, each as its schema says, in the order in which it happened, and the same as the history of the task.
#[tokio::test(flavor = "multi_thread")]
async fn what_happens_to_a_task_is_told_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let (admin, member) = (api.admin("456").await, api.member("123").await);
    let task = admin.task("Fix bug").await;
    let path = format!("/tasks/{task}");
    let whole = json!({ "title": "Fix the bug", "description": "It is red.", "priority": "HIGH" });
    admin.put(&path, whole).await.expect(200);
    admin.assign(&task, "123").await.expect(200);
    member.status(&task, "IN_PROGRESS").await.expect(200);
    member.status(&task, "COMPLETED").await.expect(200);
    admin.close(&task).await.expect(200);
    admin
        .delete(&format!("/tasks/{task}/assignments/123"))
        .await;
    admin.delete(&format!("/tasks/{task}")).await.expect(204);
    // Three things were changed at once; each is told.
    let all = [
        "TaskCreated",
        "TaskRenamed",
        "TaskDescribed",
        "TaskPriorityChanged",
        "TaskAssigned",
        "TaskStatusUpdated",
        "TaskStatusUpdated",
        "TaskClosed",
        "TaskUnassigned",
        "TaskDeleted",
    ];
    admin.user_status("123", "DEACTIVATED").await.expect(200);
    admin.user_status("123", "ACTIVE").await.expect(200);
    let of_people = [
        "UserJoined",
        "UserJoined",
        "UserDeactivated",
        "UserActivated",
    ];
    until(|| events(folder.path()).len() == all.len() + of_people.len()).await;
    let told = events(folder.path());
    let (told, of_others): (Vec<Value>, Vec<Value>) = told
        .into_iter()
        .partition(|event| event["detail"]["TaskId"] == task.as_str());
    assert_eq!(names(&of_others), of_people);
    assert_eq!(of_others[2]["detail"]["UserId"], "123");
    assert_eq!(names(&told), all);
    assert_eq!(told[0]["detail"]["CreatedBy"], "456");
    assert_eq!(told[1]["detail"]["Title"], "Fix the bug");
    assert_eq!(told[2]["detail"]["UpdatedBy"], "456");
    assert_eq!(told[3]["detail"]["Priority"], "HIGH");
    assert_eq!(told[4]["detail"]["UserId"], "123");
    // S1-40, C1-18
    assert_eq!(told[5]["detail"]["NewStatus"], "IN_PROGRESS");
    assert_eq!(told[5]["detail"]["PreviousStatus"], "OPEN");
    assert_eq!(told[5]["detail"]["UpdatedBy"], "123");
    assert_eq!(told[7]["detail"]["ClosedBy"], "456");
    assert_eq!(told[8]["detail"]["RemovedBy"], "456");
    assert_eq!(told[9]["detail"]["DeletedBy"], "456");
    for event in told.iter().chain(&of_others) {
        assert_eq!(event["source"], "tasks");
        let name = event["detail-type"].as_str().unwrap();
        let version = &event["detail"]["_event"]["version"];
        let schema = format!(
            "{}/../../docs/specs/jobs/tasks/events/{name}.v{version}.schema.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let schema = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(event)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{event:#}");
    }

    let path = format!("/tasks/{task}/history?limit=100");
    let mut latest_first = Vec::new();
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while latest_first.len() < all.len() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let history = admin.get(&path).await.expect(200).body;
            let items = history["items"].as_array().unwrap().iter();
            latest_first = items
                .map(|entry| entry["event"].as_str().unwrap().to_owned())
                .collect();
        }
    });
    waited.await.expect("the historian was here");
    latest_first.reverse();
    // What one change tells has one place in the stream, and is in the order of the names there.
    let mut in_history = all;
    in_history[1..4].sort();
    assert_eq!(latest_first, in_history);
    consumers.stop().await;
}

/// 200 assignments of one user to one task at the same time: one is done, one event, one mail.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_assignments_is_one_assignment_one_event_and_one_mail() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let admin = api.admin("456").await;
    api.member("123").await;
    let task = admin.task("Fix bug").await;
    let each = (0..200).map(|_| admin.assign(&task, "123"));
    let mut answers: BTreeMap<u16, usize> = BTreeMap::new();
    for reply in join_all(each).await {
        *answers.entry(reply.status).or_default() += 1;
    }
    assert_eq!(answers, BTreeMap::from([(200, 1), (409, 199)]));
    // What comes after it has come when this has.
    let last = admin.task("The last").await;
    until(|| {
        events(folder.path())
            .iter()
            .any(|event| event["detail"]["TaskId"] == json!(last))
    })
    .await;
    until(|| mails(folder.path()).len() == 1).await;
    consumers.stop().await;
    let told = events(folder.path());
    let assigned = told
        .iter()
        .filter(|event| event["detail-type"] == "TaskAssigned");
    assert_eq!(assigned.count(), 1);
    assert_eq!(mails(folder.path()).len(), 1);
}

/// Each consumer is a function of AWS Lambda too: given the events of the stream it does the same, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn consumers_are_functions_too() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let records: Arc<Mutex<Vec<Value>>> = Arc::default();
    let mut consumers = Consumers::none();
    let seen = Arc::clone(&records);
    let handler = move |record: Arc<Record>| {
        seen.lock().unwrap().push(record.to_json());
        std::future::ready(Ok::<(), Failure>(()))
    };
    consumers.follow("watching", &api.app, &api.following(), handler);
    let task = admin.task("Fix bug").await;
    admin.status(&task, "COMPLETED").await.expect(200);
    // The change is the last that is written.
    let completed = |record: &Value| record["dynamodb"]["NewImage"]["Status"]["S"] == "COMPLETED";
    until(|| records.lock().unwrap().iter().any(completed)).await;
    consumers.stop().await;
    let mut event = json!({ "Records": records.lock().unwrap().clone() });
    let arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/TaskManagement/stream/2026";
    for record in event["Records"].as_array_mut().unwrap() {
        record["eventSourceARN"] = json!(arn);
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let by_schedule = "tasks-waiting-mails";
    for name in tasks::CONSUMERS {
        if name == by_schedule {
            continue;
        }
        let sources = Sources::none()
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            .variable("TABLEWRIGHT_EVENTS_LOG", path("events"))
            .variable("TABLEWRIGHT_MAIL_FOLDER", path("mail"));
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
        let telling = Telling::of(&settings).await.unwrap();
        let options = api.following().options;
        let function = tasks::as_function(name, &api.app, options, telling);
        // Nobody is to be told by these.
        let tells_nobody = ["tasks-events-webhook", "tasks-events-bus"].contains(&name);
        assert_eq!(function.is_none(), tells_nobody, "{name}");
        let Some(function) = function else {
            continue;
        };
        let later = std::time::Instant::now() + Duration::from_secs(900);
        // What comes again changes nothing.
        for _ in 0..2 {
            let handled = function(event.clone(), later).await.unwrap();
            assert_eq!(handled, json!({ "batchItemFailures": [] }), "{name}");
        }
        assert!(function(json!({ "Records": [{}] }), later).await.is_err());
    }
    let history = admin
        .get(&format!("/tasks/{task}/history"))
        .await
        .expect(200);
    assert_eq!(history.body["items"].as_array().unwrap().len(), 2);
    let told = names(&events(folder.path())).len();
    assert!(told >= 3, "{told}");
}

/// The mails of a folder.
pub(crate) fn mails(folder: &Path) -> Vec<Value> {
    let entries = fs::read_dir(folder.join("mail")).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect()
}
