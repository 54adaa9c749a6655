//! One task: written down, read, changed, deleted.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Made as _};

/// S0-3, S0-11, S0-12, S0-13, S0-14, S0-16, S0-36: what is written down is found, with everything it has.
#[tokio::test]
async fn a_task_is_written_down_and_read() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let whole = json!({
        "title": "Write the program", "description": "in\ntwo lines", "status": "in_progress", "priority": "high", "category": "work", "due_date": "2030-05-01",
    });
    let made = ada.post("/tasks", whole.clone()).await.expect(201);
    assert_eq!(
        made.header("location").unwrap(),
        format!("/api/v1/tasks/{}", made.id())
    );
    for (name, value) in whole.as_object().unwrap() {
        assert_eq!(made.body[name], *value);
    }
    assert!(made.body["created_at"].is_i64() && made.body["created_at"] == made.body["updated_at"]);
    assert_eq!(
        (&made.body["completed_at"], &made.body["expires_at"]),
        (&Value::Null, &Value::Null)
    );
    let read = ada
        .get(&format!("~{}", made.header("location").unwrap()))
        .await
        .expect(200);
    assert_eq!((&read.body, read.etag()), (&made.body, made.etag()));
    let least = ada
        .post("/tasks", json!({ "title": "x" }))
        .await
        .expect(201);
    assert_eq!(
        (
            &least.body["status"],
            &least.body["priority"],
            &least.body["due_date"]
        ),
        (&json!("pending"), &Value::Null, &Value::Null)
    );
    api.agrees().await;
}

/// S0-36, C0-10: a change moves the task in every index.
#[tokio::test]
async fn a_change_is_seen_in_every_list() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "Write", "priority": "low", "category": "work", "due_date": "2030-05-01" })).await;
    let path = format!("/tasks/{id}");
    let changed = ada.patch(&path, json!({ "status": "completed", "priority": "urgent", "category": "home", "due_date": "2031-01-01" })).await.expect(200);
    assert!(changed.body["completed_at"].is_i64());
    assert_eq!(changed.body["title"], "Write");
    for (query, count) in [
        ("status=pending", 0),
        ("status=completed", 1),
        ("priority=low", 0),
        ("priority=urgent", 1),
        ("category=work", 0),
        ("category=home", 1),
        ("due_on=2030-05-01", 0),
        ("due_on=2031-01-01", 1),
    ] {
        assert_eq!(
            ada.titles(&format!("/tasks?{query}")).await.len(),
            count,
            "{query}"
        );
    }
    let reopened = ada
        .patch(&path, json!({ "status": "pending", "category": null }))
        .await
        .expect(200);
    assert_eq!(
        (&reopened.body["completed_at"], &reopened.body["category"]),
        (&Value::Null, &Value::Null)
    );
    // A whole task: what is not said it has not.
    let anew = ada
        .put(&path, json!({ "title": "Again" }))
        .await
        .expect(200);
    assert_eq!(
        (
            &anew.body["title"],
            &anew.body["priority"],
            &anew.body["due_date"]
        ),
        (&json!("Again"), &Value::Null, &Value::Null)
    );
    assert_eq!(anew.body["created_at"], changed.body["created_at"]);
    api.agrees().await;
}

/// S0-37, S0-45
#[tokio::test]
async fn a_deleted_task_is_gone() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let path = format!("/tasks/{}", ada.task(json!({ "title": "x" })).await);
    assert_eq!(ada.delete(&path).await.expect(204).text, "");
    ada.get(&path).await.problem(404, "not-found");
    ada.delete(&path).await.problem(404, "not-found");
    ada.patch(&path, json!({ "title": "y" }))
        .await
        .problem(404, "not-found");
    ada.put(&path, json!({ "title": "y" }))
        .await
        .problem(404, "not-found");
    api.agrees().await;
}

