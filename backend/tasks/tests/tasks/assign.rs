//! Tasks are handed out and taken back.

use serde_json::json;

use crate::support::{Api, Asks as _};

/// S1-26 to S1-35
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_assigned_to_several_people() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let (ada, bob) = (api.member("ada").await, api.member("bob").await);
    let id = admin.task("Fix bug").await;
    let assigned = admin.assign(&id, "ada").await.expect(200);
    assert_eq!(assigned.body["taskId"], json!(id));
    assert_eq!(assigned.body["userId"], "ada");
    assert_eq!(assigned.body["assignedBy"], "456");
    admin.assign(&id, "bob").await.expect(200);

    // S1-14, S1-17: with the task, in one query.
    let read = ada.get(&format!("/tasks/{id}")).await.expect(200);
    let who = |body: &serde_json::Value, list: &str| {
        let entries = body[list].as_array().unwrap();
        let ids = entries
            .iter()
            .map(|one| one["userId"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(who(&read.body, "assignments"), ["ada", "bob"]);
    let listed = bob
        .get(&format!("/tasks/{id}/assignments"))
        .await
        .expect(200);
    assert_eq!(who(&listed.body, "items"), ["ada", "bob"]);

    // S1-30
    admin.assign(&id, "ada").await.problem(409, "exists");

    let path = format!("/tasks/{id}/assignments/ada");
    admin.delete(&path).await.expect(204);
    admin.delete(&path).await.problem(404, "not-found");
    ada.get(&format!("/tasks/{id}"))
        .await
        .problem(403, "forbidden");
    admin.assign(&id, "ada").await.expect(200);
}

/// S1-28, S1-29, C1-15, C1-25: each failure has its own answer.
#[tokio::test(flavor = "multi_thread")]
async fn each_failure_has_its_own_answer() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    for name in ["ada", "gone"] {
        api.member(name).await;
    }
    admin.user_status("gone", "DEACTIVATED").await.expect(200);
    let id = admin.task("Fix bug").await;

    let nowhere = "00000000-0000-7000-8000-000000000000";
    admin.assign(nowhere, "ada").await.problem(404, "not-found");
    // A task that is not there comes before a user who is not.
    admin
        .assign(nowhere, "nobody")
        .await
        .problem(404, "not-found");
    let unknown = admin
        .assign(&id, "nobody")
        .await
        .problem(400, "not-assignable");
    assert_eq!(unknown.body["detail"], "there is no such user");
    admin
        .assign(&id, "no subject at all!")
        .await
        .problem(400, "not-assignable");
    admin.assign(&id, "").await.problem(400, "not-assignable");
    let inactive = admin
        .assign(&id, "gone")
        .await
        .problem(400, "not-assignable");
    assert_eq!(inactive.body["detail"], "the user is not active");
    let path = format!("/tasks/{id}/assign");
    admin.post(&path, json!({})).await.problem(422, "invalid");
    admin
        .post(&path, json!({ "userId": 7 }))
        .await
        .problem(422, "invalid");

    // C1-15: finished work is not handed out.
    for status in ["IN_PROGRESS", "COMPLETED"] {
        admin.status(&id, status).await.expect(200);
    }
    let done = admin.assign(&id, "ada").await.problem(409, "refused");
    assert!(done.text.contains("COMPLETED"), "{}", done.text);
    admin.close(&id).await.expect(200);
    admin.assign(&id, "ada").await.problem(409, "refused");
    // Who is not there comes before that.
    admin
        .assign(&id, "nobody")
        .await
        .problem(400, "not-assignable");
    let read = admin.get(&format!("/tasks/{id}")).await.expect(200);
    assert_eq!(read.body["assignments"], json!([]), "nothing was written");
}

/// C1-14: the task is there however many people work on it, and says when it does not show all.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_with_very_many_people_is_read_all_the_same() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let id = admin.task("Everybody").await;
    let task_id = id.parse().unwrap();
    for number in 0..130 {
        let assignment = tasks::model::Assignment {
            task_id,
            user_id: format!("user-{number:03}"),
            assigned_by: "456".into(),
            assigned_at: 1,
            removed_by: None,
        };
        api.tasks
            .assignments
            .items()
            .insert(assignment)
            .await
            .unwrap();
    }
    let read = admin.get(&format!("/tasks/{id}")).await.expect(200);
    assert_eq!(read.body["title"], "Everybody");
    assert_eq!(read.body["assignments"].as_array().unwrap().len(), 100);
    assert_eq!(read.body["moreAssignments"], true);
    let mut seen = 0;
    let mut cursor = String::new();
    loop {
        let path = format!("/tasks/{id}/assignments?limit=50{cursor}");
        let page = admin.get(&path).await.expect(200);
        seen += page.body["items"].as_array().unwrap().len();
        match page.body["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, 130);
}

/// Of a task that there is nothing is listed while nothing is there; of one that there is not, nothing can be.
#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_no_task_is_not_found() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let known = admin.task("Known").await;
    let unknown = "01920000-0000-7000-8000-000000000000";
    for list in ["assignments", "history"] {
        let there = admin.get(&format!("/tasks/{known}/{list}")).await;
        assert_eq!(there.expect(200).body["items"], serde_json::json!([]));
        let nowhere = admin.get(&format!("/tasks/{unknown}/{list}")).await;
        nowhere.problem(404, "not-found");
    }
}
