//! Who deleted a task, and who took it from somebody: what is gone says it itself.

use serde_json::{Value, json};

use crate::support::{Api, Asks as _, until};
use crate::told::{events, everybody};

/// Events of a name, told of a task.
fn of_task(folder: &std::path::Path, name: &str, task: &str) -> Vec<Value> {
    let all = events(folder).into_iter();
    all.filter(|event| event["detail-type"] == name && event["detail"]["TaskId"] == task)
        .map(|event| event["detail"].clone())
        .collect()
}

/// An event of a deletion names who did it: of a task, of an assignment that was taken back, and of those that went with a task.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_removes_something_is_named_by_its_event() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let (boss, chief) = (api.admin("boss").await, api.admin("chief").await);
    for member in ["ada", "bob", "cay"] {
        api.member(member).await;
    }
    let task = boss.task("Fix bug").await;
    for member in ["ada", "bob", "cay"] {
        boss.assign(&task, member).await.expect(200);
    }
    let path = format!("/tasks/{task}");
    chief
        .delete(&format!("{path}/assignments/ada"))
        .await
        .expect(204);
    boss.delete(&path).await.expect(204);
    let unassigned = || of_task(folder.path(), "TaskUnassigned", &task);
    until(|| unassigned().len() == 3).await;
    consumers.stop().await;
    let mut who: Vec<(Value, Value)> = unassigned()
        .into_iter()
        .map(|detail| (detail["UserId"].clone(), detail["RemovedBy"].clone()))
        .collect();
    who.sort_by_key(|(user, _)| user.to_string());
    assert_eq!(
        who,
        [
            (json!("ada"), json!("chief")),
            (json!("bob"), json!("boss")),
            (json!("cay"), json!("boss"))
        ]
    );
    let deleted = of_task(folder.path(), "TaskDeleted", &task);
    assert_eq!(deleted.len(), 1);
    assert_eq!(deleted[0]["DeletedBy"], "boss");
}

/// Of two who remove the same at the same moment one did, and the event names nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_remove_the_same_the_event_names_who_did() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start().await;
    let consumers = everybody(&api, folder.path()).await;
    let (boss, chief) = (api.admin("boss").await, api.admin("chief").await);
    api.member("ada").await;
    for _ in 0..20 {
        let task = boss.task("Fix bug").await;
        boss.assign(&task, "ada").await.expect(200);
        let task_path = format!("/tasks/{task}");
        let assignment = format!("{task_path}/assignments/ada");
        for (path, event, by) in [
            (&assignment, "TaskUnassigned", "RemovedBy"),
            (&task_path, "TaskDeleted", "DeletedBy"),
        ] {
            let (one, other) = tokio::join!(boss.delete(path), chief.delete(path));
            let did = match (one.status, other.status) {
                (204, 404 | 409) => "boss",
                (404 | 409, 204) => "chief",
                other => panic!("{path}: {other:?}"),
            };
            until(|| !of_task(folder.path(), event, &task).is_empty()).await;
            let told = of_task(folder.path(), event, &task);
            assert_eq!(told.len(), 1, "{told:?}");
            assert_eq!(told[0][by], did, "{told:?}");
        }
    }
    consumers.stop().await;
}

/// A request that is refused, or repeated, signs nothing that stays and tells nothing twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_removal_that_is_repeated_is_answered_as_before() {
    let api = Api::start().await;
    let boss = api.admin("boss").await;
    api.member("ada").await;
    let task = boss.task("Fix bug").await;
    boss.assign(&task, "ada").await.expect(200);
    let path = format!("/tasks/{task}");
    let stale = [("if-match", "\"other\"")];
    boss.send(http::Method::DELETE, &path, None, &stale)
        .await
        .expect(412);
    let stored = api.stored::<tasks::model::Task>().await;
    assert_eq!(stored[0].deleted_by, None, "who was refused signed nothing");
    for path in [format!("{path}/assignments/ada"), path.clone()] {
        let key = [("idempotency-key", "once")];
        for _ in 0..2 {
            boss.send(http::Method::DELETE, &path, None, &key)
                .await
                .expect(204);
        }
        let again = boss.delete(&path).await.problem(404, "not-found");
        assert!(!again.text_of("detail").contains("Assignment"));
    }
}
