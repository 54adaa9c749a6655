//! Silver: the items as they are, whether every change was followed or the table was read.

use std::time::Duration;

use arrow_array::{Array as _, Date32Array, RecordBatch, TimestampMillisecondArray};
use tablewright_lake::Status;
use todo::model::{Task, TaskPriority, TaskStatus};

use crate::bronze::{answered, user};
use crate::support::{World, agree, model, quick, task, texts};

#[tokio::test(flavor = "multi_thread")]
async fn it_is_the_table_after_every_kind_of_change() {
    let world = World::new().await;
    let mut tasks = Vec::new();
    for number in 0..20 {
        tasks.push(world.write("ada", &format!("task {number}")).await);
    }
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);

    for task in &tasks[..5] {
        world.remove(task).await;
    }
    for task in &tasks[5..12] {
        world.rename(task, "renamed").await;
        world.rename(task, "renamed again").await;
    }
    world.write("grace", "new").await;
    world.catch_up().await;
    let silver = world.silver("Task").await;
    agree(&silver, &world.tasks().await);
    assert_eq!(silver.len(), 16);
}

/// Whoever tries it sees what they did, however rarely silver is brought up to date.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_change_after_a_silence_is_applied_at_once() {
    let world = World::new().await;
    let mut options = quick();
    options.merge_every = Duration::from_secs(24 * 60 * 60);
    let following = world.follow_with(options).await;
    let rows = async || {
        let status = Status::of(&world.place(), &model()).await.unwrap();
        let tasks = status.entities.iter().find(|one| one.entity == "Task");
        tasks.and_then(|tasks| tasks.rows)
    };
    for expected in [0, 1] {
        while rows().await != Some(expected) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        if expected == 0 {
            world.write("ada", "try it").await;
        }
    }
    following.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_have_the_types_of_the_model() {
    let world = World::new().await;
    let task = Task {
        priority: Some(TaskPriority::Urgent),
        due_date: Some("2026-11-15".parse().unwrap()),
        status: TaskStatus::Completed,
        completed_at: Some(1_700_000_100),
        ..task("ada", "buy milk")
    };
    world.todo.tasks.items().insert(task).await.unwrap();
    world.catch_up().await;
    let mut seen = 0;
    let see = |rows: &RecordBatch| {
        if rows.num_rows() == 0 {
            return;
        }
        seen += 1;
        let column = |name: &str| rows.column_by_name(name).unwrap();
        let due = column("due_date").as_any().downcast_ref::<Date32Array>();
        assert_eq!(due.unwrap().value(0), 20_772);
        let moment = |name: &str| {
            let column = column(name)
                .as_any()
                .downcast_ref::<TimestampMillisecondArray>();
            column.unwrap().value(0)
        };
        assert_eq!(moment("created_at"), 1_700_000_000_000);
        assert_eq!(moment("completed_at"), 1_700_000_100_000);
        assert!(moment("_last_write") > 1_700_000_000_000);
        assert_eq!(texts(rows, "priority"), ["urgent"]);
        assert!(column("description").is_null(0));
        assert!(column("_unreadable").is_null(0));
    };
    world.reader().silver("Task", see).await.unwrap();
    assert_eq!(seen, 1);
}

