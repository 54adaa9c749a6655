//! Requests of many steps that take longer than a request may: they say so in time, and sent again they go on at once.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use tablewright_local::Engine;

use crate::support::{Api, Asks as _, Caller, Fault, Wire, With};

const KEY: [(&str, &str); 1] = [("idempotency-key", "k")];

/// A service whose requests may take so long, and somebody with thirty tasks.
async fn in_a_hurry(request_timeout: &str) -> (Api, Wire, Caller, Vec<String>) {
    let wire = Wire::new();
    let with = With {
        wire: Some(wire.clone()),
        settings: vec![("TABLEWRIGHT_REQUEST_TIMEOUT", request_timeout.to_owned())],
        ..With::default()
    };
    let api = Api::start_with(with).await;
    let ada = api.person("ada");
    let ids = join_all((0..30).map(|_| ada.task(json!({ "title": "x" })))).await;
    (api, wire, ada, ids)
}

/// The table takes so long for one task, after ten of them.
fn slow(wire: &Wire, millis: u64) {
    let wait = move |_: &Engine| std::thread::sleep(Duration::from_millis(millis));
    wire.plan("TransactWriteItems", (0..10).map(|_| Fault::None));
    wire.plan("TransactWriteItems", [Fault::After(Box::new(wait))]);
}

/// C0-22: who has more tasks than can be deleted in the time of a request is told so in time, and goes on.
#[tokio::test(flavor = "multi_thread")]
async fn leaving_says_in_time_that_it_goes_on() {
    let (api, wire, ada, _) = in_a_hurry("15s").await;
    for headers in [&KEY[..], &[]] {
        let leave = || ada.send(Method::DELETE, "/users/me", None, headers);
        // Longer than a request works: two thirds of its time.
        slow(&wire, 10_100);
        let told = leave().await.problem(503, "timeout");
        assert!(
            told.text_of("detail").contains("it goes on"),
            "{}",
            told.text
        );
        assert!(told.header("retry-after").is_some());
        let left = ada.titles("/tasks").await.len();
        assert!((1..30).contains(&left), "{left} are left");
        leave().await.expect(204);
        assert_eq!(ada.titles("/tasks").await.len(), 0);
        join_all((0..30).map(|_| ada.task(json!({ "title": "x" })))).await;
    }
    api.agrees().await;
}

/// C0-15: a request that was cut off holds its key no longer: its repetition does the rest, and is not told that somebody is at work.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_off_is_let_go() {
    let (api, wire, ada, ids) = in_a_hurry("12s").await;
    let body = json!({ "status": "completed", "ids": ids });
    let complete = || {
        let path = "/tasks/bulk/status";
        ada.send(Method::POST, path, Some(body.clone()), &KEY)
    };
    // Longer than a request may take at all.
    slow(&wire, 13_200);
    let cut_off = complete().await.problem(503, "timeout");
    assert_eq!(cut_off.body["detail"], json!(null), "{}", cut_off.text);
    let done = complete().await.expect(200);
    assert_eq!(done.header("idempotency-replayed"), None);
    assert_eq!(done.body["changed"], 30);
    api.agrees().await;
}
