//! Counters: changed in the transaction that writes what they count.

use tablewright::{Change, Error, Timestamp};
use todo::model::{TaskKey, TaskPriority, TaskStatus, UpdateTask};
use tokio::task::JoinSet;

use ask::model::{Ask, UserStats};
use serde_json::json;

use crate::support::{Place, task, todo};

/// S0-31, S0-32
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counts_agree_with_the_items_after_many_writers() {
    let (_place, todo) = todo().await;
    let mut writers = JoinSet::new();
    for writer in 0..16 {
        let todo = todo.clone();
        writers.spawn(async move {
            for number in 0..10 {
                let mut new = task("ada", &format!("{writer}.{number}"));
                new.priority = (number % 2 == 0).then_some(TaskPriority::High);
                let stored = todo
                    .tasks
                    .create_task(new, None)
                    .await
                    .unwrap()
                    .done()
                    .unwrap();
                let key = TaskKey::new("ada", stored.task_id);
                if number % 3 == 0 {
                    let patch = UpdateTask {
                        status: Change::Set(TaskStatus::Completed),
                        priority: Change::Set(Some(TaskPriority::Low)),
                        ..UpdateTask::default()
                    };
                    todo.tasks
                        .update_task(&key, |_| Ok::<_, Error>((patch.clone(), None)))
                        .await
                        .unwrap();
                }
                if number % 5 == 0 {
                    todo.tasks.delete_task(&key, None).await.unwrap();
                }
            }
        });
    }
    writers.join_all().await;
    let tasks = todo.tasks.tasks("ada").all().collect().await.unwrap();
    let counts = todo.task_counts.task_counts("ada").await.unwrap().unwrap();
    assert_eq!(counts.total, 16 * 8);
    for status in [
        TaskStatus::Pending,
        TaskStatus::Completed,
        TaskStatus::Cancelled,
    ] {
        let there = tasks.iter().filter(|task| task.status == status).count() as u64;
        assert_eq!(
            todo.tasks.count_by_status("ada", status).await.unwrap(),
            there,
            "{status:?}"
        );
    }
    for priority in [TaskPriority::Low, TaskPriority::High, TaskPriority::Urgent] {
        let there = tasks
            .iter()
            .filter(|task| task.priority == Some(priority))
            .count() as u64;
        assert_eq!(
            todo.tasks.count_by_priority("ada", priority).await.unwrap(),
            there,
            "{priority:?}"
        );
    }
    // All of somebody's tasks go, and the counts with them.
    assert_eq!(todo.tasks.delete_user_tasks("ada").await.unwrap(), 16 * 8);
    let counts = todo.task_counts.task_counts("ada").await.unwrap().unwrap();
    assert_eq!(
        (
            counts.total,
            counts.by_status_pending,
            counts.by_priority_high
        ),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn who_has_nothing_has_a_count_of_nothing() {
    let (_place, todo) = todo().await;
    assert_eq!(
        todo.tasks
            .count_by_status("nobody", TaskStatus::Pending)
            .await
            .unwrap(),
        0
    );
    assert_eq!(todo.task_counts.task_counts("nobody").await.unwrap(), None);
}

fn score(number: i64) -> UserStats {
    let now = Timestamp::now();
    let mut score = json!({
        "fingerprint_hash": format!("human-{number}"), "points_date": "2026-11-16", "daily_points": number + 1,
        "points_week": "2026-11-16", "streak_last_date": "2026-11-16", "badges": {}, "answers_by_category": {},
        "created_at": now, "updated_at": now,
    });
    // Every other is on no board, and is not counted.
    if number % 2 == 0 {
        score["banned_at"] = json!(now);
    }
    serde_json::from_value(score).unwrap()
}

/// C2-15: where only so many matter, no more are read.
#[tokio::test]
async fn a_count_goes_no_further_than_it_is_told() {
    let place = Place::new().await;
    let ask = Ask::new(&place.store(&ask::model::SCHEMA).await);
    for number in 0..24 {
        let scores = ask.user_stats.items();
        scores.insert(score(number)).await.unwrap();
    }
    let (store, meter) = ask.store().metered();
    let scores = Ask::new(&store).user_stats;
    let day = "2026-11-16".parse().unwrap();
    let count = || scores.count_ahead_of_day(day, 0);
    assert_eq!(count().await.unwrap(), 12);
    assert_eq!(count().up_to(100).await.unwrap(), 12);
    assert_eq!(count().up_to(12).await.unwrap(), 12);
    assert_eq!(count().up_to(0).await.unwrap(), 0);
    for most in 1..12 {
        assert_eq!(count().up_to(most).await.unwrap(), most);
    }
    meter.take();
    count().await.unwrap();
    let all = meter.take().requests;
    count().up_to(1).await.unwrap();
    let one = meter.take().requests;
    assert!(one < all, "{one} requests for one, {all} for all");

    let (_place, todo) = todo().await;
    for number in 0..3 {
        let new = task("ada", &format!("{number}"));
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let pending = || todo.tasks.count_by_status("ada", TaskStatus::Pending);
    assert_eq!(pending().await.unwrap(), 3);
    assert_eq!(pending().up_to(2).await.unwrap(), 2);
}