/// S0-44, S0-46: who says which version they mean changes no other.
#[tokio::test]
async fn if_match_holds_a_change_to_the_version_that_was_seen() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada
        .post("/tasks", json!({ "title": "one" }))
        .await
        .expect(201);
    let path = format!("/tasks/{}", made.id());
    let first = made.etag().to_owned();
    let second = ada
        .send(
            Method::PATCH,
            &path,
            Some(json!({ "title": "two" })),
            &[("if-match", &first)],
        )
        .await
        .expect(200);
    assert_ne!(second.etag(), first);
    for (method, body) in [
        (Method::PATCH, Some(json!({ "title": "x" }))),
        (Method::PUT, Some(json!({ "title": "x" }))),
        (Method::DELETE, None),
    ] {
        ada.send(method, &path, body, &[("if-match", &first)])
            .await
            .problem(412, "precondition-failed")
            .about("If-Match");
    }
    let now = ada.get(&path).await.expect(200);
    assert_eq!(
        (&now.body["title"], now.etag()),
        (&json!("two"), second.etag())
    );
    ada.send(
        Method::GET,
        &path,
        None,
        &[("if-none-match", second.etag())],
    )
    .await
    .expect(304);
    ada.send(Method::GET, &path, None, &[("if-none-match", &first)])
        .await
        .expect(200);
    ada.send(
        Method::PATCH,
        &path,
        Some(json!({ "title": "x" })),
        &[("if-match", "no tag")],
    )
    .await
    .problem(400, "malformed")
    .about("If-Match");
    ada.send(Method::DELETE, &path, None, &[("if-match", second.etag())])
        .await
        .expect(204);
    ada.send(Method::DELETE, &path, None, &[("if-match", "*")])
        .await
        .problem(404, "not-found");
    api.agrees().await;
}

/// S0-48: bad input is refused with the field and the reason, and nothing is written.
#[tokio::test]
async fn bad_input_names_its_field_and_writes_nothing() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let path = format!("/tasks/{}", ada.task(json!({ "title": "stays" })).await);
    let long = |count: usize| "x".repeat(count);
    for (body, field) in [
        (json!({}), "title"),
        (json!({ "title": "" }), "title"),
        (json!({ "title": long(201) }), "title"),
        (json!({ "title": 7 }), "title"),
        (
            json!({ "title": "x", "description": long(1001) }),
            "description",
        ),
        (json!({ "title": "x", "category": "" }), "category"),
        (json!({ "title": "x", "category": long(51) }), "category"),
        (json!({ "title": "x", "status": "done" }), "status"),
        (json!({ "title": "x", "priority": "highest" }), "priority"),
        (
            json!({ "title": "x", "due_date": "2024-02-30" }),
            "due_date",
        ),
        (
            json!({ "title": "x", "due_date": "2024-02-03T10:00" }),
            "due_date",
        ),
        (json!({ "title": "x", "user_id": "bob" }), "user_id"),
        (json!({ "title": "x", "completed_at": 1 }), "completed_at"),
    ] {
        ada.post("/tasks", body.clone())
            .await
            .problem(422, "invalid")
            .about(field);
        ada.put(&path, body.clone())
            .await
            .problem(422, "invalid")
            .about(field);
        if body != json!({}) {
            ada.patch(&path, body)
                .await
                .problem(422, "invalid")
                .about(field);
        }
    }
    for body in [
        "",
        "{",
        "{\"title\":\"x\"",
        "{\"title\":\"x\"} trailing",
        "\u{feff}{}",
    ] {
        ada.send_text(Method::POST, "/tasks", Some(body), &[])
            .await
            .problem(400, "malformed");
    }
    ada.send_text(
        Method::POST,
        "/tasks",
        Some("{\"title\":\"x\"}"),
        &[("content-type", "text/plain")],
    )
    .await
    .problem(415, "unsupported-media-type")
    .about("Content-Type");
    let large = json!({ "title": "x", "description": long(300_000) });
    ada.post("/tasks", large).await.problem(413, "too-large");
    for id in ["1", "01arz3ndektsv4rrffq69g5fav", "%00", "..%2F.."] {
        ada.get(&format!("/tasks/{id}"))
            .await
            .problem(400, "malformed")
            .about("task_id");
    }
    assert_eq!(ada.titles("/tasks").await, ["stays"]);
    let counts = ada.get("/stats/tasks").await.expect(200);
    assert_eq!(counts.body["total"], 1);
    api.agrees().await;
}

/// A caller that asks too often is told when to come back.
#[tokio::test]
async fn too_many_requests_are_refused() {
    let with = crate::support::With {
        settings: vec![
            ("TABLEWRIGHT_RATE", "1".into()),
            ("TABLEWRIGHT_BURST", "3".into()),
        ],
        ..Default::default()
    };
    let api = Api::start_with(with).await;
    let ada = api.person("ada");
    let mut refused = 0;
    for _ in 0..6 {
        let reply = ada.get("/stats/tasks").await;
        if reply.status == 429 {
            refused += 1;
            let reply = reply.problem(429, "rate-limited");
            assert!(reply.header("retry-after").is_some());
        }
    }
    assert!(refused >= 2, "{refused}");
    api.person("bob").get("/stats/tasks").await.expect(200);
}

