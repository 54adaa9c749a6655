//! Requests for many tasks that did not do all of it: more than fit, or broken off.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tablewright::Patience;

use crate::support::{Api, Asks as _, Caller, Fault, Reply, Wire, With};

async fn tasks(caller: &Caller, count: usize, status: &str) {
    let made = join_all((0..count).map(|_| caller.task(json!({ "title": "x", "status": status }))));
    assert_eq!(made.await.len(), count);
}

async fn clear(caller: &Caller, headers: &[(&str, &str)]) -> Reply {
    let path = "/tasks/bulk/delete-completed";
    caller.send(Method::POST, path, None, headers).await
}

/// A service whose requests may take as long as they like.
async fn with_time() -> Api {
    let settings = vec![("TABLEWRIGHT_REQUEST_TIMEOUT", String::from("15m"))];
    Api::start_with(With {
        settings,
        ..With::default()
    })
    .await
}

/// S0-33, S0-34: a thousand at once, and whether there are more.
#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_thousand_are_told() {
    let api = with_time().await;
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
    let api = with_time().await;
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
    let broken = complete().await.problem(503, "overloaded");
    assert!(broken.text_of("detail").contains("Send the request again"));
    assert_eq!(count("completed").await, 10);
    wire.forget_faults();
    let done = complete().await.expect(200);
    assert_eq!(done.header("idempotency-replayed"), None);
    assert_eq!(done.body["changed"], 30);
    assert_eq!(done.body["results"].as_array().unwrap().len(), 30);
    assert_eq!(count("completed").await, 30);
    break_off();
    clear(&ada, &key).await.problem(503, "overloaded");
    assert_eq!(count("completed").await, 20);
    wire.forget_faults();
    let done = clear(&ada, &key).await.expect(200);
    assert_eq!(done.body, json!({ "deleted": 30, "more": false }));
    api.agrees().await;
}

/// A service whose requests have fifteen seconds, and the way to its engine.
async fn in_a_hurry() -> (Wire, Api) {
    let wire = Wire::new();
    let with = With {
        wire: Some(wire.clone()),
        settings: vec![("TABLEWRIGHT_REQUEST_TIMEOUT", String::from("15s"))],
        ..With::default()
    };
    (wire, Api::start_with(with).await)
}

/// S0-33, S0-34: what there is no time for is told as such, before the time of the request is over; the next request does it.
#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_no_time_for_is_told() {
    let (wire, api) = in_a_hurry().await;
    let ada = api.person("ada");
    let ids: Vec<String> = join_all((0..40).map(|_| ada.task(json!({ "title": "x" })))).await;
    // Longer than a request works: two thirds of its time.
    let slow = || {
        let wait =
            |_: &tablewright_local::Engine| std::thread::sleep(Duration::from_millis(10_100));
        wire.plan("TransactWriteItems", [Fault::After(Box::new(wait))]);
    };
    let change = async |body: &Value| {
        let done = ada.post("/tasks/bulk/status", body.clone()).await;
        done.expect(200).body
    };
    let told = |body: &Value, outcome: &str| {
        let results = body["results"].as_array().unwrap().iter();
        results.filter(|one| one["result"] == outcome).count()
    };
    slow();
    let by_ids = json!({ "status": "completed", "ids": ids });
    let done = change(&by_ids).await;
    assert_eq!(done["more"], true);
    assert_eq!(
        [told(&done, "changed"), told(&done, "not_reached")],
        [8, 32]
    );
    let rest = change(&by_ids).await;
    assert_eq!([told(&rest, "changed"), told(&rest, "unchanged")], [32, 8]);
    assert_eq!(rest["more"], false);
    slow();
    let done = clear(&ada, &[]).await.expect(200).body;
    assert_eq!(done, json!({ "deleted": 8, "more": true }));
    let done = clear(&ada, &[]).await.expect(200).body;
    assert_eq!(done, json!({ "deleted": 32, "more": false }));
    api.agrees().await;
}

