//! Tables, a lake that follows them, and what is in its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow_array::{Array as _, RecordBatch, StringArray};
use tablewright::{Entity as _, Store, Ulid};
use tablewright_lake::{Lake, LakeModel, LakeOptions, Place, Reader};
use tablewright_local::Engine;
use tablewright_stream::Streams;
use tempfile::TempDir;
use todo::model::{Idempotency, SCHEMA, Task, TaskStatus, Todo, User};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The engine with the tables of the To-Do API, and a folder for a lake.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) store: Store,
    pub(crate) todo: Todo,
    pub(crate) folder: TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        let engine = Engine::temporary().unwrap();
        let store = Store::new(engine.dynamodb());
        let todo = Todo::new(&store);
        todo.create_tables().await.unwrap();
        World {
            engine,
            store,
            todo,
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn place(&self) -> Place {
        Place::folder(self.folder.path()).unwrap()
    }

    pub(crate) async fn lake(&self) -> Lake {
        Lake::open(&self.place(), model(), quick()).await.unwrap()
    }

    /// Starts a lake that follows the tables.
    pub(crate) async fn follow(&self) -> Following {
        self.follow_with(quick()).await
    }

    /// As [`World::follow`], in another way.
    pub(crate) async fn follow_with(&self, options: LakeOptions) -> Following {
        self.follow_on(self.engine.streams(), options).await
    }

    /// As [`World::follow_with`], on another way to the streams.
    pub(crate) async fn follow_on(&self, streams: Streams, options: LakeOptions) -> Following {
        let lake = Lake::open(&self.place(), model(), options).await.unwrap();
        let store = self.store.clone();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or(()) };
            lake.follow(&store, streams, stopped).await.unwrap();
            lake.close().await;
        });
        Following { stop, running }
    }

    /// Lets a lake follow until so many changes are in bronze.
    pub(crate) async fn follow_until(&self, changes: usize) {
        let following = self.follow().await;
        let caught_up = async {
            while self.sequences().await.len() < changes {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let caught_up = tokio::time::timeout(Duration::from_secs(120), caught_up);
        caught_up.await.expect("all changes come into bronze");
        following.stop().await;
    }

    /// The stream the table has.
    pub(crate) async fn stream(&self) -> String {
        let described = self.store.client().describe_table();
        let described = described.table_name("todo-app-data").send().await.unwrap();
        described.table.unwrap().latest_stream_arn.unwrap()
    }

    /// How many changes the stream of the table has told.
    pub(crate) async fn told(&self) -> Vec<String> {
        told(&self.engine.streams()).await
    }

    /// Follows until bronze has all that was told.
    pub(crate) async fn catch_up(&self) {
        let told = self.told().await.len();
        self.follow_until(told).await;
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.place(), "todo").unwrap()
    }

    /// The sequence numbers in bronze, of all entities, as often as they are there.
    pub(crate) async fn sequences(&self) -> Vec<String> {
        sequences(&self.place()).await
    }

    /// The rows of silver by their key, each column as a text.
    pub(crate) async fn silver(&self, entity: &str) -> Rows {
        silver(&self.reader(), entity).await
    }

    /// The tasks of the table by their key.
    pub(crate) async fn tasks(&self) -> BTreeMap<String, Task> {
        tasks(&self.store).await
    }

    pub(crate) async fn write(&self, user: &str, title: &str) -> Task {
        let task = task(user, title);
        self.todo.tasks.items().insert(task.clone()).await.unwrap();
        task
    }

    pub(crate) async fn rename(&self, task: &Task, title: &str) {
        let change = |task: &mut Task| task.title = title.to_owned();
        let items = self.todo.tasks.items();
        items.update(&task.key(), change).await.unwrap();
    }

    pub(crate) async fn remove(&self, task: &Task) {
        let items = self.todo.tasks.items();
        items.delete_now(&task.key()).await.unwrap();
    }

    /// Every file of the lake.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        files_in(self.folder.path())
    }
}

/// The rows of silver by their key, each column as a text.
pub(crate) type Rows = BTreeMap<String, BTreeMap<String, String>>;

/// A lake that follows.
pub(crate) struct Following {
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Following {
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.running.await.unwrap();
    }

    /// It ends without a word.
    pub(crate) async fn killed(self) {
        self.running.abort();
        let _ = self.running.await;
    }
}

pub(crate) fn model() -> LakeModel {
    LakeModel::new(&SCHEMA)
        .with::<User>()
        .with::<Task>()
        .with::<Idempotency>()
}

/// Quick, for tests.
pub(crate) fn quick() -> LakeOptions {
    let mut options = LakeOptions::default();
    options.flush_after = Duration::from_millis(30);
    options.merge_every = Duration::from_millis(50);
    options.parts = 3;
    options.stream.poll = Duration::from_millis(10);
    options.stream.lease = Duration::from_millis(900);
    options.stream.first_wait = Duration::from_millis(5);
    options
}

