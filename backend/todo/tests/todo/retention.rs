//! Completed tasks are kept for ever, or as long as the setting says.

use serde_json::{Value, json};

use crate::support::{Api, With};

/// S0-41, C0-10, C0-18
#[tokio::test]
async fn completed_tasks_are_forgotten_after_so_many_days() {
    let api = Api::start_with(With {
        keep_completed_days: Some(7),
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    let (done, open, again) = (
        ada.task(json!({ "title": "done" })).await,
        ada.task(json!({ "title": "open" })).await,
        ada.task(json!({ "title": "again" })).await,
    );
    for id in [&done, &again] {
        let task = ada
            .patch(&format!("/tasks/{id}"), json!({ "status": "completed" }))
            .await
            .expect(200)
            .body;
        assert_eq!(
            task["expires_at"].as_i64().unwrap() - task["completed_at"].as_i64().unwrap(),
            7 * 86_400
        );
    }
    let reopened = ada
        .patch(
            &format!("/tasks/{again}"),
            json!({ "status": "in_progress" }),
        )
        .await
        .expect(200);
    assert_eq!(
        (&reopened.body["expires_at"], &reopened.body["completed_at"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        ada.get(&format!("/tasks/{open}")).await.expect(200).body["expires_at"],
        Value::Null
    );
    api.clock.by_seconds(7 * 86_400 + 1);
    // It is still stored, since nothing has swept it, and is seen by nobody.
    ada.get(&format!("/tasks/{done}"))
        .await
        .problem(404, "not-found", "");
    ada.patch(&format!("/tasks/{done}"), json!({ "title": "x" }))
        .await
        .problem(404, "not-found", "");
    assert_eq!(ada.titles("/tasks?status=completed").await.len(), 0);
    assert_eq!(
        ada.titles("/tasks?sort=created&order=asc").await,
        ["open", "again"]
    );
    assert_eq!(ada.titles("/tasks/search?q=done").await.len(), 0);
    api.agrees().await;
}
