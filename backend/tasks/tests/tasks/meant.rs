//! Who may act when they act, and on what: as of the transaction, not of a moment before.

use http::Method;
use serde_json::json;
use tablewright::Store;
use tablewright_testing::Fault;
use tasks::model::{Tasks, User, UserKey, UserStatus};

use crate::support::{Api, Asks as _, Wire};

/// Deactivates somebody right before a request arrives.
fn meanwhile(wire: &Wire, user: &'static str) -> Fault {
    let tasks = Tasks::new(&Store::new(wire.engine.dynamodb()));
    Fault::After(Box::new(move |_| {
        let deactivate = async {
            let change = |user: &mut User| user.user_status = UserStatus::Deactivated;
            let users = tasks.users.items();
            users.update(&UserKey::new(user), change).await.unwrap();
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(deactivate));
    }))
}

/// C1-17: an admin who is deactivated after their profile was read, and before they write, writes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_deactivated_meanwhile_writes_nothing() {
    let wire = Wire::new();
    let api = Api::watched(&wire).await;
    let chief = api.admin("chief").await;
    let admin = api.admin("456").await;
    api.member("ada").await;
    api.member("bob").await;
    let task = chief.task("Fix").await;
    chief.assign(&task, "ada").await.expect(200);
    let path = format!("/tasks/{task}");
    let before = chief.get(&path).await.expect(200).body;
    let deeds = [
        (
            Method::POST,
            "/tasks".to_owned(),
            Some(json!({ "title": "x" })),
        ),
        (Method::PUT, path.clone(), Some(json!({ "title": "x" }))),
        (Method::DELETE, path.clone(), None),
        (
            Method::POST,
            format!("{path}/assign"),
            Some(json!({ "userId": "bob" })),
        ),
        (
            Method::POST,
            format!("{path}/assign"),
            Some(json!({ "userId": "456" })),
        ),
        (Method::DELETE, format!("{path}/assignments/ada"), None),
        (
            Method::PUT,
            format!("{path}/status"),
            Some(json!({ "status": "COMPLETED" })),
        ),
        (Method::POST, format!("{path}/close"), None),
        (
            Method::PUT,
            "/users/bob/status".to_owned(),
            Some(json!({ "status": "DEACTIVATED" })),
        ),
        (
            Method::PUT,
            "/users/456/status".to_owned(),
            Some(json!({ "status": "ACTIVE" })),
        ),
    ];
    for (method, path, body) in deeds {
        wire.plan("TransactWriteItems", [meanwhile(&wire, "456")]);
        // With a key, so that also what changes nothing would be written down.
        let key = [("idempotency-key", "k")];
        let refused = admin.send(method.clone(), &path, body, &key).await;
        assert_eq!(refused.status, 403, "{method} {path}: {}", refused.text);
        refused.problem(403, "deactivated");
        wire.forget_faults();
        chief.user_status("456", "ACTIVE").await.expect(200);
    }
    assert_eq!(chief.get(&path).await.expect(200).body, before);
    assert_eq!(chief.titles("/tasks").await, ["Fix"]);
    let bob = chief.get("/users?status=ACTIVE").await.expect(200);
    assert!(bob.text.contains("bob@amalitech.com"));
}

/// C1-12, C1-17: of two admins who deactivate each other at the same moment, one stays.
#[tokio::test(flavor = "multi_thread")]
async fn two_who_shut_each_other_out_do_not_both_succeed() {
    let api = Api::start().await;
    for round in 0..20 {
        let names = ["a", "b"].map(|name| format!("{name}{round}"));
        let (one, other) = (api.admin(&names[0]).await, api.admin(&names[1]).await);
        let (first, second) = tokio::join!(
            one.user_status(&names[1], "DEACTIVATED"),
            other.user_status(&names[0], "DEACTIVATED"),
        );
        let done = [&first, &second]
            .iter()
            .filter(|reply| reply.status == 200)
            .count();
        assert_eq!(done, 1, "{} {}", first.text, second.text);
    }
}

/// S1-49, C1-18: what is deleted is what was meant.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_deleted_in_the_version_that_is_meant() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let task = format!("/tasks/{}", admin.task("Fix").await);
    let old = admin.get(&task).await.expect(200).etag().to_owned();
    let changed = admin
        .put(&task, json!({ "title": "Fix it" }))
        .await
        .expect(200);
    let delete = async |tag: &str| {
        let meant = [("if-match", tag)];
        admin.send(Method::DELETE, &task, None, &meant).await
    };
    delete(&old).await.problem(412, "precondition-failed");
    delete("\"stale\"")
        .await
        .problem(412, "precondition-failed");
    admin.get(&task).await.expect(200);
    delete(changed.etag()).await.expect(204);
    admin.get(&task).await.problem(404, "not-found");
}

/// C1-4: what changed nothing is remembered too, and not done when it would change something.
#[tokio::test(flavor = "multi_thread")]
async fn what_changed_nothing_is_not_done_when_it_comes_again() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    api.member("ada").await;
    admin.user_status("ada", "DEACTIVATED").await.expect(200);
    let again = async || {
        let body = json!({ "status": "DEACTIVATED" });
        let key = [("idempotency-key", "k")];
        admin
            .send(Method::PUT, "/users/ada/status", Some(body), &key)
            .await
            .expect(200)
    };
    let first = again().await;
    admin.user_status("ada", "ACTIVE").await.expect(200);
    let second = again().await;
    assert_eq!(second.body, first.body);
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    let active = admin.get("/users?status=ACTIVE").await.expect(200);
    assert!(active.text.contains("ada@amalitech.com"), "{}", active.text);
}
