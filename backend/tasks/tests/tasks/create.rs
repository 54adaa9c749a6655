//! Tasks are written down, read, changed and deleted.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _};

/// S1-19, S1-20, S1-21, S1-23, S1-24, S1-25
#[tokio::test(flavor = "multi_thread")]
async fn an_admin_writes_down_a_task() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let said =
        json!({ "title": "Fix bug", "description": "It is small.\nAnd red.", "priority": "HIGH" });
    let made = admin.post("/tasks", said).await.expect(201);
    let id = made.body["taskId"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 36, "a UUID: {id}");
    assert_eq!(
        made.header("location"),
        Some(&*format!("/api/v1/tasks/{id}"))
    );
    assert_eq!(made.body["status"], "OPEN");
    assert_eq!(made.body["createdBy"], "456");

    let read = admin.get(&format!("/tasks/{id}")).await.expect(200);
    assert_eq!(read.header("etag"), made.header("etag"));
    assert_eq!(read.body["description"], "It is small.\nAnd red.");
    assert_eq!(read.body["priority"], "HIGH");
    assert_eq!(read.body["assignments"], json!([]));
    assert_eq!(read.body["moreAssignments"], false);

    // S1-4: MEDIUM unless said.
    let plain = admin
        .post("/tasks", json!({ "title": "Deploy" }))
        .await
        .expect(201);
    assert_eq!(plain.body["priority"], "MEDIUM");
    assert_eq!(plain.body["description"], Value::Null);
}

/// S1-22, C1-24: what is not allowed is told, and nothing is written.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_not_written() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    for said in [
        json!({}),
        json!({ "title": "" }),
        json!({ "title": "   " }),
        json!({ "title": "x".repeat(201) }),
        json!({ "title": "x", "description": "x".repeat(2001) }),
        json!({ "title": "x", "priority": "URGENT" }),
        json!({ "title": "x", "status": "CLOSED" }),
        json!({ "title": "x", "createdBy": "somebody else" }),
        json!({ "title": 7 }),
        json!([]),
    ] {
        let refused = admin.post("/tasks", said.clone()).await;
        assert_eq!(refused.status, 422, "{said}: {}", refused.text);
    }
    let listed = admin.get("/tasks").await.expect(200);
    assert_eq!(listed.body["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_changes_what_a_task_says() {
    let api = Api::start().await;
    let (ada, eve) = (api.admin("ada").await, api.admin("eve").await);
    let made = ada
        .post(
            "/tasks",
            json!({ "title": "Fix", "description": "all of it" }),
        )
        .await
        .expect(201);
    let path = format!("/tasks/{}", made.body["taskId"].as_str().unwrap());
    let changed = eve
        .put(&path, json!({ "title": "Fix it", "priority": "LOW" }))
        .await
        .expect(200);
    assert_eq!(changed.body["title"], "Fix it");
    assert_eq!(
        changed.body["description"], "all of it",
        "what is not said stays"
    );
    assert_eq!(changed.body["updatedBy"], "eve");
    let removed = eve
        .put(&path, json!({ "description": null }))
        .await
        .expect(200);
    assert_eq!(removed.body["description"], Value::Null);
    // The list by priority follows.
    assert_eq!(ada.titles("/tasks?priority=LOW").await, ["Fix it"]);
    assert_eq!(ada.titles("/tasks?priority=MEDIUM").await, [""; 0]);

    // A version that is gone is not changed.
    let old = made.header("etag").unwrap();
    let change = Some(json!({ "title": "No" }));
    let stale = eve
        .send(Method::PUT, &path, change, &[("if-match", old)])
        .await;
    stale.problem(412, "precondition-failed");
    let tag = removed.header("etag").unwrap();
    let change = Some(json!({ "title": "Yes" }));
    let meant = eve
        .send(Method::PUT, &path, change, &[("if-match", tag)])
        .await;
    assert_eq!(meant.expect(200).body["title"], "Yes");

    eve.put(&path, json!({ "status": "CLOSED" }))
        .await
        .problem(422, "invalid");
    let nowhere = "/tasks/00000000-0000-7000-8000-000000000000";
    eve.put(nowhere, json!({ "title": "x" }))
        .await
        .problem(404, "not-found");
    eve.get(nowhere).await.problem(404, "not-found");
    eve.get("/tasks/one").await.problem(400, "malformed");

    // C1-15: what is closed stays as it is.
    ada.close(path.trim_start_matches("/tasks/"))
        .await
        .expect(200);
    eve.put(&path, json!({ "title": "No" }))
        .await
        .problem(409, "refused");
}

/// C1-12
#[tokio::test(flavor = "multi_thread")]
async fn an_admin_deletes_a_task() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let id = admin.task("Fix bug").await;
    let path = format!("/tasks/{id}");
    admin.delete(&path).await.expect(204);
    admin.get(&path).await.problem(404, "not-found");
    admin.delete(&path).await.problem(404, "not-found");
    admin
        .status(&id, "COMPLETED")
        .await
        .problem(404, "not-found");
    admin.close(&id).await.problem(404, "not-found");
    // C1-18: nothing brings it back.
    assert_eq!(admin.titles("/tasks").await, [""; 0]);
}
