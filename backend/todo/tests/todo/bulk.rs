//! Many tasks at once.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Asks as _};

fn count(results: &Value, result: &str) -> usize {
    let results = results["results"].as_array().unwrap();
    results.iter().filter(|one| one["result"] == result).count()
}

/// S0-33: a result for every task, by ids.
#[tokio::test]
async fn many_tasks_get_a_status_by_their_ids() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(ada.task(json!({ "title": format!("{number}") })).await);
    }
    ada.patch(
        &format!("/tasks/{}", ids[0]),
        json!({ "status": "completed" }),
    )
    .await
    .expect(200);
    ids.push(api.person("bob").task(json!({ "title": "foreign" })).await);
    let done = ada
        .post(
            "/tasks/bulk/status",
            json!({ "status": "completed", "ids": ids }),
        )
        .await
        .expect(200);
    let results: Vec<&str> = done.body["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["result"].as_str().unwrap())
        .collect();
    assert_eq!(
        results,
        [
            "unchanged",
            "changed",
            "changed",
            "changed",
            "changed",
            "not_found"
        ]
    );
    assert_eq!(
        (&done.body["changed"], &done.body["more"]),
        (&json!(4), &json!(false))
    );
    for task in ada.pages("/tasks?status=completed", 10).await.remove(0) {
        assert!(task["completed_at"].is_i64());
    }
    assert_eq!(
        api.person("bob").titles("/tasks?status=pending").await,
        ["foreign"]
    );
    api.agrees().await;
}

/// S0-33: those that fit a filter, up to a thousand.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_fit_a_filter_get_a_status() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for number in 0..30 {
        ada.task(json!({ "title": format!("{number}"), "category": if number % 2 == 0 { "home" } else { "work" }, "priority": "low" })).await;
    }
    let asked = json!({ "status": "cancelled", "filter": { "category": "home", "priority": ["low", "high"] } });
    let done = ada
        .post("/tasks/bulk/status", asked.clone())
        .await
        .expect(200);
    assert_eq!(
        (done.body["changed"].as_u64(), count(&done.body, "changed")),
        (Some(15), 15)
    );
    assert_eq!(ada.titles("/tasks?status=cancelled").await.len(), 15);
    let again = ada.post("/tasks/bulk/status", asked).await.expect(200);
    assert_eq!(again.body["results"], json!([]));
    let all = ada
        .post(
            "/tasks/bulk/status",
            json!({ "status": "completed", "filter": {} }),
        )
        .await
        .expect(200);
    assert_eq!(all.body["changed"], 30);
    api.agrees().await;
}

/// S0-48
#[tokio::test]
async fn what_cannot_be_done_to_many_is_refused() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let id = ada.task(json!({ "title": "x" })).await;
    let many: Vec<String> = (0..1001)
        .map(|_| tablewright::Ulid::new().to_string())
        .collect();
    for (body, field) in [
        (json!({ "status": "completed" }), "ids"),
        (
            json!({ "status": "completed", "ids": [id], "filter": {} }),
            "filter",
        ),
        (json!({ "status": "completed", "ids": [] }), "ids"),
        (json!({ "status": "completed", "ids": [id, id] }), "ids"),
        (json!({ "status": "completed", "ids": many }), "ids"),
        (json!({ "status": "completed", "ids": ["x"] }), "ids[0]"),
        (json!({ "status": "done", "ids": [id] }), "status"),
        (json!({ "ids": [id] }), "status"),
        (
            json!({ "status": "completed", "filter": { "title": "x" } }),
            "filter.title",
        ),
        (
            json!({ "status": "completed", "filter": { "tz": "Mars" } }),
            "filter.tz",
        ),
        (
            json!({ "status": "completed", "filter": { "category": "" } }),
            "filter.category",
        ),
        (
            json!({ "status": "completed", "filter": { "status": ["done"] } }),
            "filter.status[0]",
        ),
        (json!([]), "body"),
    ] {
        ada.post("/tasks/bulk/status", body)
            .await
            .problem(422, "invalid")
            .about(field);
    }
    assert_eq!(ada.titles("/tasks?status=pending").await, ["x"]);
}

/// S0-33, C0-13: what others write at the same time is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_change_loses_no_edit() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let mut ids = Vec::new();
    for number in 0..60 {
        ids.push(ada.task(json!({ "title": format!("{number}") })).await);
    }
    let bulk = ada.post(
        "/tasks/bulk/status",
        json!({ "status": "completed", "ids": ids }),
    );
    let edits = futures_util::future::join_all(ids.iter().map(|id| {
        let ada = ada.clone();
        async move {
            // Told of a conflict, somebody tries again.
            loop {
                let reply = ada
                    .patch(
                        &format!("/tasks/{id}"),
                        json!({ "title": format!("edited {id}"), "priority": "high" }),
                    )
                    .await;
                if reply.status != 409 {
                    return reply.expect(200);
                }
            }
        }
    }));
    let (bulk, _) = tokio::join!(bulk, edits);
    let bulk = bulk.expect(200);
    let conflicts = count(&bulk.body, "conflict");
    assert_eq!(count(&bulk.body, "changed") + conflicts, 60);
    for id in &ids {
        let task = ada.get(&format!("/tasks/{id}")).await.expect(200);
        assert_eq!(
            (&task.body["title"], &task.body["priority"]),
            (&json!(format!("edited {id}")), &json!("high"))
        );
    }
    assert_eq!(
        ada.titles("/tasks?status=completed").await.len(),
        60 - conflicts
    );
    api.agrees().await;
}

/// S0-34: each only if it is still completed; what broke off goes on.
#[tokio::test(flavor = "multi_thread")]
async fn completed_tasks_are_cleared_away() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    for number in 0..40 {
        let status = if number % 4 == 0 {
            "pending"
        } else {
            "completed"
        };
        for person in [&ada, &bob] {
            person
                .task(json!({ "title": format!("{number}"), "status": status }))
                .await;
        }
    }
    let key = [("idempotency-key", "clear")];
    let done = ada
        .send(Method::POST, "/tasks/bulk/delete-completed", None, &key)
        .await
        .expect(200);
    assert_eq!(done.body, json!({ "deleted": 30, "more": false }));
    ada.task(json!({ "title": "later", "status": "completed" }))
        .await;
    // The same request is answered, and not done again.
    let again = ada
        .send(Method::POST, "/tasks/bulk/delete-completed", None, &key)
        .await
        .expect(200);
    assert_eq!(
        (&again.body, again.header("idempotency-replayed")),
        (&done.body, Some("true"))
    );
    assert_eq!(ada.titles("/tasks").await.len(), 11);
    let next = ada
        .send(Method::POST, "/tasks/bulk/delete-completed", None, &[])
        .await
        .expect(200);
    assert_eq!(next.body["deleted"], 1);
    assert_eq!(bob.titles("/tasks").await.len(), 40);
    api.agrees().await;
}
