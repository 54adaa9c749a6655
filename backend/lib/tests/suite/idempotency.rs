//! One effect for each idempotency key, whatever comes in between.

use tablewright::{Change, Claim, Entity, Error, Once};
use todo::model::{Idempotency, TaskKey, TaskStatus, Todo, UpdateTask};
use tokio::task::JoinSet;

use crate::support::{Place, SetClock, task, todo};

pub(crate) fn record(request_id: &str, request: char, response: &str) -> Idempotency {
    Idempotency {
        user_id: "ada".to_owned(),
        route: "POST /tasks".to_owned(),
        request_id: request_id.to_owned(),
        request_hash: request.to_string().repeat(64),
        response_data: Some(response.to_owned()),
        target_task_pk: None,
        target_task_sk: None,
        http_status_code: Some(201),
        chosen: None,
        held_until: None,
        created_at: 1_700_000_000,
        ttl: 4_000_000_000,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_requests_with_one_key_one_has_an_effect_and_all_get_one_answer() {
    let (_place, todo) = todo().await;
    let mut requests = JoinSet::new();
    for number in 0..64 {
        let todo = todo.clone();
        requests.spawn(async move {
            let task = task("ada", &format!("task {number}"));
            let answer = format!("made {}", task.task_id);
            match todo
                .tasks
                .create_task(task, Some(record("r", 'a', &answer)))
                .await
                .unwrap()
            {
                Once::Done(_) => answer,
                Once::Before(record) => record.response_data.unwrap(),
            }
        });
    }
    let answers = requests.join_all().await;
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
    let tasks = todo.tasks.tasks("ada").all().collect().await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!(answers[0], format!("made {}", tasks[0].task_id));
    let counts = todo.task_counts.task_counts("ada").await.unwrap().unwrap();
    assert_eq!((counts.total, counts.by_status_pending), (1, 1));
}

#[tokio::test]
async fn a_key_that_was_used_for_another_request_is_refused() {
    let (_place, todo) = todo().await;
    todo.tasks
        .create_task(task("ada", "a"), Some(record("r", 'a', "x")))
        .await
        .unwrap();
    let other = todo
        .tasks
        .create_task(task("ada", "b"), Some(record("r", 'b', "y")))
        .await;
    assert_eq!(
        other.map(|_| ()),
        Err(Error::KeyReused {
            entity: "Idempotency".to_owned()
        })
    );
    assert_eq!(todo.tasks.tasks("ada").count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_deletion_that_is_repeated_is_answered_as_before() {
    let (_place, todo) = todo().await;
    let stored = todo
        .tasks
        .create_task(task("ada", "a"), None)
        .await
        .unwrap()
        .done()
        .unwrap();
    let key = TaskKey::new("ada", stored.task_id);
    let first = todo
        .tasks
        .delete_task(&key, Some(record("d", 'a', "gone")))
        .await
        .unwrap();
    assert_eq!(first, Once::Done(stored));
    let again = todo
        .tasks
        .delete_task(&key, Some(record("d", 'a', "gone")))
        .await
        .unwrap();
    let Once::Before(answer) = again else {
        panic!("{again:?}");
    };
    assert_eq!(answer.response_data.as_deref(), Some("gone"));
    let never = todo
        .tasks
        .delete_task(&key, Some(record("other", 'a', "gone")))
        .await;
    assert_eq!(
        never.map(|_| ()),
        Err(Error::NotFound {
            entity: "Task".to_owned()
        })
    );
}

#[tokio::test]
async fn a_record_whose_time_has_passed_binds_nobody() {
    let place = Place::new().await;
    place.store(&todo::model::SCHEMA).await;
    let clock = SetClock::at(1_700_000_000_000);
    let todo = Todo::new(&place.builder().clock(clock.clone()).build());
    let mut short = record("r", 'a', "first");
    short.ttl = 1_700_000_060;
    todo.tasks
        .create_task(task("ada", "a"), Some(short))
        .await
        .unwrap();
    clock.set(1_700_000_059_000);
    let again = todo
        .tasks
        .create_task(task("ada", "b"), Some(record("r", 'a', "second")))
        .await
        .unwrap();
    assert!(matches!(again, Once::Before(_)));
    clock.set(1_700_000_060_000);
    assert_eq!(
        todo.idempotencies
            .idempotent_answer("ada", "POST /tasks", "r")
            .await
            .unwrap(),
        None
    );
    let again = todo
        .tasks
        .create_task(task("ada", "b"), Some(record("r", 'b', "third")))
        .await
        .unwrap();
    assert!(matches!(again, Once::Done(_)));
}

/// What can be done only once fails the second time; the record answers before that shows.
#[tokio::test]
async fn a_repetition_is_answered_although_doing_it_again_would_fail() {
    let (_place, todo) = todo().await;
    let stored = todo
        .tasks
        .create_task(task("ada", "a"), None)
        .await
        .unwrap()
        .done()
        .unwrap();
    let key = TaskKey::new("ada", stored.task_id);
    let claim = record("c", 'a', "completed");
    let complete = |claim: Idempotency| {
        let (todo, key) = (todo.clone(), key.clone());
        async move {
            let store = todo.store().clone();
            store
                .once(
                    &claim.key(),
                    |earlier: &Idempotency| claim.same_request(earlier),
                    || async {
                        todo.tasks
                            .update_task(&key, |task| {
                                if task.status == TaskStatus::Completed {
                                    return Err(Error::Refused {
                                        entity: "Task".to_owned(),
                                    });
                                }
                                let patch = UpdateTask {
                                    status: Change::Set(TaskStatus::Completed),
                                    ..UpdateTask::default()
                                };
                                Ok((patch, Some(claim.clone())))
                            })
                            .await
                    },
                )
                .await
        }
    };
    assert!(matches!(complete(claim.clone()).await, Ok(Once::Done(_))));
    let again = complete(claim.clone()).await.unwrap();
    assert!(
        matches!(&again, Once::Before(record) if record.response_data.as_deref() == Some("completed")),
        "{again:?}"
    );
    let other = complete(record("c", 'b', "completed")).await;
    assert_eq!(
        other.map(drop),
        Err(Error::KeyReused {
            entity: "Idempotency".to_owned()
        })
    );
    let new = complete(record("d", 'a', "completed")).await;
    assert_eq!(
        new.map(drop),
        Err(Error::Refused {
            entity: "Task".to_owned()
        })
    );
}