pub(crate) fn task(user: &str, title: &str) -> Task {
    Task {
        user_id: user.to_owned(),
        task_id: Ulid::new(),
        title: title.to_owned(),
        description: None,
        status: TaskStatus::Pending,
        priority: None,
        category: None,
        due_date: None,
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
        completed_at: None,
        ttl: None,
        revision: 1,
    }
}

/// The sequence numbers a stream has told, read without our consumers.
pub(crate) async fn told(streams: &Streams) -> Vec<String> {
    let listed = streams.list_streams().table_name("todo-app-data").send();
    let mut told = Vec::new();
    for stream in listed.await.unwrap().streams.unwrap_or_default() {
        let arn = stream.stream_arn.unwrap();
        let described = streams.describe_stream().stream_arn(&arn).send().await;
        let shards = described.unwrap().stream_description.unwrap().shards;
        for shard in shards.unwrap_or_default() {
            let iterator = streams.get_shard_iterator().stream_arn(&arn);
            let iterator = iterator.shard_id(shard.shard_id.unwrap());
            let iterator = iterator.shard_iterator_type("TRIM_HORIZON".into()).send();
            let mut next = iterator.await.unwrap().shard_iterator;
            while let Some(iterator) = next {
                let read = streams.get_records().shard_iterator(iterator).send();
                let read = read.await.unwrap();
                let records = read.records.unwrap_or_default();
                next = read.next_shard_iterator.filter(|_| !records.is_empty());
                let sequence = |record: aws_sdk_dynamodbstreams::types::Record| {
                    record.dynamodb.unwrap().sequence_number.unwrap()
                };
                told.extend(records.into_iter().map(sequence));
            }
        }
    }
    told
}

/// The sequence numbers in bronze, of all entities, as often as they are there.
pub(crate) async fn sequences(place: &Place) -> Vec<String> {
    let Ok(reader) = Reader::open(place, "todo") else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for entity in ["User", "Task", "TaskCounts", "Idempotency", "other"] {
        let see = |rows: &RecordBatch| all.extend(texts(rows, "sequence"));
        reader.bronze(entity, see).await.unwrap();
    }
    all.sort();
    all
}

/// A column of texts.
pub(crate) fn texts(rows: &RecordBatch, column: &str) -> Vec<String> {
    let column = rows.column_by_name(column).unwrap();
    let texts = column.as_any().downcast_ref::<StringArray>().unwrap();
    texts
        .iter()
        .map(|text| text.unwrap_or("null").to_owned())
        .collect()
}

pub(crate) async fn silver(reader: &Reader, entity: &str) -> Rows {
    let mut all = Rows::new();
    let see = |rows: &RecordBatch| {
        for (row, key) in texts(rows, "_key").into_iter().enumerate() {
            let schema = rows.schema();
            let columns = schema.fields().iter().zip(rows.columns());
            let columns = columns.map(|(field, column)| {
                let text = column.as_any().downcast_ref::<StringArray>();
                let value = match text {
                    Some(text) if text.is_valid(row) => text.value(row).to_owned(),
                    _ => shown(&column.slice(row, 1)),
                };
                (field.name().clone(), value)
            });
            let known = all.insert(key.clone(), columns.collect());
            assert!(known.is_none(), "{key} is there twice");
        }
    };
    reader.silver(entity, see).await.unwrap();
    all
}

/// The one value of a column, as it is shown.
fn shown(column: &dyn arrow_array::Array) -> String {
    let text = format!("{column:?}");
    let mut lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
    lines.pop();
    lines.join(" ").trim_end_matches(',').to_owned()
}

pub(crate) async fn tasks(store: &Store) -> BTreeMap<String, Task> {
    let scan = store.client().scan().table_name("todo-app-data");
    let mut items = scan.consistent_read(true).into_paginator().items().send();
    let mut tasks = BTreeMap::new();
    while let Some(item) = items.next().await {
        let item = item.unwrap();
        let key = ["PK", "SK"].map(|name| item[name].as_s().unwrap().clone());
        if let Some(task) = tablewright::stored_from_item::<Task>(item).unwrap() {
            tasks.insert(serde_json::to_string(&key).unwrap(), task.data);
        }
    }
    tasks
}

/// Silver has the tasks of the table, and no others.
pub(crate) fn agree(silver: &Rows, tasks: &BTreeMap<String, Task>) {
    let silver: BTreeMap<&String, (&str, &str)> = silver
        .iter()
        .map(|(key, row)| (key, (row["title"].as_str(), row["revision"].as_str())))
        .collect();
    let revisions: Vec<String> = tasks
        .values()
        .map(|task| task.revision.to_string())
        .collect();
    let tasks: BTreeMap<&String, (&str, &str)> = tasks
        .iter()
        .zip(&revisions)
        .map(|((key, task), revision)| (key, (task.title.as_str(), revision.as_str())))
        .collect();
    assert_eq!(silver, tasks);
}

pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_in(&path)),
            false => files.push(path),
        }
    }
    files
}
