//! Counters: changed in the transaction that writes what they count.

use tablewright::{Change, Error, Timestamp, Uuid};
use todo::model::{TaskKey, TaskPriority, TaskStatus, UpdateTask};
use tokio::task::JoinSet;

use ask::model::{Ask, Question, QuestionAudience, QuestionStatus, QuestionType};

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

fn question(number: i64) -> Question {
    Question {
        question_id: Uuid::now_v7(),
        status: QuestionStatus::Open,
        prompt: "What is there to count?".to_owned(),
        r#type: QuestionType::Text,
        options: None,
        audience: vec![QuestionAudience::General],
        required_responses: 5,
        current_responses: 0,
        responses_needed: 5,
        agent_id: "agent".to_owned(),
        idempotency_key: None,
        created_at: Timestamp::now(),
        expires_at: 5_000_000_000 + number,
        catch_up_at: 5_000_000_000,
        closed_at: None,
        // Every other is past its end, and is not counted.
        purge_at: if number % 2 == 0 { 1 } else { 6_000_000_000 },
    }
}

/// C2-15: where only so many matter, no more are read.
#[tokio::test]
async fn a_count_goes_no_further_than_it_is_told() {
    let place = Place::new().await;
    let ask = Ask::new(&place.store(&ask::model::SCHEMA).await);
    for number in 0..24 {
        ask.questions
            .items()
            .insert(question(number))
            .await
            .unwrap();
    }
    let (store, meter) = ask.store().metered();
    let questions = Ask::new(&store).questions;
    let count = || questions.count_open_of_agent("agent", 0);
    assert_eq!(count().await.unwrap(), 12);
    assert_eq!(count().up_to(100).await.unwrap(), 12);
    assert_eq!(count().up_to(12).await.unwrap(), 12);
    assert_eq!(count().up_to(0).await.unwrap(), 0);
    meter.take();
    for most in 1..12 {
        assert_eq!(count().up_to(most).await.unwrap(), most);
    }
    meter.take();
    assert_eq!(count().up_to(1).await.unwrap(), 1);
    assert_eq!(meter.take().requests, 2, "the first is past its end");

    let (_place, todo) = todo().await;
    for number in 0..3 {
        let new = task("ada", &format!("{number}"));
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let pending = || todo.tasks.count_by_status("ada", TaskStatus::Pending);
    assert_eq!(pending().await.unwrap(), 3);
    assert_eq!(pending().up_to(2).await.unwrap(), 2);
}
