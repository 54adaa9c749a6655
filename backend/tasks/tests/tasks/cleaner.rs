//! What is left of a deleted task, on the real stream (C1-19).

use std::time::Duration;

use futures_util::future::join_all;
use tasks::Consumers;

use crate::support::{Api, Asks as _, Caller};

async fn assigned(admin: &Caller, people: &[String]) -> String {
    let id = admin.task("Fix bug").await;
    for name in people {
        admin.assign(&id, name).await.expect(200);
    }
    id
}

/// Waits until nobody is assigned to a task.
async fn until_nobody(api: &Api, task: &str) {
    let task_id = task.parse().unwrap();
    let gone = async {
        while api
            .tasks
            .assignments
            .assignments_left(task_id)
            .first()
            .await
            .unwrap()
            .is_some()
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), gone).await;
    waited.expect("the cleaner was here");
}

/// C1-19: the assignments go with the task, also those of a task that was deleted while nobody followed; others stay.
#[tokio::test(flavor = "multi_thread")]
async fn the_assignments_of_a_deleted_task_go_too() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let people: Vec<String> = (0..12).map(|number| format!("user-{number}")).collect();
    for name in &people {
        api.member(name).await;
    }
    let kept = assigned(&admin, &people[..3]).await;
    let before = assigned(&admin, &people).await;
    admin.delete(&format!("/tasks/{before}")).await.expect(204);
    // Before the cleaner comes a member does not see it either.
    let first = api.person("user-0", "Members");
    assert_eq!(first.titles("/tasks").await.len(), 1);
    first
        .get(&format!("/tasks/{before}"))
        .await
        .problem(404, "not-found");

    let consumers = Consumers::all(&api.app, &api.following());
    until_nobody(&api, &before).await;
    let then = assigned(&admin, &people).await;
    admin.delete(&format!("/tasks/{then}")).await.expect(204);
    until_nobody(&api, &then).await;
    consumers.stop().await;
    let left = api
        .tasks
        .assignments
        .assignments_of_task(kept.parse().unwrap());
    assert_eq!(left.count().await.unwrap(), 3);
}

/// C1-19: nobody stays assigned to a task that is deleted at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn an_assignment_racing_a_deletion_leaves_nothing() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let people: Vec<String> = (0..4).map(|number| format!("user-{number}")).collect();
    for name in &people {
        api.member(name).await;
    }
    let consumers = Consumers::all(&api.app, &api.following());
    let mut outcomes = [0, 0];
    for round in 0..50 {
        let id = admin.task("Fix bug").await;
        let path = format!("/tasks/{id}");
        // Now with all of them before it, now with some, now with none; and later from round to round, as machines are slow or fast.
        let (before, after) = people.split_at(round % 5);
        let later = Duration::from_millis((1 << (round / 5)) - 1);
        let (first, deleted, second) = tokio::join!(
            join_all(before.iter().map(|name| admin.assign(&id, name))),
            admin.delete(&path),
            async {
                tokio::time::sleep(later).await;
                join_all(after.iter().map(|name| admin.assign(&id, name))).await
            },
        );
        deleted.expect(204);
        for answer in first.into_iter().chain(second) {
            assert!(matches!(answer.status, 200 | 404), "{}", answer.text);
            outcomes[usize::from(answer.status == 404)] += 1;
        }
        until_nobody(&api, &id).await;
    }
    consumers.stop().await;
    assert!(
        outcomes.iter().all(|many| *many > 0),
        "both happened: {outcomes:?}"
    );
    for name in &people {
        let left = api.tasks.assignments.assignments_of_user(name);
        assert_eq!(left.count().await.unwrap(), 0);
    }
}
