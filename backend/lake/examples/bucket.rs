//! A lake in a bucket: written, killed, taken over, put together and made anew. `bucket s3://BUCKET/PREFIX`; `cargo xtask lake` runs it against a stand-in for S3.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "what fails here fails the step that runs it"
)]

use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arrow_array::Array as _;
use tablewright::{Entity as _, Store, Ulid};
use tablewright_lake::{
    GoldRow, Lake, LakeError, LakeModel, LakeOptions, Place, Reader, RecordBatch, Status,
};
use tablewright_local::{Engine, connect, serve};
use tablewright_stream::{Consumers, Failure, Following, Handler, Record, Shard, Takes};
use todo::model::{Task, TaskStatus, Todo};
use tokio::net::TcpListener;

const DEATHS: usize = 6;

/// Quick, and patient with a stand-in that is not.
fn options() -> LakeOptions {
    let mut options = LakeOptions::default();
    options.flush_after = Duration::from_millis(20);
    options.flush_many = 9;
    options.merge_every = Duration::from_millis(100);
    options.parts = 3;
    options.lease = Duration::from_secs(9);
    options.stream.poll = Duration::from_millis(10);
    options.stream.lease = Duration::from_millis(900);
    options
}

fn model() -> LakeModel {
    todo::lake_model()
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [place] => verify(place).await,
        [place, endpoint] => write(&Place::named(place).unwrap(), endpoint).await,
        _ => panic!("bucket s3://BUCKET/PREFIX"),
    }
}

/// The process that is killed: it follows, and puts files together without pause.
async fn write(place: &Place, endpoint: &str) {
    let connection = connect(&endpoint.parse().unwrap()).await.unwrap();
    let store = Store::new(connection.dynamodb);
    let lake = Lake::open(place, model(), options()).await.unwrap();
    let compacting = async {
        loop {
            // What fails is tried again; in the end all is compared.
            let _ = lake.compact(None).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        followed = lake.follow(&store, connection.streams, std::future::pending()) => followed.unwrap(),
        () = compacting => {}
    }
}

struct Ground {
    text: String,
    place: Place,
    endpoint: String,
    engine: Engine,
    store: Store,
    todo: Todo,
}

async fn verify(text: &str) {
    let engine = Engine::temporary().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(engine.clone(), listener, std::future::pending()));
    let store = Store::new(engine.dynamodb());
    let todo = Todo::new(&store);
    todo.create_tables().await.unwrap();
    let ground = Ground {
        text: text.to_owned(),
        place: Place::named(text).unwrap(),
        endpoint,
        engine,
        store,
        todo,
    };
    assert!(!ground.place.has("todo").await.unwrap());
    ground.dies_often().await;
    ground.is_closed_and_replayed().await;
    ground.is_looked_after().await;
    ground.has_one_writer().await;
    println!(
        "   {} changes are in {text} once, after {DEATHS} deaths",
        ground.sequences().await.len()
    );
}

impl Ground {
    fn start(&self) -> Child {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args([&self.text, &self.endpoint]).spawn().unwrap()
    }

    async fn change(&self, number: usize) {
        let new = task(number);
        let items = self.todo.tasks.items();
        items.insert(new.clone()).await.unwrap();
        let rename = |task: &mut Task| task.revision += 1;
        match number % 5 {
            0 => drop(items.update(&new.key(), rename).await.unwrap()),
            1 => drop(items.delete_now(&new.key()).await.unwrap()),
            _ => {}
        }
    }

