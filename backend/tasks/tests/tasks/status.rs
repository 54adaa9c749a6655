//! How far tasks are.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _};

/// S1-18, S1-36 to S1-41, S1-47
#[tokio::test(flavor = "multi_thread")]
async fn a_member_works_on_a_task_that_is_theirs() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let (ada, bob) = (api.member("ada").await, api.member("bob").await);
    let id = admin.task("Fix bug").await;
    // S1-38; and what is not there is the same to them.
    ada.status(&id, "IN_PROGRESS")
        .await
        .problem(403, "forbidden");
    let nowhere = "00000000-0000-7000-8000-000000000000";
    ada.status(nowhere, "IN_PROGRESS")
        .await
        .problem(403, "forbidden");
    admin.assign(&id, "ada").await.expect(200);

    let changed = ada.status(&id, "IN_PROGRESS").await.expect(200);
    assert_eq!(changed.body["status"], "IN_PROGRESS");
    assert_eq!(changed.body["updatedBy"], "ada", "S1-39");
    bob.status(&id, "COMPLETED").await.problem(403, "forbidden");
    // C1-2: the list by status follows in the same write.
    assert_eq!(admin.titles("/tasks?status=OPEN").await, [""; 0]);
    assert_eq!(admin.titles("/tasks?status=IN_PROGRESS").await, ["Fix bug"]);

    // C1-15
    ada.status(&id, "COMPLETED").await.expect(200);
    ada.status(&id, "OPEN").await.problem(409, "refused");
    ada.status(&id, "COMPLETED").await.expect(200);
    ada.status(&id, "IN_PROGRESS").await.expect(200);

    // C1-24: what is no status gives 400, whatever it is instead; a body without one gives 422, as everywhere.
    let path = format!("/tasks/{id}/status");
    let nones = ["DONE", "open", "", "CLOSED"].map(|word| json!(word));
    for none in nones.into_iter().chain([json!(7), json!(null), json!([])]) {
        let refused = ada.put(&path, json!({ "status": none })).await;
        refused.problem(400, "malformed").about("status");
    }
    for other in [json!({}), json!({ "status": "OPEN", "why": "" })] {
        ada.put(&path, other).await.problem(422, "invalid");
    }

    // Taken from them, it is no longer theirs.
    admin
        .delete(&format!("/tasks/{id}/assignments/ada"))
        .await
        .expect(204);
    ada.status(&id, "COMPLETED").await.problem(403, "forbidden");
}

/// C1-15, C1-16
#[tokio::test(flavor = "multi_thread")]
async fn only_an_admin_closes_and_takes_up_again() {
    let api = Api::start().await;
    let (admin, ada) = (api.admin("456").await, api.member("ada").await);
    let id = admin.task("Fix bug").await;
    admin.assign(&id, "ada").await.expect(200);
    ada.close(&id).await.problem(403, "forbidden");
    // An admin needs no assignment.
    admin.status(&id, "IN_PROGRESS").await.expect(200);
    let closed = admin.close(&id).await.expect(200);
    assert_eq!(closed.body["status"], "CLOSED");
    assert_eq!(closed.body["closedBy"], "456");
    assert!(closed.body["closedAt"].is_i64());
    admin.close(&id).await.problem(409, "refused");
    for status in ["OPEN", "IN_PROGRESS", "COMPLETED"] {
        ada.status(&id, status).await.problem(409, "refused");
    }
    let again = admin.status(&id, "OPEN").await.expect(200);
    assert_eq!(again.body["closedBy"], Value::Null);
    assert_eq!(again.body["closedAt"], Value::Null);
    ada.status(&id, "COMPLETED").await.expect(200);
}

/// C1-18: a change is one of the version that was meant.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_an_older_version_is_refused() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let id = admin.task("Fix bug").await;
    let read = admin.get(&format!("/tasks/{id}")).await.expect(200);
    let tag = read.header("etag").unwrap();
    admin.status(&id, "IN_PROGRESS").await.expect(200);
    let path = format!("/tasks/{id}/status");
    let to = Some(json!({ "status": "COMPLETED" }));
    let stale = admin
        .send(Method::PUT, &path, to, &[("if-match", tag)])
        .await;
    stale.problem(412, "precondition-failed");
    let path = format!("/tasks/{id}/close");
    let stale = admin
        .send(Method::POST, &path, None, &[("if-match", tag)])
        .await;
    stale.problem(412, "precondition-failed");
}

/// C1-18: also within a second one state is not taken for another that looks the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_changed_and_changed_back_is_another_version() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let id = admin.task("Fix bug").await;
    let first = admin.status(&id, "IN_PROGRESS").await.expect(200);
    admin.status(&id, "OPEN").await.expect(200);
    let again = admin.status(&id, "IN_PROGRESS").await.expect(200);
    assert_ne!(first.header("etag"), again.header("etag"));
    // What changes nothing is the version it was.
    let same = admin.status(&id, "IN_PROGRESS").await.expect(200);
    assert_eq!(again.header("etag"), same.header("etag"));
}
