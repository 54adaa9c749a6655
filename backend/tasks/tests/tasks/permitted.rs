//! S4-21: the service and its consumers as in an account: the tables are deployed, and each has its policies and no other right.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tablewright::{Entity as _, Store};
use tablewright_local::Engine;
use tablewright_stream::Options;
use tablewright_stream::model::Stream;
use tablewright_testing::{Deployed, functions_of};
use tasks::model::{Assignment, Task, Tasks};
use tasks::rules::Domains;
use tasks::{App, as_function};

use crate::lambda::changes;
use crate::lambda::mails::waits;
use crate::support::{Api, Asks as _, Policed, until};
use crate::told::{events, everybody_as, mails, telling};

/// Beside a server all consumers are one program, which has the policies of all.
#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_told_with_the_policies_that_are_deployed() {
    let engine = Engine::temporary().unwrap();
    let free = Store::new(engine.dynamodb());
    Tasks::new(&free).create_tables().await.unwrap();
    Stream::new(&free).create_tables().await.unwrap();
    let own = Policed::new(&engine, &[("tasks", "tasks")], "*");
    let api = Api::policed(&own).await;
    let (admin, ada) = (api.admin("root").await, api.member("ada").await);
    let ready = admin.get("~/health/ready").await.expect(200);
    assert_eq!(ready.body["checks"]["tables"], "ok");

    let policies = [
        ("tasks", "cleaner"),
        ("tasks", "historian"),
        ("tasks", "notifier"),
        ("stream", "stream"),
    ];
    let followers = Policed::new(&engine, &policies, "*");
    let followers = followers.follows(&Task::descriptor().table.name);
    let tasks = Tasks::new(&Store::new(followers.client()));
    let app = App::new(tasks, Domains::default());
    let folder = tempfile::tempdir().unwrap();
    let consumers = everybody_as(&app, &api.following(), folder.path()).await;

    let (kept, gone) = (admin.task("kept").await, admin.task("gone").await);
    for task in [&kept, &gone] {
        admin.assign(task, "ada").await.expect(200);
    }
    let permitted = || {
        let denied = followers.denied();
        assert!(denied.is_empty(), "a consumer needs more: {denied:#?}");
        true
    };
    // Of a task that is gone by then nothing would be told.
    until(|| permitted() && mails(folder.path()).len() == 2).await;
    ada.status(&kept, "IN_PROGRESS").await.expect(200);
    admin.delete(&format!("/tasks/{gone}")).await.expect(204);
    // Two joined, two created, two assigned, one moved, one deleted with its assignment.
    until(|| permitted() && events(folder.path()).len() == 9).await;
    until(|| permitted() && mails(folder.path()).len() == 3).await;
    let path = format!("/tasks/{kept}/history");
    let history = async || {
        let told = admin.get(&path).await.expect(200).body;
        told["items"].as_array().unwrap().len()
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        // Of these, three are of the task that is kept.
        while permitted() && history().await < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("the history of the task");
    consumers.stop().await;
    for policed in [own, followers] {
        let denied = policed.denied();
        assert!(denied.is_empty(), "its policies allow less: {denied:#?}");
    }
}

/// Calls a function of the stack with what that grants it.
async fn called(engine: &Engine, deployed: &Deployed, event: &Value, folder: &std::path::Path) {
    let policed = deployed.policed(engine, "tasks");
    let app = App::new(
        Tasks::new(&Store::new(policed.client())),
        Domains::default(),
    );
    // Where there is no bus, the log is told: neither has a policy on the table.
    let name = match deployed.name.as_str() {
        "tasks-events-bus" => "tasks-events-log",
        name => name,
    };
    let function = as_function(name, &app, Options::default(), telling(folder).await).unwrap();
    let deadline = Instant::now() + Duration::from_secs(900);
    let answer = function(event.clone(), deadline).await;
    let denied = policed.denied();
    assert!(denied.is_empty(), "{name} is allowed less: {denied:#?}");
    let failures = answer.unwrap()["batchItemFailures"].clone();
    assert!(
        failures.is_null() || failures == json!([]),
        "{name}: {failures}"
    );
}

/// Each does what it is there for with its own policy alone.
#[tokio::test(flavor = "multi_thread")]
async fn each_function_has_the_policy_it_needs() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let free = Store::new(engine.dynamodb());
    Stream::new(&free).create_tables().await.unwrap();
    let api = Api::on(engine.clone(), folder.path()).await;
    let (admin, ada) = (api.admin("root").await, api.member("ada").await);
    let (kept, gone) = (admin.task("kept").await, admin.task("gone").await);
    for task in [&kept, &gone] {
        admin.assign(task, "ada").await.expect(200);
    }
    ada.status(&kept, "IN_PROGRESS").await.expect(200);
    admin.delete(&format!("/tasks/{gone}")).await.expect(204);
    let event = changes(&api).await;
    let now = jiff::Timestamp::now().as_second();
    let functions = functions_of("tasks");
    for deployed in functions.iter().filter(|one| !one.scheduled) {
        called(&engine, deployed, &event, folder.path()).await;
    }
    let sent = mails(folder.path()).len();
    assert!(sent > 0, "by the notifier");
    assert!(!events(folder.path()).is_empty(), "in the log");
    let left = api.stored::<Assignment>().await;
    assert_eq!(left.len(), 1, "the cleaner has been there: {left:?}");
    let history = format!("/tasks/{kept}/history");
    let history = admin.get(&history).await.expect(200).body;
    assert!(!history["items"].as_array().unwrap().is_empty());

    waits(&api, &kept, "e1.TaskAssigned", now).await;
    let tick = json!({ "source": "aws.events", "detail-type": "Scheduled Event", "detail": {} });
    for deployed in functions.iter().filter(|one| one.scheduled) {
        called(&engine, deployed, &tick, folder.path()).await;
    }
    assert_eq!(mails(folder.path()).len(), sent + 1, "what waited");
}
