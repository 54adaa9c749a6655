//! Numbers stay right when time deletes what they count.

use std::sync::Arc;

use tablewright::Change;
use tablewright_stream::{Cause, CountOut, Handler as _, Record};
use todo::model::{Task, TaskCounts, TaskKey, TaskPriority, TaskStatus, Todo, UpdateTask};

use crate::support::{Notebook, World, quick, task, until};

async fn counts(todo: &Todo) -> Option<TaskCounts> {
    todo.task_counts.task_counts("ada").await.unwrap()
}

/// A task that has ended, though nothing has removed it yet.
fn ended(title: &str) -> Task {
    Task {
        status: TaskStatus::Completed,
        priority: Some(TaskPriority::High),
        ttl: Some(1_000_000_000),
        ..task("ada", title)
    }
}

/// C0-19, C0-29: what time deletes is taken off the counts, once, however often it is told; what somebody deletes was taken off before.
#[tokio::test(flavor = "multi_thread")]
async fn what_time_deletes_is_counted_out_once() {
    let world = World::new().await;
    let todo = world.todo.clone();
    for number in 0..20 {
        let ended = ended(&format!("ended {number}"));
        todo.tasks.create_task(ended, None).await.unwrap();
    }
    let (kept, gone) = (task("ada", "kept"), task("ada", "gone"));
    for task in [&kept, &gone] {
        todo.tasks.create_task(task.clone(), None).await.unwrap();
    }
    let key = TaskKey::new("ada", gone.task_id);
    todo.tasks.delete_task(&key, None).await.unwrap();
    assert_eq!(counts(&todo).await.unwrap().total, 21);

    let notebook = Notebook::default();
    let watching = world.start("watching", quick(), notebook.handler());
    let handler = CountOut::new("counts", &world.store).of::<Task>();
    let counting = world.start("counts", quick(), handler.clone());
    assert_eq!(world.engine.sweep_ttl().unwrap(), 20);
    while counts(&todo).await.unwrap().total > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let by_time = || -> Vec<Arc<Record>> {
        let records = notebook.records().into_iter();
        records
            .filter(|record| record.cause == Cause::TimeToLive)
            .collect()
    };
    until(|| by_time().len() == 20).await;
    // A process that was thought dead comes back, and tells everything again, many at once.
    for _ in 0..3 {
        let again = by_time();
        let again = again.into_iter().map(|record| handler.handle(record));
        for told in futures_util::future::join_all(again).await {
            told.unwrap();
        }
    }
    let now = counts(&todo).await.unwrap();
    assert_eq!(
        (now.total, now.by_status_pending, now.by_status_completed),
        (1, 1, 0)
    );
    assert_eq!(now.by_priority_high, 0);
    counting.stop().await;
    watching.stop().await;
}

/// C0-22: who counted and is gone is not begun anew by what ends.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_begins_to_count_by_what_ends() {
    let world = World::new().await;
    let todo = world.todo.clone();
    todo.tasks.create_task(ended("x"), None).await.unwrap();
    let key = todo::model::TaskCountsKey::new("ada");
    todo.task_counts.items().delete_now(&key).await.unwrap();
    let handler = CountOut::new("counts", &world.store).of::<Task>();
    let notebook = Notebook::default();
    let watching = world.start("watching", quick(), notebook.handler());
    assert_eq!(world.engine.sweep_ttl().unwrap(), 1);
    let removed = |record: &Arc<Record>| record.cause == Cause::TimeToLive;
    until(|| notebook.records().iter().any(removed)).await;
    let record = notebook.records().into_iter().find(removed).unwrap();
    handler.handle(record).await.unwrap();
    assert_eq!(counts(&todo).await, None);
    watching.stop().await;
    // Nor by a deletion that somebody asks for.
    let orphan = task("ada", "orphan");
    todo.tasks.create_task(orphan.clone(), None).await.unwrap();
    todo.task_counts.items().delete_now(&key).await.unwrap();
    let orphan = TaskKey::new("ada", orphan.task_id);
    let change = UpdateTask {
        title: Change::Set("still".to_owned()),
        ..UpdateTask::default()
    };
    let changed = todo.tasks.update_task(&orphan, |_: &_| {
        Ok::<_, tablewright::Error>((change.clone(), None))
    });
    changed.await.unwrap();
    todo.tasks.delete_task(&orphan, None).await.unwrap();
    assert_eq!(counts(&todo).await, None);
}

/// A stream that does not show what was deleted is told, and not passed over.
#[tokio::test]
async fn what_is_not_shown_cannot_be_counted() {
    let world = World::new().await;
    let handler = CountOut::new("counts", &world.store).of::<Task>();
    let record = Record::of_lambda(
        "todo-app-data",
        &serde_json::json!({
            "eventID": "1", "eventName": "REMOVE", "dynamodb": { "SequenceNumber": "1", "Keys": {} },
            "userIdentity": { "type": "Service", "principalId": "dynamodb.amazonaws.com" },
        }),
    );
    let refused = handler.handle(Arc::new(record.unwrap())).await.unwrap_err();
    assert!(refused.to_string().contains("new-and-old-images"));
}