/// S0-33: a request that is sent again gets on, however much of it is done: what has its status takes no time from the rest.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_takes_no_time_from_the_rest() {
    let (wire, api) = in_a_hurry().await;
    let ada = api.person("ada");
    let ids: Vec<String> = join_all((0..40).map(|_| ada.task(json!({ "title": "x" })))).await;
    let complete = async |ids: &[String]| {
        let body = json!({ "status": "completed", "ids": ids });
        let done = ada.post("/tasks/bulk/status", body).await;
        done.expect(200).body
    };
    complete(&ids[..20]).await;
    // The first that are looked at take all the time there is.
    let wait = |_: &tablewright_local::Engine| std::thread::sleep(Duration::from_millis(10_100));
    wire.plan("GetItem", [Fault::After(Box::new(wait))]);
    let done = complete(&ids).await;
    let results = done["results"].as_array().unwrap().iter();
    let results: Vec<&str> = results.map(|one| one["result"].as_str().unwrap()).collect();
    assert_eq!(results[..20], ["unchanged"; 20]);
    assert_eq!(results[20..28], ["changed"; 8]);
    assert_eq!(results[28..], ["not_reached"; 12]);
    assert_eq!((&done["changed"], &done["more"]), (&json!(8), &json!(true)));
    // What has its status costs one reading of all.
    complete(&ids).await;
    wire.take_sent();
    let done = complete(&ids).await;
    assert_eq!(
        (&done["changed"], &done["more"]),
        (&json!(0), &json!(false))
    );
    let sent = wire.take_sent();
    let sent: Vec<&str> = sent.iter().map(|sent| sent.operation.as_str()).collect();
    assert_eq!(sent, ["BatchGetItem"]);
    api.agrees().await;
}

/// S0-33: tasks are changed several at once: the second is read before the first is written.
#[tokio::test]
async fn several_tasks_are_changed_at_once() {
    let wire = Wire::new();
    let with = With {
        wire: Some(wire.clone()),
        ..With::default()
    };
    let api = Api::start_with(with).await;
    let ada = api.person("ada");
    let ids: Vec<String> = join_all((0..12).map(|_| ada.task(json!({ "title": "x" })))).await;
    wire.take_sent();
    let body = json!({ "status": "completed", "ids": ids });
    ada.post("/tasks/bulk/status", body).await.expect(200);
    let sent = wire.take_sent();
    let first: Vec<&str> = sent
        .iter()
        .skip(1)
        .take(8)
        .map(|sent| sent.operation.as_str())
        .collect();
    assert_eq!(first, ["GetItem"; 8]);
}

/// S0-34: who says that there are no more has left none, however much others edit them.
#[tokio::test(flavor = "multi_thread")]
async fn completed_tasks_that_others_edit_are_deleted_or_told() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for round in 0..4 {
        let make = || ada.task(json!({ "title": "x", "status": "completed" }));
        let ids = join_all((0..3).map(|_| make())).await;
        let (end, ended) = tokio::sync::watch::channel(false);
        let editors = (0..9).map(|number| {
            let (ada, ended) = (ada.clone(), ended.clone());
            let path = format!("/tasks/{}", ids[number % 3]);
            tokio::spawn(async move {
                let mut edits = 0;
                while !*ended.borrow() {
                    edits += 1;
                    let body = json!({ "title": format!("{number} {edits}") });
                    ada.patch(&path, body).await;
                }
            })
        });
        let editors: Vec<_> = editors.collect();
        let done = clear(&ada, &[]).await.expect(200).body;
        let left = ada.titles("/tasks?status=completed").await.len();
        let deleted = done["deleted"].as_u64().unwrap();
        assert_eq!(deleted + left as u64, 3, "round {round}: {done}");
        assert_eq!(done["more"], json!(left > 0), "round {round}: {done}");
        end.send(true).unwrap();
        for editor in editors {
            editor.await.unwrap();
        }
        clear(&ada, &[]).await.expect(200);
    }
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
    ada.delete("/users/me").await.problem(503, "overloaded");
    ada.get("/users/me").await.expect(200);
    wire.forget_faults();
    ada.delete("/users/me").await.expect(204);
    let report = todo::check::check(&api.app).await.unwrap();
    let left = (report.users, report.tasks, report.faults.len());
    assert_eq!(left, (0, 0, 0), "{report}");
}
