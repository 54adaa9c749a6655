//! Requests of many steps: the key is claimed before the first of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tablewright::Patience;
use tokio::sync::Notify;

use crate::support::{Api, Asks as _, Caller, Fault, Reply, Wire, With};

/// A service that gives up soon.
async fn impatient() -> (Api, Wire, Caller) {
    impatient_with(Vec::new()).await
}

async fn impatient_with(settings: Vec<(&'static str, String)>) -> (Api, Wire, Caller) {
    let wire = Wire::new();
    let with = With {
        settings,
        wire: Some(wire.clone()),
        patience: Patience {
            attempts: 2,
            ..Patience::default()
        },
        ..With::default()
    };
    let api = Api::start_with(with).await;
    let ada = api.person("ada");
    (api, wire, ada)
}

async fn tasks(caller: &Caller, count: usize, status: &str) -> Vec<String> {
    join_all((0..count).map(|_| caller.task(json!({ "title": "x", "status": status })))).await
}

async fn keyed(caller: &Caller, method: Method, path: &str, body: Option<Value>) -> Reply {
    let key = [("idempotency-key", "k")];
    caller.send(method, path, body, &key).await
}

async fn by_status(caller: &Caller) -> Value {
    let counts = caller.get("/stats/tasks").await.expect(200).body;
    counts["by_status"].clone()
}

/// C0-15, C0-16: of two different requests with one key at the same time one has its effect, the other none.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_requests_with_one_key_one_has_an_effect() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let ids = tasks(&ada, 40, "pending").await;
    let to = |status: &str| Some(json!({ "status": status, "ids": ids }));
    let path = "/tasks/bulk/status";
    let asked = (0..12).map(|number| {
        let status = ["completed", "cancelled"][number % 2];
        let (ada, body) = (&ada, to(status));
        async move { (status, keyed(ada, Method::POST, path, body).await) }
    });
    let replies = join_all(asked).await;
    let done: Vec<&str> = replies
        .iter()
        .filter(|(_, reply)| reply.status == 200)
        .map(|(status, _)| *status)
        .collect();
    let winner = done[0];
    assert_eq!(done, [winner; 6], "one request, asked six times");
    let texts: Vec<&str> = replies
        .iter()
        .filter(|(status, _)| *status == winner)
        .map(|(_, reply)| reply.text.as_str())
        .collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    for (_, reply) in replies.into_iter().filter(|(status, _)| *status != winner) {
        reply.problem(422, "key-reused").about("Idempotency-Key");
    }
    assert_eq!(by_status(&ada).await[winner], 40);
    api.agrees().await;
}

/// C0-15: a key whose request broke off is for that request still. Another has no effect; the same goes on.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_is_taken_up_by_the_same_request_only() {
    let (api, wire, ada) = impatient().await;
    let ids = tasks(&ada, 30, "pending").await;
    let break_off = || {
        wire.plan("TransactWriteItems", (0..10).map(|_| Fault::None));
        wire.plan("TransactWriteItems", (0..1000).map(|_| Fault::Throttle));
    };
    let to = |status: &str| Some(json!({ "status": status, "ids": ids }));
    let path = "/tasks/bulk/status";
    break_off();
    let broken = keyed(&ada, Method::POST, path, to("completed")).await;
    broken.problem(503, "overloaded");
    wire.forget_faults();
    keyed(&ada, Method::POST, path, to("cancelled"))
        .await
        .problem(422, "key-reused")
        .about("Idempotency-Key");
    assert_eq!(by_status(&ada).await["cancelled"], 0);
    let done = keyed(&ada, Method::POST, path, to("completed")).await;
    let done = done.expect(200);
    assert_eq!(done.header("idempotency-replayed"), None);
    assert_eq!(
        done.body["changed"], 30,
        "all that the request did, not its last part"
    );
    let results = done.body["results"].as_array().unwrap();
    assert!(results.iter().all(|one| one["result"] == "changed"));
    let again = keyed(&ada, Method::POST, path, to("completed")).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.text, done.text);

    let path = "/tasks/bulk/delete-completed";
    break_off();
    let broken = keyed(&ada, Method::POST, path, None).await;
    broken.problem(503, "overloaded");
    wire.forget_faults();
    keyed(&ada, Method::POST, &format!("{path}?other=1"), None)
        .await
        .problem(422, "key-reused")
        .about("Idempotency-Key");
    assert_eq!(by_status(&ada).await["completed"], 20);
    let done = keyed(&ada, Method::POST, path, None).await.expect(200);
    assert_eq!(done.body, json!({ "deleted": 30, "more": false }));
    api.agrees().await;
}

