//! Writes a lake for readers that are not ours, and into a folder what the tables have: `sample PLACE FOLDER`. `cargo xtask lake` compares them.
#![allow(
    clippy::unwrap_used,
    reason = "what fails here fails the step that runs it"
)]

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText, StructText};
use tablewright::descriptor::{KeyAttribute, Schema, StreamView, Table};
use tablewright::{Entity as _, Items, Store, Ulid, stored_from_item, tables};
use tablewright_lake::{Lake, LakeModel, LakeOptions, Place, Status};
use tablewright_local::Engine;
use todo::model::{Task, TaskPriority, TaskStatus, Todo};

#[tokio::main]
async fn main() {
    let word = |number: usize| std::env::args().nth(number).expect("sample PLACE FOLDER");
    let (place, folder) = (Place::named(&word(1)).unwrap(), word(2));
    let tasks = todo_lake(&place).await;
    let all = lake_of_every_type(&place).await;
    let expected = json!({ "tasks": tasks, "all": all });
    std::fs::create_dir_all(&folder).unwrap();
    let file = Path::new(&folder).join("expected.json");
    std::fs::write(file, expected.to_string()).unwrap();
}

/// A thousand tasks, some changed and some removed, and the tasks the table has in the end.
async fn todo_lake(place: &Place) -> Vec<Value> {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    let todo = Todo::new(&store);
    todo.create_tables().await.unwrap();
    let mut options = LakeOptions::default();
    options.flush_after = Duration::from_millis(50);
    options.flush_many = 100;
    options.merge_every = Duration::from_millis(100);
    options.stream.poll = Duration::from_millis(10);
    let model = todo::lake_model();
    let lake = Lake::open(place, model.clone(), options).await.unwrap();
    // Silver begins with the empty table: all that comes is followed.
    lake.update(&store).await.unwrap();
    for number in 0..1000 {
        let task = task(number);
        todo.tasks.items().insert(task.clone()).await.unwrap();
        match number % 10 {
            1 => {
                let change = |task: &mut Task| {
                    task.title = String::from("größer als 日本 \"quoted\"");
                    task.revision += 1;
                };
                todo.tasks
                    .items()
                    .update(&task.key(), change)
                    .await
                    .unwrap();
            }
            2 => drop(todo.tasks.items().delete_now(&task.key()).await.unwrap()),
            _ => {}
        }
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (following, streams) = (store.clone(), engine.streams());
    let followed = lake.clone();
    let running = tokio::spawn(async move {
        let stopped = async { stopped.await.unwrap_or(()) };
        followed.follow(&following, streams, stopped).await.unwrap();
    });
    loop {
        let status = Status::of(place, &model).await.unwrap();
        let tasks = status.entities.iter().find(|one| one.entity == "Task");
        if tasks.is_some_and(|tasks| tasks.rows == Some(900) && tasks.waiting == 0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(stop);
    running.await.unwrap();
    lake.compact(None).await.unwrap();
    stored(&store).await
}

fn task(number: i64) -> Task {
    Task {
        user_id: format!("user-{}", number % 7),
        task_id: Ulid::new(),
        title: format!("task {number}"),
        description: (number % 3 == 0).then(|| String::from("with more to say")),
        status: if number % 4 == 0 {
            TaskStatus::Completed
        } else {
            TaskStatus::Pending
        },
        priority: (number % 5 == 0).then_some(TaskPriority::Urgent),
        category: (number % 3 == 1).then(|| String::from("home")),
        due_date: (number % 2 == 0).then(|| "2026-11-15".parse().unwrap()),
        created_at: 1_700_000_000 + number,
        updated_at: 1_700_000_000 + number,
        completed_at: (number % 4 == 0).then_some(1_700_100_000),
        ttl: None,
        revision: 1,
    }
}

/// The tasks of the table, by its own reading.
async fn stored(store: &Store) -> Vec<Value> {
    let scan = store
        .client()
        .scan()
        .table_name(&Task::descriptor().table.name);
    let mut items = scan.into_paginator().items().send();
    let mut tasks = Vec::new();
    while let Some(item) = items.next().await {
        if let Some(task) = stored_from_item::<Task>(item.unwrap()).unwrap() {
            tasks.push(serde_json::to_value(task.data).unwrap());
        }
    }
    tasks
}

/// An item with a value of every type, and one without any that may be missing.
async fn lake_of_every_type(place: &Place) -> Value {
    let table = Table::new("all", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .type_attribute("Type")
        .stream(StreamView::NewAndOldImages);
    let entity = EntityText::new("All", "all", pair("ALL#{id}", "METADATA")).fields(&[
        ("id", "id"),
        ("flag", "bool?"),
        ("whole", "int?"),
        ("price", "decimal?"),
        ("day", "date?"),
        ("at", "timestamp?"),
        ("exactly", "timestamp(us)?"),
        ("seconds", "epoch_seconds?"),
        ("bytes", "binary?"),
        ("list", "list(int)?"),
        ("set", "set(string)?"),
        ("map", "map(int)?"),
        ("place", "Place?"),
        ("anything", "json?"),
    ]);
    let mut text = SchemaText::new("all").table(table).entity(entity);
    text.structs.push(StructText {
        name: String::from("Place"),
        fields: [("city", "string"), ("stops", "list(string)?")]
            .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
            .to_vec(),
    });
    let schema: &'static Schema = Box::leak(Box::new(Schema::resolve(text).unwrap()));
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    tables::bring_up_to_date(&store, schema).await.unwrap();
    let all = json!({
        "id": "1", "flag": true, "whole": 9_007_199_254_740_993_i64, "price": "12345678901234567890.123456789",
        "day": "2026-11-15", "at": "2026-11-15T01:02:03.004Z", "exactly": "2026-11-15T01:02:03.000004Z",
        "seconds": 1_700_000_000, "bytes": [0, 255], "list": [1, 2], "set": ["b", "a"],
        "map": { "b": 2, "a": 1 }, "place": { "city": "Bern", "stops": ["x"] }, "anything": { "x": [1, "y"] },
    });
    let items = Items::new(&store, schema.entity("All"));
    for data in [&all, &json!({ "id": "2" })] {
        let fields = items.fields(data.as_object().unwrap()).unwrap();
        items.create(fields, None).await.unwrap();
    }
    let lake = Lake::open(place, LakeModel::new(schema), LakeOptions::default());
    lake.await.unwrap().update(&store).await.unwrap();
    all
}