    /// Whatever a process leaves when it dies, the next one has every change once.
    async fn dies_often(&self) {
        let mut number = 0;
        for death in 0..DEATHS {
            let before = self.sequences().await.len();
            let mut writer = self.start();
            while self.sequences().await.len() == before {
                assert!(writer.try_wait().unwrap().is_none(), "it ended by itself");
                self.change(number).await;
                number += 1;
            }
            tokio::time::sleep(Duration::from_millis(37 * death as u64)).await;
            writer.kill().unwrap();
            writer.wait().unwrap();
        }
        let told = self.records().await.1.len();
        let mut last = self.start();
        let start = Instant::now();
        while self.sequences().await.len() < told || !self.is_applied().await {
            assert!(last.try_wait().unwrap().is_none(), "it ended by itself");
            assert!(
                start.elapsed() < Duration::from_secs(180),
                "it does not catch up"
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        last.kill().unwrap();
        last.wait().unwrap();
        // Whoever opens it clears away what the last death left.
        let lake = Lake::open(&self.place, model(), options()).await.unwrap();
        lake.close().await;
        self.is_right().await;
    }

    /// What was given back is taken at once, and what comes again writes nothing.
    async fn is_closed_and_replayed(&self) {
        let before = self.sequences().await;
        let (shard, records) = self.records().await;
        let start = Instant::now();
        let lake = Lake::open(&self.place, model(), options()).await.unwrap();
        assert!(start.elapsed() < options().lease, "nobody had it");
        lake.append(&shard, &records).await.unwrap();
        lake.append(&shard, &records[..records.len() / 2])
            .await
            .unwrap();
        lake.close().await;
        assert_eq!(self.sequences().await, before);
    }

    async fn is_looked_after(&self) {
        let (before, silver) = (self.sequences().await, self.silver().await);
        let lake = Lake::open(&self.place, model(), options()).await.unwrap();
        lake.compact(None).await.unwrap();
        let status = Status::of(&self.place, &model()).await.unwrap();
        let tasks = status
            .entities
            .iter()
            .find(|one| one.entity == "Task")
            .unwrap();
        // One for each day and shard.
        assert!(tasks.files <= 2, "{status:?}");
        assert_eq!(tasks.rows, Some(silver.len() as u64));
        lake.rebuild(&self.store).await.unwrap();
        lake.refine(1_800_000_000_000).await.unwrap();
        lake.close().await;
        // Gold of one user, by a part of the file.
        let reader = Reader::open(&self.place, "todo").unwrap();
        let mut tasks = 0;
        for user in ["user-0", "user-1", "user-2", "nobody"] {
            let see = |row: &GoldRow<'_>| tasks += row.count("tasks").unwrap();
            let read = reader.gold_of("completion", "user_id", user, see);
            read.await.unwrap();
        }
        // Those that were deleted count as well.
        assert_eq!(tasks, self.created().await);
        assert_eq!(
            (self.sequences().await, self.silver().await),
            (before, silver)
        );
        self.is_right().await;
    }

    /// Who gives signs of life keeps it; a second one is told.
    async fn has_one_writer(&self) {
        let lake = Lake::open(&self.place, model(), options()).await.unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (store, streams) = (self.store.clone(), self.engine.streams());
        let running = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or(()) };
            lake.follow(&store, streams, stopped).await.unwrap();
            lake.close().await;
        });
        let second = Lake::open(&self.place, model(), options()).await;
        let second = second.map(drop);
        assert!(matches!(second, Err(LakeError::Held { .. })), "{second:?}");
        drop(stop);
        running.await.unwrap();
    }

    async fn is_right(&self) {
        let (_, told) = self.records().await;
        let mut told: Vec<String> = told
            .iter()
            .map(|one| format!("{:0>40}", one.sequence))
            .collect();
        told.sort();
        assert_eq!(self.sequences().await, told, "each change is there once");
        let stored = self.stored().await;
        assert_eq!(self.silver().await, stored, "silver is the table");
    }

    async fn is_applied(&self) -> bool {
        let status = Status::of(&self.place, &model()).await;
        status.is_ok_and(|status| status.entities.iter().all(|one| one.waiting == 0))
    }

    /// The sequence numbers in bronze. A file may be replaced under the eyes of whoever reads: then it is read again.
    async fn sequences(&self) -> Vec<String> {
        let reader = Reader::open(&self.place, "todo").unwrap();
        loop {
            let mut all = Vec::new();
            let mut read = Ok(());
            for entity in ["Task", "TaskCounts"] {
                let see = |rows: &RecordBatch| all.extend(texts(rows, "sequence"));
                read = read.and(reader.bronze(entity, see).await);
            }
            if read.is_ok() {
                all.sort();
                return all;
            }
        }
    }

    /// How many tasks were ever created.
    async fn created(&self) -> i64 {
        let reader = Reader::open(&self.place, "todo").unwrap();
        let mut created = 0;
        let see = |rows: &RecordBatch| {
            let kinds = texts(rows, "kind").into_iter();
            created += kinds.filter(|kind| kind == "INSERT").count() as i64;
        };
        reader.bronze("Task", see).await.unwrap();
        created
    }

    async fn silver(&self) -> BTreeMap<String, i64> {
        let reader = Reader::open(&self.place, "todo").unwrap();
        let mut all = BTreeMap::new();
        let see = |task: Task| _ = all.insert(task.task_id.to_string(), task.revision);
        reader.items::<Task>(see).await.unwrap();
        all
    }

    async fn stored(&self) -> BTreeMap<String, i64> {
        let scan = self.store.client().scan().table_name("todo-app-data");
        let mut items = scan.consistent_read(true).into_paginator().items().send();
        let mut tasks = BTreeMap::new();
        while let Some(item) = items.next().await {
            if let Some(task) = tablewright::stored_from_item::<Task>(item.unwrap()).unwrap() {
                tasks.insert(task.task_id.to_string(), task.revision);
            }
        }
        tasks
    }

    /// All that the stream has told, and of which shard.
    async fn records(&self) -> (Shard, Vec<Arc<Record>>) {
        let (told, many) = (Told::default(), self.told().await);
        let following = Following {
            streams: self.engine.streams(),
            options: options().stream,
        };
        let mut consumers = Consumers::none();
        let name = format!("told-{}", Ulid::new()).leak();
        let table = &Task::descriptor().table;
        consumers.follow(name, &self.store, table, &following, told.clone());
        while told.0.lock().unwrap().1.len() < many {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        consumers.stop().await;
        let told = told.0.lock().unwrap();
        (told.0.clone().unwrap(), told.1.clone())
    }

    /// How many changes the stream has told.
    async fn told(&self) -> usize {
        let streams = self.engine.streams();
        let listed = streams.list_streams().table_name("todo-app-data").send();
        let stream = listed.await.unwrap().streams.unwrap().remove(0);
        let arn = stream.stream_arn.unwrap();
        let described = streams.describe_stream().stream_arn(&arn).send().await;
        let shards = described.unwrap().stream_description.unwrap().shards;
        let mut told = 0;
        for shard in shards.unwrap() {
            let iterator = streams.get_shard_iterator().stream_arn(&arn);
            let iterator = iterator.shard_id(shard.shard_id.unwrap());
            let iterator = iterator.shard_iterator_type("TRIM_HORIZON".into()).send();
            let mut next = iterator.await.unwrap().shard_iterator;
            while let Some(iterator) = next {
                let read = streams.get_records().shard_iterator(iterator).send();
                let read = read.await.unwrap();
                let many = read.records.unwrap_or_default().len();
                told += many;
                next = read.next_shard_iterator.filter(|_| many > 0);
            }
        }
        told
    }
}

/// What was heard, and of which shard.
type Heard = (Option<Shard>, Vec<Arc<Record>>);

/// Whoever only listens.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Heard>>);

impl Handler for Told {
    async fn handle(&self, _: Arc<Record>) -> Result<(), Failure> {
        Ok(())
    }

    fn takes(&self) -> Option<Takes> {
        Some(Takes {
            many: 1000,
            bytes: 1 << 24,
            wait: Duration::from_millis(10),
        })
    }

    async fn handle_all(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), Failure> {
        let mut told = self.0.lock().unwrap();
        told.0 = Some(shard.clone());
        told.1.extend(records.iter().cloned());
        Ok(())
    }
}

fn task(number: usize) -> Task {
    Task {
        user_id: format!("user-{}", number % 3),
        task_id: Ulid::new(),
        title: format!("task {number}"),
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

/// A column of texts.
fn texts(rows: &RecordBatch, name: &str) -> Vec<String> {
    let column = rows.column_by_name(name).unwrap();
    let texts = column.as_any().downcast_ref::<arrow_array::StringArray>();
    let texts = texts.unwrap().iter();
    texts
        .map(|text| text.unwrap_or_default().to_owned())
        .collect()
}