/// C0-15, S0-33, S0-34: of a request that is sent again while it is worked on, all are told the same, and that is true.
#[tokio::test(flavor = "multi_thread")]
async fn who_asks_again_meanwhile_is_told_what_was_done() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let ids = tasks(&ada, 60, "pending").await;
    let by_ids = json!({ "status": "completed", "ids": ids });
    let by_filter = json!({ "status": "pending", "filter": {} });
    let bulk = "/tasks/bulk/status";
    for (key, path, body, field) in [
        ("ids", bulk, Some(by_ids.clone()), "changed"),
        ("filter", bulk, Some(by_filter), "changed"),
        ("again", bulk, Some(by_ids), "changed"),
        ("delete", "/tasks/bulk/delete-completed", None, "deleted"),
    ] {
        let headers = [("idempotency-key", key)];
        let asked = (0..4).map(|_| ada.send(Method::POST, path, body.clone(), &headers));
        let replies = join_all(asked).await;
        let done = replies
            .iter()
            .filter(|reply| reply.header("idempotency-replayed").is_none());
        assert_eq!(done.count(), 1, "one did it");
        for reply in replies {
            assert_eq!(reply.expect(200).body[field], 60, "{key}");
        }
    }
    api.agrees().await;
}

/// C0-15: nobody takes up what is held. When nothing is heard of it any more, the request goes on with the tasks it had chosen.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_is_left_alone_until_its_time_is_over() {
    let settings = vec![("TABLEWRIGHT_REQUEST_TIMEOUT", String::from("4s"))];
    let (api, wire, ada) = impatient_with(settings).await;
    tasks(&ada, 20, "pending").await;
    let body = || Some(json!({ "status": "completed", "filter": { "status": ["pending"] } }));
    let path = "/tasks/bulk/status";
    wire.plan("TransactWriteItems", (0..5).map(|_| Fault::None));
    wire.plan("TransactWriteItems", (0..1000).map(|_| Fault::Throttle));
    // What was chosen is kept; that it broke off cannot be told.
    wire.plan("UpdateItem", [Fault::None]);
    wire.plan("UpdateItem", (0..1000).map(|_| Fault::Throttle));
    keyed(&ada, Method::POST, path, body()).await.expect(503);
    wire.forget_faults();
    let later = tasks(&ada, 1, "pending").await;
    let held = keyed(&ada, Method::POST, path, body()).await;
    let held = held.problem(409, "conflict").about("Idempotency-Key");
    assert!(held.header("retry-after").is_some());
    assert_eq!(by_status(&ada).await["completed"], 5);
    api.clock.by_seconds(11);
    let done = keyed(&ada, Method::POST, path, body()).await.expect(200);
    assert_eq!(done.body["changed"], 20);
    let left = ada.get(&format!("/tasks/{}", later[0])).await.expect(200);
    assert_eq!(left.body["status"], "pending", "it was not chosen");
    api.agrees().await;
}

