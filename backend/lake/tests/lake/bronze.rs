//! Bronze: every change, with all that is known of it.

use arrow_array::RecordBatch;
use todo::model::{Idempotency, User};

use crate::support::{World, texts};

pub(crate) fn user(name: &str) -> User {
    User {
        user_id: name.to_owned(),
        email: format!("{name}@example.org"),
        name: name.to_owned(),
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
        revision: 1,
    }
}

pub(crate) fn answered(body: &str) -> Idempotency {
    Idempotency {
        user_id: String::from("ada"),
        route: String::from("POST /tasks"),
        request_id: String::from("r1"),
        request_hash: "f".repeat(64),
        response_data: Some(body.to_owned()),
        target_task_pk: None,
        target_task_sk: None,
        http_status_code: Some(201),
        chosen: None,
        held_until: None,
        created_at: 1_700_000_000,
        ttl: 4_000_000_000,
    }
}

// S0-50: one stream feeds the lake, with all three entity types and what belongs to them.
#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_every_entity_is_there_once() {
    let world = World::new().await;
    world.todo.users.items().insert(user("ada")).await.unwrap();
    let task = world.write("ada", "buy milk").await;
    world.rename(&task, "buy oat milk").await;
    world.remove(&task).await;
    let record = answered("{}");
    world
        .todo
        .idempotencies
        .items()
        .insert(record)
        .await
        .unwrap();
    world.catch_up().await;

    let mut told: Vec<String> = world.told().await;
    told.iter_mut()
        .for_each(|told| *told = format!("{told:0>40}"));
    told.sort();
    assert_eq!(world.sequences().await, told);

    let mut kinds = Vec::new();
    let mut after = Vec::new();
    let see = |rows: &RecordBatch| {
        kinds.extend(texts(rows, "kind"));
        after.extend(texts(rows, "after"));
    };
    world.reader().bronze("Task", see).await.unwrap();
    assert_eq!(kinds, ["INSERT", "MODIFY", "REMOVE"]);
    assert!(
        after[1].contains(r#""title":{"S":"buy oat milk"}"#),
        "{}",
        after[1]
    );
    assert_eq!(after[2], "null");
    assert!(!after[1].contains("GSI1PK"), "index keys are left out");

    for (entity, changes) in [
        ("User", 1),
        ("TaskCounts", 2),
        ("Idempotency", 1),
        ("other", 1),
    ] {
        let mut rows = 0;
        let see = |table: &RecordBatch| rows += table.num_rows();
        world.reader().bronze(entity, see).await.unwrap();
        assert_eq!(rows, changes, "{entity}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_stand_where_athena_looks_for_them() {
    let world = World::new().await;
    world.write("ada", "buy milk").await;
    world.catch_up().await;
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let yesterday = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    let yesterday = yesterday.strftime("%Y-%m-%d").to_string();
    let files = world.files();
    let file = files
        .iter()
        .find(|file| file.to_string_lossy().contains("bronze/entity=Task/"));
    let file = file.unwrap().to_string_lossy().into_owned();
    let dates = [today, yesterday].map(|day| format!("/date={day}/"));
    assert!(dates.iter().any(|day| file.contains(day)), "{file}");
    assert!(file.ends_with(".parquet"));
    assert!(
        files
            .iter()
            .any(|file| file.ends_with("todo/silver/Task/part-02.parquet"))
    );
}
