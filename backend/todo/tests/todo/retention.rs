//! Completed tasks are kept for ever, or as long as the setting says.

use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Caller, Fault, Wire, With};

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
        .problem(404, "not-found");
    ada.patch(&format!("/tasks/{done}"), json!({ "title": "x" }))
        .await
        .problem(404, "not-found");
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

/// S0-31, C0-19, C0-22: a task was deleted by time, and its user leaves before the stream has told it and comes back. The new counts never had it.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_is_counted_from_nothing() {
    let api = Api::start_with(With {
        keep_completed_days: Some(1),
        ..With::default()
    })
    .await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    api.clock.by_seconds(-2 * 86_400);
    let done = json!({ "title": "x", "status": "completed", "priority": "low" });
    for person in [&ada, &bob] {
        person.task(done.clone()).await;
    }
    api.clock.by_seconds(2 * 86_400);
    assert_eq!(api.engine.sweep_ttl().unwrap(), 2);
    ada.delete("/users/me").await.expect(204);
    ada.task(done).await;

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let app = api.app.clone();
    let counting = tokio::spawn(async move {
        app.keep_counts(async { stopped.await.unwrap_or(()) }).await;
    });
    let told = async |person: &Caller| person.get("/stats/tasks").await.expect(200).body;
    while told(&bob).await["total"] != 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    // Both came in one batch, which is finished before the consumer ends.
    drop(stop);
    counting.await.unwrap();
    let counts = told(&ada).await;
    assert_eq!(
        [
            &counts["total"],
            &counts["by_status"]["completed"],
            &counts["by_priority"]["low"]
        ],
        [&json!(1); 3]
    );
    api.agrees().await;
}

/// C0-22, S0-31: what is written down while its user leaves goes too, and leaves no count that is off.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_while_its_user_leaves_leaves_no_count() {
    let wire = Wire::new();
    let api = Api::start_with(With {
        wire: Some(wire.clone()),
        ..With::default()
    })
    .await;
    let ada = api.person("ada");
    ada.put("/users/me", json!({ "name": "Ada" }))
        .await
        .expect(201);
    ada.task(json!({ "title": "first" })).await;
    let write = |title: &'static str| {
        let todo = todo::model::Todo::new(&tablewright::Store::new(wire.engine.dynamodb()));
        Fault::After(Box::new(move |_| {
            let task = todo::model::Task {
                user_id: "ada".to_owned(),
                task_id: tablewright::Ulid::new(),
                title: title.to_owned(),
                description: None,
                status: todo::model::TaskStatus::Pending,
                priority: None,
                category: None,
                due_date: None,
                created_at: 0,
                updated_at: 0,
                completed_at: None,
                ttl: None,
                revision: 1,
            };
            let other = async {
                todo.tasks.create_task(task, None).await.unwrap();
            };
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(other));
        }))
    };
    // The first task goes by one transaction; before the next, which ends user and counts, another task is written; and then, before the tasks are looked for again, a third.
    wire.plan("TransactWriteItems", [Fault::None, write("second")]);
    wire.plan(
        "Query",
        [Fault::None, Fault::None, Fault::None, write("third")],
    );
    ada.delete("/users/me").await.expect(204);
    wire.forget_faults();
    let report = todo::check::check(&api.app).await.unwrap();
    assert_eq!((report.users, report.tasks), (0, 0), "{report}");
    assert!(report.faults.is_empty(), "{report}");
    ada.task(json!({ "title": "back" })).await;
    assert_eq!(ada.get("/stats/tasks").await.expect(200).body["total"], 1);
}

/// C0-22, S0-31: others who write down tasks of the same person all the while; whether it ends or is told to be sent again, what is there is counted.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_writes_beside_one_who_leaves_is_counted() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for _ in 0..3 {
        ada.put("/users/me", json!({ "name": "Ada" })).await;
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let ada = ada.clone();
                tokio::spawn(async move {
                    for _ in 0..15 {
                        let made = ada.post("/tasks", json!({ "title": "x", "priority": "low" }));
                        assert!([201, 409, 503].contains(&made.await.status));
                    }
                })
            })
            .collect();
        // A slow machine may not come to an end: it is sent again.
        let left = ada.delete("/users/me").await.status;
        assert!([204, 404, 409, 503].contains(&left), "{left}");
        for writer in writers {
            writer.await.unwrap();
        }
        api.agrees().await;
    }
    ada.delete("/users/me").await;
    assert_eq!(ada.get("/stats/tasks").await.expect(200).body["total"], 0);
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
