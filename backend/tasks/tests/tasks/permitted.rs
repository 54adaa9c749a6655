//! S4-21: the service and its consumers as in an account: the tables are deployed, and each has its policies and no other right.

use std::time::Duration;

use tablewright::{Entity as _, Store};
use tablewright_local::Engine;
use tablewright_stream::model::Stream;
use tasks::App;
use tasks::model::{Task, Tasks};
use tasks::rules::Domains;

use crate::support::{Api, Asks as _, Policed};
use crate::told::{events, everybody_as, mails};

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
    ada.status(&kept, "IN_PROGRESS").await.expect(200);
    admin.delete(&format!("/tasks/{gone}")).await.expect(204);
    let told = || events(folder.path()).len();
    let history = async || {
        let path = format!("/tasks/{kept}/history");
        let told = admin.get(&path).await.expect(200).body;
        told["items"].as_array().unwrap().len()
    };
    let mailed = || mails(folder.path()).len();
    // Two created, two assigned, one moved, one deleted with its assignment; of these, three of the task that is kept.
    while told() < 7 || history().await < 3 || mailed() < 3 {
        let denied = followers.denied();
        assert!(denied.is_empty(), "a consumer needs more: {denied:#?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consumers.stop().await;
    for policed in [own, followers] {
        let denied = policed.denied();
        assert!(denied.is_empty(), "its policies allow less: {denied:#?}");
    }
}
