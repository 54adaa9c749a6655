//! Several entities of one item collection, what is read of them, and the changes and events they make.

use tablewright::{Change, Changed, Error, Failed, Once, Uuid, Why};
use tasks::model::{
    AssignTaskInput, Assignment, AssignmentKey, ChangeStatusInput, ChangeStatusRefused,
    ChangeStatusTask, SCHEMA, Task, TaskKey, TaskPriority, TaskStatus, TaskWithAssignments, Tasks,
    TasksChange, TasksEvent, User, UserGroup, UserKey, UserStatus,
};

use crate::support::Place;

fn task() -> Task {
    Task {
        task_id: Uuid::now_v7(),
        title: "Paint the fence".to_owned(),
        description: None,
        status: TaskStatus::Open,
        priority: TaskPriority::High,
        created_by: "root".to_owned(),
        created_at: 1_700_000_000,
        updated_by: None,
        updated_at: 1_700_000_000,
        closed_by: None,
        closed_at: None,
        deleted_by: None,
        revision: 1,
    }
}

fn member(user_id: &str) -> User {
    User {
        user_id: user_id.to_owned(),
        email: format!("{user_id}@example.com"),
        name: None,
        user_status: UserStatus::Active,
        groups: vec![UserGroup::Members],
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
    }
}

fn assignment(task_id: Uuid, user_id: &str) -> AssignTaskInput {
    AssignTaskInput {
        assignment: Assignment {
            task_id,
            user_id: user_id.to_owned(),
            assigned_by: "root".to_owned(),
            assigned_at: 1_700_000_001,
            removed_by: None,
        },
        claim: None,
    }
}

/// S1-17, S1-26 to S1-34, C1-5
#[tokio::test]
async fn a_task_is_read_with_its_assignments_and_changed_by_who_is_assigned() {
    let place = Place::new().await;
    let tasks = Tasks::new(&place.store(&SCHEMA).await);
    let new = task();
    let key = TaskKey::new(new.task_id);
    tasks.tasks.items().insert(new.clone()).await.unwrap();
    tasks.users.create_user(member("root")).await.unwrap();
    let root = UserKey::new("root");
    for name in ["ada", "bob"] {
        tasks.users.create_user(member(name)).await.unwrap();
        let (user, input) = (UserKey::new(name), assignment(new.task_id, name));
        let done = tasks.assign_task(&key, &user, &root, &input).await.unwrap();
        assert_eq!(done, Once::Done(()));
    }
    let found = tasks
        .tasks
        .task_with_assignments(new.task_id)
        .all()
        .collect()
        .await
        .unwrap();
    let together = TaskWithAssignments::from(found);
    assert_eq!(together.task.map(|task| task.data), Some(new.clone()));
    let people: Vec<&str> = together
        .assignments
        .iter()
        .map(|one| one.user_id.as_str())
        .collect();
    assert_eq!(people, ["bob", "ada"]);

    // Twice is refused, and so is nobody.
    let twice = tasks
        .assign_task(
            &key,
            &UserKey::new("ada"),
            &root,
            &assignment(new.task_id, "ada"),
        )
        .await;
    let Err(Failed::Refused(refused)) = twice else {
        panic!("{twice:?}");
    };
    assert_eq!(
        refused.assignment.map(|refused| refused.why),
        Some(Why::Exists)
    );
    let nobody = tasks
        .assign_task(
            &key,
            &UserKey::new("eve"),
            &root,
            &assignment(new.task_id, "eve"),
        )
        .await;
    let Err(Failed::Refused(refused)) = nobody else {
        panic!("{nobody:?}");
    };
    assert_eq!(
        refused.user.map(|refused| (refused.why, refused.seen)),
        Some((Why::NotFound, None))
    );
    assert_eq!(refused.task, None);

    let change = |status| {
        let (tasks, key) = (tasks.clone(), key.clone());
        async move {
            tasks
                .change_status::<Failed<ChangeStatusRefused>>(
                    &UserKey::new("ada"),
                    &AssignmentKey::new(key.task_id, "ada"),
                    &key,
                    |seen| {
                        assert_ne!(seen.task.status, TaskStatus::Closed);
                        Ok(ChangeStatusInput {
                            task: ChangeStatusTask {
                                status: Change::Set(status),
                                ..ChangeStatusTask::default()
                            },
                            claim: None,
                        })
                    },
                )
                .await
        }
    };
    change(TaskStatus::InProgress).await.unwrap();
    let open = tasks
        .tasks
        .tasks_by_status(TaskStatus::Open)
        .count()
        .await
        .unwrap();
    let started = tasks
        .tasks
        .tasks_by_status(TaskStatus::InProgress)
        .count()
        .await
        .unwrap();
    assert_eq!((open, started), (0, 1), "the index key follows");
    assert_eq!(
        tasks
            .assignments
            .delete_assignments_of_task(new.task_id)
            .await
            .unwrap(),
        2
    );
    let Err(Failed::Refused(refused)) = change(TaskStatus::Completed).await else {
        panic!("nobody is assigned");
    };
    assert_eq!(
        refused.assignment.map(|refused| refused.why),
        Some(Why::NotFound)
    );
    let (task, none) = (TaskKey::new(Uuid::now_v7()), UserKey::new("ada"));
    let gone = tasks
        .assign_task(&task, &none, &root, &assignment(task.task_id, "ada"))
        .await;
    assert!(matches!(gone, Err(Failed::Refused(_))));
}