/// C0-15: who says that a key is held goes on with the work meanwhile, for saying so may have to wait for what the work has under way.
#[tokio::test(flavor = "multi_thread")]
async fn the_work_goes_on_while_it_is_said_that_its_key_is_held() {
    let (api, wire, ada) = impatient().await;
    let ids = tasks(&ada, 3, "pending").await;
    let (is_said, is_free) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    // A step takes so long that the claim is to be held anew, and until that step is done it is not.
    let (said, free) = (is_said.clone(), is_free.clone());
    let step = async move {
        said.notified().await;
        free.notify_one();
    };
    let is_held = Arc::new(AtomicBool::new(false));
    let held = is_held.clone();
    let hold = async move {
        is_said.notify_one();
        is_free.notified().await;
        held.store(true, Ordering::Relaxed);
    };
    wire.plan("TransactWriteItems", [Fault::When(Box::pin(step))]);
    wire.plan("UpdateItem", [Fault::When(Box::pin(hold))]);
    let body = || Some(json!({ "status": "completed", "ids": ids }));
    let path = "/tasks/bulk/status";
    let done = keyed(&ada, Method::POST, path, body()).await.expect(200);
    assert_eq!(done.body["changed"], 3);
    assert!(
        is_held.load(Ordering::Relaxed),
        "saying so was given up, since the step it waited for stood still"
    );
    let again = keyed(&ada, Method::POST, path, body()).await.expect(200);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.text, done.text);
    api.agrees().await;
}

/// C0-22: the end of a user that broke off before its answer was kept is told as done, not as a user who is not there.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_was_done_and_not_told_is_told() {
    let (api, wire, ada) = impatient().await;
    let me = "/users/me";
    let made = ada.put(me, json!({})).await.expect(201);
    tasks(&ada, 3, "pending").await;
    // The answer is kept by an UpdateItem: no count and no index is in it.
    wire.plan("UpdateItem", (0..1000).map(|_| Fault::Throttle));
    let headers = [("idempotency-key", "k"), ("if-match", made.etag())];
    let leave = async || ada.send(Method::DELETE, me, None, &headers).await;
    leave().await.problem(503, "overloaded");
    wire.forget_faults();
    ada.get(me).await.expect(404);
    keyed(&ada, Method::DELETE, me, None)
        .await
        .problem(422, "key-reused")
        .about("Idempotency-Key");
    // Nor could it be told that it broke off.
    api.clock.by_seconds(11);
    let told = leave().await.expect(204);
    assert_eq!(told.header("idempotency-replayed"), None);
    let again = leave().await.expect(204);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    api.agrees().await;
}

/// What was refused before it did anything leaves its key free.
#[tokio::test]
async fn a_refused_request_of_many_steps_is_not_remembered() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let me = "/users/me";
    for _ in 0..2 {
        keyed(&ada, Method::DELETE, me, None)
            .await
            .problem(404, "not-found");
    }
    let made = ada.put(me, json!({})).await.expect(201);
    let meant = |tag: &str| {
        let headers = [("idempotency-key", "k"), ("if-match", tag)].map(|(name, value)| {
            let pair: (String, String) = (name.to_owned(), value.to_owned());
            pair
        });
        let ada = ada.clone();
        async move {
            let headers: Vec<(&str, &str)> = headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            ada.send(Method::DELETE, me, None, &headers).await
        }
    };
    meant("\"1\"")
        .await
        .problem(412, "precondition-failed")
        .about("If-Match");
    ada.get(me).await.expect(200);
    meant(made.etag()).await.expect(204);
    ada.get(me).await.expect(404);
}

/// C0-22: with a user go the records of their requests, but for that of leaving.
#[tokio::test]
async fn nothing_is_remembered_of_who_has_left() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let body = json!({ "title": "secret" });
    for person in [&ada, &bob] {
        for number in 0..120 {
            let key = format!("k{number}");
            let key = [("idempotency-key", key.as_str())];
            let made = person.send(Method::POST, "/tasks", Some(body.clone()), &key);
            made.await.expect(201);
        }
    }
    let records = async |user_id: &str| {
        let found = api.todo.idempotencies.user_records(user_id).all();
        found.collect().await.unwrap()
    };
    assert_eq!(records("ada").await.len(), 120);
    keyed(&ada, Method::DELETE, "/users/me", None)
        .await
        .expect(204);
    let left = records("ada").await;
    let left: Vec<(&str, &str)> = left
        .iter()
        .map(|record| (record.route.as_str(), record.request_id.as_str()))
        .collect();
    assert_eq!(left, [("DELETE /api/v1/users/me", "k")]);
    let again = keyed(&ada, Method::DELETE, "/users/me", None).await;
    let again = again.expect(204);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(records("bob").await.len(), 120, "others keep theirs");
}
