//! S4-21: the service and its consumer as in an account: the tables are deployed, and each has its policies and no other right.

use serde_json::json;
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_stream::model::Stream;
use todo::App;
use todo::model::Todo;

use crate::support::{Api, Asks as _, Policed, With};

#[tokio::test(flavor = "multi_thread")]
async fn the_service_is_ready_and_answers_with_its_policy() {
    let (engine, own) = deployed().await;
    let api = Api::start_with(With {
        policed: Some(own.clone()),
        keep_completed_days: Some(1),
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    let ready = ada.get("~/health/ready").await.expect(200);
    assert_eq!(ready.body["checks"]["tables"], "ok");

    let profile = json!({ "name": "Ada", "email": "ada@example.org" });
    ada.put("/users/me", profile).await.expect(201);
    // Two days ago, by the clock of the service: the time of what is completed has passed by that of the engine.
    api.clock.by_seconds(-2 * 86_400);
    let done = json!({ "title": "done", "status": "completed" });
    ada.task(done).await;
    api.clock.by_seconds(2 * 86_400);
    let id = ada.task(json!({ "title": "first" })).await;
    let path = format!("/tasks/{id}");
    ada.get(&path).await.expect(200);
    let renamed = json!({ "title": "again", "priority": "high", "category": "home", "due_date": "2030-01-01" });
    ada.patch(&path, renamed).await.expect(200);
    for list in [
        "/tasks?sort=created",
        "/tasks?status=pending",
        "/tasks?priority=high",
        "/tasks?category=home",
    ] {
        assert_eq!(ada.titles(list).await, ["again"], "{list}");
    }
    let told = async || ada.get("/stats/tasks").await.expect(200).body;
    assert_eq!(told().await["total"], 2);

    // The one who counts is a program of its own, with policies of its own.
    let policies = [("todo", "todo"), ("stream", "stream")];
    let counting = Policed::new(&engine, &policies, "*").follows(&api.app.table());
    let store = Store::new(counting.client());
    let app = App::new(Todo::new(&store), None).with_streams(engine.streams());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let counts = tokio::spawn(async move {
        app.keep_counts(async { stopped.await.unwrap_or(()) }).await;
    });
    assert_eq!(engine.sweep_ttl().unwrap(), 1);
    while told().await["total"] != 1 {
        let denied = counting.denied();
        assert!(denied.is_empty(), "the consumer needs more: {denied:#?}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(stop);
    counts.await.unwrap();

    ada.delete(&path).await.expect(204);
    ada.delete("/users/me").await.expect(204);
    for policed in [own, counting] {
        let denied = policed.denied();
        assert!(denied.is_empty(), "its policies allow less: {denied:#?}");
    }
}

/// The tables as they are deployed, and the way to them for the service.
async fn deployed() -> (Engine, Policed) {
    let engine = Engine::temporary().unwrap();
    let free = Store::new(engine.dynamodb());
    Todo::new(&free).create_tables().await.unwrap();
    Stream::new(&free).create_tables().await.unwrap();
    let own = Policed::new(&engine, &[("todo", "todo")], "*");
    (engine, own)
}