/// The records of a stream are the items before and after.
#[tokio::test]
async fn changes_and_events_are_read_from_items() {
    let place = Place::new().await;
    let store = place.store(&SCHEMA).await;
    let tasks = Tasks::new(&store);
    let new = task();
    let key = TaskKey::new(new.task_id);
    tasks.tasks.items().insert(new.clone()).await.unwrap();
    let raw = || async {
        let table = store.table_name(&SCHEMA.tables[0]);
        let scan = place
            .client
            .scan()
            .table_name(table)
            .consistent_read(true)
            .send()
            .await
            .unwrap();
        scan.items.unwrap().pop().unwrap()
    };
    let first = raw().await;
    let inserted = TasksChange::decode("TaskManagement", None, Some(&first)).unwrap();
    let Some(TasksChange::Task(Changed::Inserted(task))) = inserted else {
        panic!("{inserted:?}");
    };
    assert_eq!(task.data, new);
    assert_eq!(TasksChange::decode("another", None, Some(&first)), Ok(None));
    let created = TasksEvent::of("TaskManagement", None, Some(&first)).unwrap();
    assert!(
        matches!(created.as_slice(), [TasksEvent::TaskCreated(_)]),
        "{created:?}"
    );

    tasks
        .tasks
        .items()
        .update(&key, |task| task.status = TaskStatus::Completed)
        .await
        .unwrap();
    let second = raw().await;
    let events = TasksEvent::of("TaskManagement", Some(&first), Some(&second)).unwrap();
    let updated = events.iter().find_map(|event| match event {
        TasksEvent::TaskStatusUpdated(updated) => Some(updated),
        _ => None,
    });
    let updated = updated.unwrap_or_else(|| panic!("{events:?}"));
    assert_eq!(updated.previous_status, TaskStatus::Open);
    assert_eq!(updated.new_status, TaskStatus::Completed);
    tasks
        .tasks
        .items()
        .update(&key, |task| task.title = "Paint it again".to_owned())
        .await
        .unwrap();
    let third = raw().await;
    let events = TasksEvent::of("TaskManagement", Some(&second), Some(&third)).unwrap();
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, TasksEvent::TaskStatusUpdated(_))),
        "{events:?}"
    );
    let removed = TasksChange::decode("TaskManagement", Some(&third), None).unwrap();
    assert!(matches!(
        removed,
        Some(TasksChange::Task(Changed::Removed(_)))
    ));
    let spoilt = tablewright::Item::from([("EntityType".to_owned(), third["EntityType"].clone())]);
    let outcome = TasksChange::decode("TaskManagement", None, Some(&spoilt));
    assert!(
        matches!(outcome, Err(Error::Unreadable { .. })),
        "{outcome:?}"
    );
}
