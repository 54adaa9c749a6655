//! One effect and one answer for each `Idempotency-Key`.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Caller, Made as _, Reply};

async fn keyed(
    caller: &Caller,
    method: &Method,
    path: &str,
    body: &Option<Value>,
    key: &str,
) -> Reply {
    caller
        .send(
            method.clone(),
            path,
            body.clone(),
            &[("idempotency-key", key)],
        )
        .await
}

/// S0-38: every write can be sent again, also where doing it again would be refused, and is answered with the same bytes.
#[tokio::test]
async fn every_write_can_be_sent_again() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "one" })).await;
    let path = format!("/tasks/{id}");
    let (patch, put, post, delete) = (Method::PATCH, Method::PUT, Method::POST, Method::DELETE);
    let (me, tasks) = (String::from("/users/me"), String::from("/tasks"));
    let bulk = |what: &str| format!("/tasks/bulk/{what}");
    let all = |status: &str| json!({ "status": status, "filter": {} });
    // Each with another good body; what has none has another address.
    let writes = [
        (
            &put,
            &me,
            Some([json!({ "name": "Ada" }), json!({ "name": "Eva" })]),
        ),
        (
            &post,
            &tasks,
            Some([json!({ "title": "two" }), json!({ "title": "2" })]),
        ),
        (
            &patch,
            &path,
            Some([
                json!({ "status": "completed" }),
                json!({ "status": "pending" }),
            ]),
        ),
        (
            &put,
            &path,
            Some([json!({ "title": "three" }), json!({ "title": "3" })]),
        ),
        (&delete, &path, None),
        (
            &post,
            &bulk("status"),
            Some([all("completed"), all("pending")]),
        ),
        (&post, &bulk("delete-completed"), None),
        (&delete, &me, None),
    ];
    for (place, (method, path, bodies)) in writes.into_iter().enumerate() {
        let key = format!("key-{place}");
        let (body, other) = match bodies {
            Some([body, other]) => (Some(body), Some(other)),
            None => (None, None),
        };
        let first = keyed(&ada, method, path, &body, &key).await;
        assert!(first.status < 300, "{method} {path}: {}", first.text);
        assert_eq!(first.header("idempotency-replayed"), None);
        for _ in 0..2 {
            let again = keyed(&ada, method, path, &body, &key).await;
            assert_eq!(
                (again.status, &again.text),
                (first.status, &first.text),
                "{method} {path}"
            );
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
            for name in ["etag", "location", "content-type"] {
                assert_eq!(
                    again.header(name),
                    first.header(name),
                    "{method} {path}: {name}"
                );
            }
        }
        // C0-16: for another request it is refused.
        let elsewhere = match other {
            None => format!("{path}?x=1"),
            Some(_) => path.clone(),
        };
        keyed(&ada, method, &elsewhere, &other, &key)
            .await
            .problem(422, "key-reused")
            .about("Idempotency-Key");
    }
    assert_eq!(ada.titles("/tasks").await.len(), 0);
}

/// C0-16: for another request with a good body the same key is refused, and nothing is done.
#[tokio::test]
async fn a_key_is_for_one_request() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let post = Method::POST;
    keyed(&ada, &post, "/tasks", &Some(json!({ "title": "one" })), "k")
        .await
        .expect(201);
    keyed(&ada, &post, "/tasks", &Some(json!({ "title": "two" })), "k")
        .await
        .problem(422, "key-reused")
        .about("Idempotency-Key");
    assert_eq!(ada.titles("/tasks").await, ["one"]);
    // Another route has keys of its own.
    keyed(
        &ada,
        &post,
        "/tasks/bulk/status",
        &Some(json!({ "status": "completed", "filter": {} })),
        "k",
    )
    .await
    .expect(200);
    let (one, two) = (
        ada.task(json!({ "title": "a" })).await,
        ada.task(json!({ "title": "b" })).await,
    );
    keyed(&ada, &Method::DELETE, &format!("/tasks/{one}"), &None, "d")
        .await
        .expect(204);
    keyed(&ada, &Method::DELETE, &format!("/tasks/{two}"), &None, "d")
        .await
        .problem(422, "key-reused")
        .about("Idempotency-Key");
    ada.get(&format!("/tasks/{two}")).await.expect(200);
}