// What was followed change by change is what the table gives, to the last column.
#[tokio::test(flavor = "multi_thread")]
async fn rebuilding_gives_what_following_gave() {
    let world = World::new().await;
    // Silver begins with an empty table, so that all of it is followed.
    world.follow_until(0).await;
    world.todo.users.items().insert(user("ada")).await.unwrap();
    let record = answered("{}");
    world
        .todo
        .idempotencies
        .items()
        .insert(record)
        .await
        .unwrap();
    for number in 0..30 {
        let task = world.write("ada", &format!("task {number}")).await;
        match number % 3 {
            0 => world.rename(&task, "renamed").await,
            1 => world.remove(&task).await,
            _ => {}
        }
    }
    world.catch_up().await;
    let entities = ["User", "Task", "TaskCounts", "Idempotency"];
    let mut followed = Vec::new();
    for entity in entities {
        followed.push(world.silver(entity).await);
    }
    assert_eq!(followed[1].len(), 20);

    let rebuilt = world.lake().await.rebuild(&world.store).await.unwrap();
    assert_eq!(rebuilt.iter().map(|one| one.rows).sum::<u64>(), 23);
    for (entity, followed) in entities.iter().zip(followed) {
        assert_eq!(world.silver(entity).await, followed, "{entity}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lake_that_begins_later_has_what_was_there_before() {
    let world = World::new().await;
    let task = world.write("ada", "before").await;
    let lake = world.lake().await;
    lake.rebuild(&world.store).await.unwrap();
    drop(lake);
    agree(&world.silver("Task").await, &world.tasks().await);
    world.rename(&task, "after").await;
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_is_not_as_the_model_says_is_told_and_stops_nobody() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let world = World::new().await;
    let good = world.write("ada", "good").await;
    let bad = world.write("ada", "bad").await;
    let client = world.store.client();
    client
        .update_item()
        .table_name("todo-app-data")
        .key("PK", AttributeValue::S(format!("TASK#{}", bad.user_id)))
        .key("SK", AttributeValue::S(format!("TASK#{}", bad.task_id)))
        .update_expression("SET revision = :r, due_date = :d")
        .expression_attribute_values(":r", AttributeValue::S(String::from("many")))
        .expression_attribute_values(":d", AttributeValue::S(String::from("someday")))
        .send()
        .await
        .unwrap();
    world.catch_up().await;
    let silver = world.silver("Task").await;
    let row = |title: &str| silver.values().find(|row| row["title"] == title).unwrap();
    let why = "due_date is no date, revision is no int(1..)";
    assert_eq!(row("bad")["_unreadable"], why);
    assert_eq!(row("bad")["due_date"], "null");
    assert_eq!(row(&good.title)["_unreadable"], "null");
}

// Whoever is no longer a task is gone from the tasks, as if the table had been read.
#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_becomes_another_is_moved() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let world = World::new().await;
    let task = world.write("ada", "was a task").await;
    world.write("ada", "stays").await;
    world.catch_up().await;
    let becomes = async |kind: &str| {
        let update = world.store.client().update_item();
        update
            .table_name("todo-app-data")
            .key("PK", AttributeValue::S(format!("TASK#{}", task.user_id)))
            .key("SK", AttributeValue::S(format!("TASK#{}", task.task_id)))
            .update_expression("SET #kind = :kind")
            .expression_attribute_names("#kind", "Type")
            .expression_attribute_values(":kind", AttributeValue::S(kind.to_owned()))
            .send()
            .await
            .unwrap();
    };
    let kinds = async |entity: &str| {
        let mut kinds = Vec::new();
        let see = |rows: &RecordBatch| kinds.extend(texts(rows, "kind"));
        world.reader().bronze(entity, see).await.unwrap();
        kinds
    };
    for (kind, [tasks, users]) in [("Gone", [1, 0]), ("User", [1, 1]), ("Task", [2, 0])] {
        becomes(kind).await;
        // Such a change is in bronze twice, once for each entity.
        let before = world.sequences().await.len();
        world.follow_until(before + 2).await;
        let followed = [world.silver("Task").await, world.silver("User").await];
        assert_eq!(
            followed.each_ref().map(|rows| rows.len()),
            [tasks, users],
            "{kind}"
        );
        world.lake().await.rebuild(&world.store).await.unwrap();
        let read = [world.silver("Task").await, world.silver("User").await];
        assert_eq!(followed, read, "{kind}");
    }
    assert_eq!(
        kinds("Task").await,
        ["INSERT", "INSERT", "REMOVE", "INSERT"]
    );
    assert_eq!(kinds("User").await, ["INSERT", "REMOVE"]);
    assert_eq!(kinds("other").await, ["INSERT", "REMOVE"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_become_the_items_they_were() {
    let world = World::new().await;
    let full = Task {
        description: Some(String::from("all of it")),
        priority: Some(TaskPriority::Low),
        category: Some(String::from("home")),
        due_date: Some("1969-12-31".parse().unwrap()),
        status: TaskStatus::InProgress,
        ttl: Some(4_000_000_000),
        ..task("ada", "full")
    };
    world.todo.tasks.items().insert(full).await.unwrap();
    world.write("grace", "plain").await;
    world.catch_up().await;
    let mut found: Vec<Task> = Vec::new();
    let reader = world.reader();
    reader.items::<Task>(|task| found.push(task)).await.unwrap();
    found.sort_by_key(|task| task.task_id);
    let mut stored: Vec<Task> = world.tasks().await.into_values().collect();
    stored.sort_by_key(|task| task.task_id);
    assert_eq!(found, stored);
}
