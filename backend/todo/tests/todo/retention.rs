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

/// S0-41, C0-19, C0-29: what DynamoDB has deleted since its time had passed is no longer counted; the program takes care of it by itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_time_has_deleted_is_no_longer_counted() {
    let api = Api::start_with(With {
        keep_completed_days: Some(1),
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    // Two days ago, by the clock of the service: their time has passed by that of the engine.
    api.clock.by_seconds(-2 * 86_400);
    for number in 0..12 {
        let status = ["completed", "pending"][number % 2];
        let task = json!({ "title": "x", "status": status, "priority": "low" });
        ada.task(task).await;
    }
    api.clock.by_seconds(2 * 86_400);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let app = api.app.clone();
    let counting = tokio::spawn(async move {
        app.keep_counts(async { stopped.await.unwrap_or(()) }).await;
    });
    assert_eq!(api.engine.sweep_ttl().unwrap(), 6);
    let told = async || ada.get("/stats/tasks").await.expect(200).body;
    while told().await["by_status"]["completed"] != 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let counts = told().await;
    assert_eq!(
        (&counts["total"], &counts["by_status"]["pending"]),
        (&json!(6), &json!(6))
    );
    assert_eq!(counts["by_priority"]["low"], 6);
    api.agrees().await;
    drop(stop);
    counting.await.unwrap();
}

/// C0-19, C0-22: a user who leaves takes along what is stored although its time has passed, so that nothing of it is counted out later.
#[tokio::test]
async fn what_has_ended_and_is_stored_still_goes_with_its_user() {
    let api = Api::start_with(With {
        keep_completed_days: Some(1),
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    ada.task(json!({ "title": "x", "status": "completed" }))
        .await;
    ada.task(json!({ "title": "y" })).await;
    api.clock.by_seconds(2 * 86_400);
    assert_eq!(ada.titles("/tasks").await, ["y"]);
    ada.delete("/users/me").await.expect(204);
    let report = todo::check::check(&api.app).await.unwrap();
    assert_eq!((report.users, report.tasks), (0, 0), "{report}");
}