/// C0-16: what one caller was told is never told to another.
#[tokio::test]
async fn keys_of_two_callers_never_meet() {
    let api = Api::start().await;
    let body = Some(json!({ "title": "same" }));
    let mut ids = Vec::new();
    // Names that would meet in a key without escapes.
    for (sub, key) in [
        ("a", "b#c"),
        ("a:b", "c"),
        ("a", "c"),
        ("ab", "c"),
        ("a/b", "c"),
        ("a", "#b#c"),
    ] {
        let made = keyed(&api.person(sub), &Method::POST, "/tasks", &body, key)
            .await
            .expect(201);
        assert_eq!(made.header("idempotency-replayed"), None, "{sub} {key}");
        ids.push(made.id().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6);
}

/// S0-39, S0-40, C0-18: a key is good for 24 hours, whether or not the record was swept away.
#[tokio::test]
async fn a_key_is_good_for_a_day() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let body = Some(json!({ "title": "x" }));
    let first = keyed(&ada, &Method::POST, "/tasks", &body, "k")
        .await
        .expect(201);
    let record = api
        .todo
        .idempotencies
        .idempotent_answer("ada", "POST /api/v1/tasks", "k")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(record.ttl, record.created_at + 86_400);
    // S0-4: the record says which task it is about, and what was answered.
    assert_eq!(
        (record.target_task_pk.as_deref(), record.target_task_sk),
        (Some("TASK#ada"), Some(format!("TASK#{}", first.id())))
    );
    assert_eq!(record.http_status_code, Some(201));
    let kept = record.response_data.unwrap();
    assert!(serde_json::from_str::<Value>(&kept).is_ok());
    api.clock.by_seconds(86_390);
    let again = keyed(&ada, &Method::POST, "/tasks", &body, "k")
        .await
        .expect(201);
    assert_eq!(again.id(), first.id());
    api.clock.by_seconds(20);
    let anew = keyed(&ada, &Method::POST, "/tasks", &body, "k")
        .await
        .expect(201);
    assert_eq!(anew.header("idempotency-replayed"), None);
    assert_ne!(anew.id(), first.id());
    api.agrees().await;
}

/// What was refused is not remembered: a request that is put right may use its key.
#[tokio::test]
async fn a_refusal_is_not_remembered() {
    let api = Api::start().await;
    let ada = api.person("ada");
    keyed(
        &ada,
        &Method::POST,
        "/tasks",
        &Some(json!({ "title": "" })),
        "k",
    )
    .await
    .problem(422, "invalid")
    .about("title");
    keyed(
        &ada,
        &Method::POST,
        "/tasks",
        &Some(json!({ "title": "x" })),
        "k",
    )
    .await
    .expect(201);
    let gone = format!("/tasks/{}", tablewright::Ulid::new());
    keyed(&ada, &Method::DELETE, &gone, &None, "g")
        .await
        .problem(404, "not-found");
    keyed(&ada, &Method::DELETE, &gone, &None, "g")
        .await
        .problem(404, "not-found");
}

/// 1 to 255 visible characters.
#[tokio::test]
async fn a_key_has_a_form() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let body = Some(json!({ "title": "x" }));
    keyed(&ada, &Method::POST, "/tasks", &body, &"k".repeat(255))
        .await
        .expect(201);
    for key in [String::new(), "k".repeat(256), "a b".to_owned()] {
        keyed(&ada, &Method::POST, "/tasks", &body, &key)
            .await
            .problem(400, "malformed")
            .about("Idempotency-Key");
    }
    let two = [("idempotency-key", "a"), ("idempotency-key", "b")];
    ada.send(Method::POST, "/tasks", body, &two)
        .await
        .problem(400, "malformed")
        .about("Idempotency-Key");
    assert_eq!(ada.titles("/tasks").await.len(), 1);
}

/// S0-44, S0-46: a key and a version together.
#[tokio::test]
async fn a_keyed_delete_of_one_version_is_done_once() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada
        .post("/tasks", json!({ "title": "x" }))
        .await
        .expect(201);
    let path = format!("/tasks/{}", made.id());
    let changed = ada.patch(&path, json!({ "title": "y" })).await.expect(200);
    let with = |tag: &str| {
        [
            ("idempotency-key".to_owned(), "d".to_owned()),
            ("if-match".to_owned(), tag.to_owned()),
        ]
    };
    for (tag, status, replayed) in [
        (made.etag(), 412, None),
        (changed.etag(), 204, None),
        (changed.etag(), 204, Some("true")),
    ] {
        let headers = with(tag);
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let reply = ada
            .send(Method::DELETE, &path, None, &headers)
            .await
            .expect(status);
        assert_eq!(reply.header("idempotency-replayed"), replayed);
    }
    api.agrees().await;
}
