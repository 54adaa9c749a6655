//! Numbers stay right when time deletes what they count.

use std::sync::Arc;

use tablewright::{Change, Store};
use tablewright_stream::{Cause, CountOut, Handler as _, Record};
use tablewright_testing::Ahead;
use todo::model::{
    Task, TaskCounts, TaskCountsKey, TaskKey, TaskPriority, TaskStatus, Todo, UpdateTask,
};

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
    let key = TaskCountsKey::new("ada");
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

/// A store by a clock that is so many seconds ahead.
fn ahead(world: &World, seconds: i64) -> Todo {
    let clock = Ahead::default();
    clock.by_seconds(seconds);
    let store = Store::builder(world.engine.dynamodb()).clock(clock).build();
    Todo::new(&store)
}

/// What the stream tells of the deletion of the task of this title.
async fn deletion_of(notebook: &Notebook, title: &str) -> Arc<Record> {
    let is_it = |record: &Arc<Record>| {
        let title = aws_sdk_dynamodb::types::AttributeValue::S(title.to_owned());
        let before = record.before.as_ref();
        record.cause == Cause::TimeToLive
            && before.and_then(|task| task.get("title")) == Some(&title)
    };
    until(|| notebook.records().iter().any(is_it)).await;
    notebook.records().into_iter().find(is_it).unwrap()
}

/// S0-31, C0-19, C0-22: who counted a task has gone with all tasks, and counts anew. What time deleted before is told only now: it is
/// not taken off numbers that never had it, whether it lived for days or for no time at all.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_counted_is_not_taken_off() {
    for lived in [0, 2 * 86_400] {
        let world = World::new().await;
        let todo = world.todo.clone();
        let notebook = Notebook::default();
        let watching = world.start("watching", quick(), notebook.handler());
        let before = ahead(&world, -lived);
        before.tasks.create_task(ended("old"), None).await.unwrap();
        assert_eq!(world.engine.sweep_ttl().unwrap(), 1);
        let key = TaskCountsKey::new("ada");
        todo.task_counts.items().delete_now(&key).await.unwrap();
        // The clock tells no two moments within a millisecond apart.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        todo.tasks.create_task(ended("new"), None).await.unwrap();

        let handler = CountOut::new("counts", &world.store).of::<Task>();
        let told = deletion_of(&notebook, "old").await;
        handler.handle(Arc::clone(&told)).await.unwrap();
        let now = counts(&todo).await.unwrap();
        assert_eq!((now.total, now.by_status_completed), (1, 1), "{lived}");

        // What they did count is taken off them all the same.
        assert_eq!(world.engine.sweep_ttl().unwrap(), 1);
        let told = deletion_of(&notebook, "new").await;
        handler.handle(told).await.unwrap();
        let now = counts(&todo).await.unwrap();
        assert_eq!((now.total, now.by_status_completed), (0, 0), "{lived}");
        watching.stop().await;
    }
}

/// S0-31: the clocks of two processes differ. What was written by the one that is behind, soon after the other began to count, is counted.
#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_differ_a_little_take_nothing_for_anothers() {
    let world = World::new().await;
    let (first, behind) = (ahead(&world, -7200), ahead(&world, -7230));
    first.tasks.create_task(ended("first"), None).await.unwrap();
    behind
        .tasks
        .create_task(ended("second"), None)
        .await
        .unwrap();
    let notebook = Notebook::default();
    let watching = world.start("watching", quick(), notebook.handler());
    assert_eq!(world.engine.sweep_ttl().unwrap(), 2);
    let handler = CountOut::new("counts", &world.store).of::<Task>();
    for (title, left) in [("second", 1), ("first", 0)] {
        let told = deletion_of(&notebook, title).await;
        handler.handle(told).await.unwrap();
        assert_eq!(counts(&world.todo).await.unwrap().total, left);
    }
    watching.stop().await;
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