/// S0-44: what was changed and changed back within a second is another version; what was not changed is not.
#[tokio::test]
async fn a_version_is_never_that_of_another_state() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let made = ada.post("/tasks", json!({ "title": "A" })).await;
    let made = made.expect(201);
    let path = format!("/tasks/{}", made.id());
    let mut tags = vec![made.etag().to_owned()];
    for title in ["B", "A", "B", "A"] {
        let changed = ada.patch(&path, json!({ "title": title })).await;
        let changed = changed.expect(200);
        assert!(!tags.contains(&changed.etag().to_owned()), "{tags:?}");
        tags.push(changed.etag().to_owned());
    }
    let bulk = json!({ "status": "completed", "ids": [made.id()] });
    ada.post("/tasks/bulk/status", bulk).await.expect(200);
    let bulk = json!({ "status": "pending", "ids": [made.id()] });
    ada.post("/tasks/bulk/status", bulk).await.expect(200);
    for tag in &tags {
        let meant = [("if-match", tag.as_str())];
        ada.send(Method::PATCH, &path, Some(json!({ "title": "C" })), &meant)
            .await
            .problem(412, "precondition-failed")
            .about("If-Match");
    }
    let now = ada.get(&path).await.expect(200);
    let same = ada.patch(&path, json!({ "title": "A" })).await.expect(200);
    assert_eq!(same.etag(), now.etag(), "nothing was changed");
}

/// `If-None-Match` of a write: `*` means only what is not there yet.
#[tokio::test]
async fn what_is_meant_to_be_new_is_not_written_over() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let me = json!({ "name": "Ada" });
    let new = [("if-none-match", "*")];
    let put = async |path: &str, body: &Value, headers: &[(&str, &str)]| {
        ada.send(Method::PUT, path, Some(body.clone()), headers)
            .await
    };
    put("/users/me", &me, &new).await.expect(201);
    let other = json!({ "name": "Other" });
    put("/users/me", &other, &new)
        .await
        .problem(412, "precondition-failed")
        .about("If-None-Match");
    let now = ada.get("/users/me").await.expect(200);
    assert_eq!(now.body["name"], "Ada");
    put("/users/me", &other, &[("if-none-match", now.etag())])
        .await
        .problem(412, "precondition-failed")
        .about("If-None-Match");
    put("/users/me", &other, &[("if-none-match", "\"0\"")])
        .await
        .expect(200);

    let task = json!({ "title": "x" });
    let made = ada.post("/tasks", task.clone()).await.expect(201);
    let path = format!("/tasks/{}", made.id());
    put(&path, &json!({ "title": "y" }), &new)
        .await
        .problem(412, "precondition-failed")
        .about("If-None-Match");
    ada.send(Method::DELETE, &path, None, &new)
        .await
        .problem(412, "precondition-failed")
        .about("If-None-Match");
    assert_eq!(ada.get(&path).await.expect(200).body["title"], "x");
    // A task gets its id from the service: what is not there is not made.
    let gone = format!("/tasks/{}", tablewright::Ulid::new());
    put(&gone, &task, &new).await.problem(404, "not-found");
}

/// S0-48: a word that is none of its field is told with the words there are, in a body and in a query.
#[tokio::test]
async fn a_wrong_word_is_told_with_the_right_ones() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let told = |reply: crate::support::Reply, field: &str| {
        let errors = reply.body["errors"].as_array().unwrap().clone();
        assert_eq!(errors[0]["field"], field, "{}", reply.text);
        errors[0]["reason"].as_str().unwrap().to_owned()
    };
    let statuses = "`done` is none of pending, in_progress, completed, cancelled";
    let wrong = json!({ "title": "x", "status": "done" });
    let reply = ada.post("/tasks", wrong).await.expect(422);
    assert_eq!(told(reply, "status"), statuses);
    let reply = ada.get("/tasks?status=pending,done").await.expect(400);
    assert_eq!(told(reply, "status"), statuses);
    let reply = ada.get("/tasks?order=down").await.expect(400);
    assert_eq!(told(reply, "order"), "`down` is none of asc, desc");
    let reply = ada.get("/tasks?fields=colour").await.expect(400);
    assert!(told(reply, "fields").starts_with("`colour` is none of task_id, title"));
}
