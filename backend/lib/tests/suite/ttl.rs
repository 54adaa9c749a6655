//! An item whose time has passed is not there for anyone, long before DynamoDB deletes it.

use tablewright::{Change, Error};
use todo::model::{TaskKey, TaskStatus, Todo, UpdateTask};

use crate::support::{Place, SetClock, task};

/// S0-39, S0-41
#[tokio::test]
async fn every_read_and_write_leaves_out_what_has_expired() {
    let place = Place::new().await;
    place.store(&todo::model::SCHEMA).await;
    let clock = SetClock::at(1_700_000_000_000);
    let todo = Todo::new(&place.builder().clock(clock.clone()).build());
    let mut short = task("ada", "short");
    short.ttl = Some(1_700_000_010);
    let stored = todo
        .tasks
        .create_task(short.clone(), None)
        .await
        .unwrap()
        .done()
        .unwrap();
    todo.tasks
        .create_task(task("ada", "long"), None)
        .await
        .unwrap();
    let key = TaskKey::new("ada", short.task_id);
    assert_eq!(todo.tasks.tasks("ada").count().await.unwrap(), 2);

    clock.set(1_700_000_010_000);
    assert_eq!(todo.tasks.task("ada", short.task_id).await.unwrap(), None);
    assert_eq!(todo.tasks.items().read_strong(&key).await.unwrap(), None);
    assert_eq!(
        todo.tasks
            .items()
            .read_many(std::slice::from_ref(&key))
            .await
            .unwrap(),
        [None]
    );
    let listed = todo
        .tasks
        .tasks_by_status("ada", TaskStatus::Pending)
        .page()
        .await
        .unwrap();
    assert_eq!(listed.items.len(), 1);
    assert_eq!(todo.tasks.tasks("ada").count().await.unwrap(), 1);
    let gone = Err(Error::NotFound {
        entity: "Task".to_owned(),
    });
    let patch = UpdateTask {
        title: Change::Set("x".to_owned()),
        ..UpdateTask::default()
    };
    let update = todo
        .tasks
        .update_task(&key, |_| Ok::<_, Error>((patch.clone(), None)))
        .await;
    assert_eq!(update.map(drop), gone);
    assert_eq!(todo.tasks.delete_task(&key, None).await.map(drop), gone);
    assert_eq!(todo.tasks.items().replace(stored).await.map(drop), gone);

    // The key is free again, and what was counted is counted once.
    let again = todo.tasks.create_task(short.clone(), None).await;
    assert_eq!(
        again.map(drop),
        Ok(()),
        "an expired item does not block its key"
    );
    let counts = todo.task_counts.task_counts("ada").await.unwrap().unwrap();
    assert_eq!(counts.total, 2);
}
