//! Requests that are sent again (C1-4).

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Caller, Reply};

async fn with_key(
    caller: &Caller,
    method: Method,
    path: &str,
    body: Option<Value>,
    key: &str,
) -> Reply {
    caller
        .send(method, path, body, &[("idempotency-key", key)])
        .await
}

/// C1-4: every write has one effect and one answer.
#[tokio::test(flavor = "multi_thread")]
async fn every_write_is_done_once_and_answered_the_same() {
    let api = Api::start().await;
    let (admin, ada) = (api.admin("456").await, api.member("ada").await);
    let made = with_key(
        &admin,
        Method::POST,
        "/tasks",
        Some(json!({ "title": "Fix" })),
        "k",
    )
    .await;
    let id = made.expect(201).body["taskId"].as_str().unwrap().to_owned();
    let task = format!("/tasks/{id}");
    let steps = [
        (
            &admin,
            Method::POST,
            "/tasks".to_owned(),
            Some(json!({ "title": "Fix" })),
            201,
        ),
        (
            &admin,
            Method::PUT,
            task.clone(),
            Some(json!({ "title": "Fix it" })),
            200,
        ),
        (
            &admin,
            Method::POST,
            format!("{task}/assign"),
            Some(json!({ "userId": "ada" })),
            200,
        ),
        (
            &ada,
            Method::PUT,
            format!("{task}/status"),
            Some(json!({ "status": "COMPLETED" })),
            200,
        ),
        (
            &admin,
            Method::DELETE,
            format!("{task}/assignments/ada"),
            None,
            204,
        ),
        (&admin, Method::POST, format!("{task}/close"), None, 200),
        (
            &admin,
            Method::PUT,
            "/users/ada/status".into(),
            Some(json!({ "status": "DEACTIVATED" })),
            200,
        ),
        (&admin, Method::DELETE, task.clone(), None, 204),
    ];
    for (caller, method, path, body, status) in steps {
        let first = with_key(caller, method.clone(), &path, body.clone(), "k").await;
        let first = first.expect(status);
        let again = with_key(caller, method.clone(), &path, body.clone(), "k").await;
        let again = again.expect(status);
        assert_eq!(again.text, first.text, "{method} {path}");
        assert_eq!(
            again.header("idempotency-replayed"),
            Some("true"),
            "{method} {path}"
        );
        assert_eq!(again.header("etag"), first.header("etag"));
    }
    assert_eq!(admin.titles("/tasks").await, [""; 0]);
}

/// C1-4: also at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_written_down_once_however_often_it_is_sent() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let sent = (0..50).map(|_| {
        let body = Some(json!({ "title": "Fix" }));
        with_key(&admin, Method::POST, "/tasks", body, "once")
    });
    let answers = futures_util::future::join_all(sent).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (201, &answers[0].text));
    }
    assert_eq!(admin.titles("/tasks").await, ["Fix"]);
}

/// Keys of one caller mean nothing for another.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_one_callers() {
    let api = Api::start().await;
    let (ada, eve) = (api.admin("ada").await, api.admin("eve").await);
    for admin in [&ada, &eve] {
        let body = Some(json!({ "title": "Fix" }));
        let made = with_key(admin, Method::POST, "/tasks", body, "k").await;
        assert_eq!(made.expect(201).header("idempotency-replayed"), None);
    }
    assert_eq!(ada.titles("/tasks").await, ["Fix", "Fix"]);
    let other = Some(json!({ "title": "Another" }));
    let reused = with_key(&ada, Method::POST, "/tasks", other, "k").await;
    reused.problem(422, "key-reused");
}
