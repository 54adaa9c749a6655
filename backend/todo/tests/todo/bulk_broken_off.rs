//! Requests for many tasks that did not do all of it: more than fit, or broken off.

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tablewright::Patience;

use crate::support::{Api, Caller, Fault, Reply, Wire, With};

async fn tasks(caller: &Caller, count: usize, status: &str) {
    let made = join_all((0..count).map(|_| caller.task(json!({ "title": "x", "status": status }))));
    assert_eq!(made.await.len(), count);
}

async fn clear(caller: &Caller, headers: &[(&str, &str)]) -> Reply {
    let path = "/tasks/bulk/delete-completed";
    caller.send(Method::POST, path, None, headers).await
}

/// S0-33, S0-34: a thousand at once, and whether there are more.
#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_thousand_are_told() {
    let api = Api::start().await;
    let ada = api.person("ada");
    tasks(&ada, 1003, "pending").await;
    let all = json!({ "status": "completed", "filter": { "status": ["pending"] } });
    for (changed, more) in [(1000, true), (3, false)] {
        let done = ada.post("/tasks/bulk/status", all.clone()).await;
        let done = done.expect(200).body;
        assert_eq!(
            (&done["changed"], &done["more"]),
            (&json!(changed), &json!(more))
        );
        assert_eq!(done["results"].as_array().unwrap().len(), changed);
    }
    for (deleted, more) in [(1000, true), (3, false)] {
        let done = clear(&ada, &[]).await.expect(200).body;
        assert_eq!(done, json!({ "deleted": deleted, "more": more }));
    }
    assert_eq!(ada.get("/stats/tasks").await.expect(200).body["total"], 0);
    api.agrees().await;
}

/// S0-33, S0-34: where the last one is the thousandth, there are no more.
#[tokio::test(flavor = "multi_thread")]
async fn exactly_a_thousand_are_all() {
    let api = Api::start().await;
    let ada = api.person("ada");
    tasks(&ada, 1000, "pending").await;
    let all = json!({ "status": "completed", "filter": { "status": ["pending"] } });
    let done = ada.post("/tasks/bulk/status", all).await.expect(200).body;
    assert_eq!(
        (&done["changed"], &done["more"]),
        (&json!(1000), &json!(false))
    );
    let done = clear(&ada, &[]).await.expect(200).body;
    assert_eq!(done, json!({ "deleted": 1000, "more": false }));
}

/// A service that gives up soon.
async fn impatient() -> (Api, Wire) {
    let wire = Wire::new();
    let with = With {
        wire: Some(wire.clone()),
        patience: Patience {
            attempts: 2,
            ..Patience::default()
        },
        ..With::default()
    };
    (Api::start_with(with).await, wire)
}

/// S0-33, S0-34: a request that broke off in the middle is sent again, with its key, and does what is left.
#[tokio::test(flavor = "multi_thread")]
async fn what_broke_off_is_taken_up() {
    let (api, wire) = impatient().await;
    let ada = api.person("ada");
    tasks(&ada, 30, "pending").await;
    let key = [("idempotency-key", "k")];
    let break_off = || {
        wire.plan("TransactWriteItems", (0..10).map(|_| Fault::None));
        wire.plan("TransactWriteItems", (0..1000).map(|_| Fault::Throttle));
    };
    let count = async |status: &str| -> Value {
        let counts = ada.get("/stats/tasks").await.expect(200).body;
        counts["by_status"][status].clone()
    };
    let body = Some(json!({ "status": "completed", "filter": {} }));
    let complete = async || {
        let path = "/tasks/bulk/status";
        ada.send(Method::POST, path, body.clone(), &key).await
    };
    break_off();
    complete().await.problem(503, "overloaded", "");
    assert_eq!(count("completed").await, 10);
    wire.forget_faults();
    let done = complete().await.expect(200);
    assert_eq!(done.header("idempotency-replayed"), None);
    assert_eq!(done.body["changed"], 20);
    assert_eq!(count("completed").await, 30);
    break_off();
    clear(&ada, &key).await.problem(503, "overloaded", "");
    assert_eq!(count("completed").await, 20);
    wire.forget_faults();
    let done = clear(&ada, &key).await.expect(200);
    assert_eq!(done.body, json!({ "deleted": 20, "more": false }));
    api.agrees().await;
}

/// C0-22: so is the end of a user.
#[tokio::test(flavor = "multi_thread")]
async fn a_user_whose_end_broke_off_can_go_on() {
    let (api, wire) = impatient().await;
    let ada = api.person("ada");
    ada.put("/users/me", json!({})).await.expect(201);
    tasks(&ada, 30, "pending").await;
    wire.plan("TransactWriteItems", (0..10).map(|_| Fault::None));
    wire.plan("TransactWriteItems", (0..1000).map(|_| Fault::Throttle));
    ada.delete("/users/me").await.problem(503, "overloaded", "");
    ada.get("/users/me").await.expect(200);
    wire.forget_faults();
    ada.delete("/users/me").await.expect(204);
    let report = todo::check::check(&api.app).await.unwrap();
    let left = (report.users, report.tasks, report.faults.len());
    assert_eq!(left, (0, 0, 0), "{report}");
}
