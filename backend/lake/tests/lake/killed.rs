//! The process that writes the lake is killed at moments of no one's choosing, while the table is written to. What is left of it and what the next one makes of it has every change once, and ends as the table is.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tablewright::{Entity as _, Store};
use tablewright_lake::{Lake, Place, Status};
use tablewright_local::{Engine, connect, serve};
use todo::model::{Task, Todo};
use tokio::net::TcpListener;

use crate::support::{agree, model, quick, sequences, silver, task, tasks, told};

const ROUNDS: u32 = 30;
const ENDPOINT: &str = "TABLEWRIGHT_TEST_LAKE_ENDPOINT";
const FOLDER: &str = "TABLEWRIGHT_TEST_LAKE_FOLDER";
const PARTS: &str = "TABLEWRIGHT_TEST_LAKE_PARTS";

/// Not a test by itself: the process that is killed.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_that_is_killed() {
    let (Ok(endpoint), Ok(folder)) = (std::env::var(ENDPOINT), std::env::var(FOLDER)) else {
        return;
    };
    let connection = connect(&endpoint.parse().unwrap()).await.unwrap();
    let store = Store::new(connection.dynamodb);
    let place = Place::folder(folder).unwrap();
    let mut options = quick();
    // Small, so that there are many files, and many moments between them.
    options.flush_many = 7;
    options.flush_after = Duration::from_millis(5);
    options.merge_every = Duration::from_millis(1);
    if let Ok(parts) = std::env::var(PARTS) {
        options.parts = parts.parse().unwrap();
    }
    let lake = Lake::open(&place, todo::lake_model(), options)
        .await
        .unwrap();
    let compacting = async {
        loop {
            lake.compact(None).await.unwrap();
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    };
    tokio::select! {
        followed = lake.follow(&store, connection.streams, std::future::pending()) => followed.unwrap(),
        () = compacting => {}
    }
}

fn started(endpoint: &str, folder: &std::path::Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "killed::the_process_that_is_killed"])
        .env(ENDPOINT, endpoint)
        .env(FOLDER, folder)
        .stdout(Stdio::null());
    command
}

fn start(endpoint: &str, folder: &std::path::Path) -> Child {
    started(endpoint, folder).spawn().unwrap()
}

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The tasks there are, and those that were.
#[derive(Default)]
struct Tasks {
    live: Vec<Task>,
    gone: Vec<Task>,
}

impl Tasks {
    /// How many were created, and how many of them are completed, or were when they were deleted.
    fn created_and_completed(&self) -> (i64, i64) {
        let all = || self.live.iter().chain(&self.gone);
        let completed = all().filter(|task| task.completed_at.is_some());
        (all().count() as i64, completed.count() as i64)
    }

    /// Some changes of tasks.
    async fn change(&mut self, todo: &Todo, chance: &mut Chance) {
        for _ in 0..4 {
            let many = self.live.len() as u64;
            match chance.below(4) {
                0 if many > 0 => {
                    let gone = self.live.swap_remove(chance.below(many) as usize);
                    todo.tasks.items().delete_now(&gone.key()).await.unwrap();
                    self.gone.push(gone);
                }
                1 if many > 0 => {
                    let which = &mut self.live[chance.below(many) as usize];
                    which.revision += 1;
                    which.title = format!("renamed {}", which.revision);
                    // Completed, reopened on the same day, and so on.
                    let is_open = which.completed_at.is_none();
                    which.completed_at = is_open.then_some(which.created_at + 60);
                    let renamed = which.clone();
                    let rename = |task: &mut Task| *task = renamed.clone();
                    let items = todo.tasks.items();
                    items.update(&which.key(), rename).await.unwrap();
                }
                _ => {
                    let user = ["ada", "bob", "cleo"][chance.below(3) as usize];
                    let new = task(user, &format!("task {}", chance.below(1000)));
                    todo.tasks.items().insert(new.clone()).await.unwrap();
                    self.live.push(new);
                }
            }
        }
    }
}

/// What gold says was created and completed, by day and by category.
async fn gold(reader: &tablewright_lake::Reader) -> [(i64, i64); 2] {
    let mut sums = [(0, 0); 2];
    let tables = [("tasks_per_day", "created"), ("completion", "tasks")];
    for ((table, all), sum) in tables.into_iter().zip(&mut sums) {
        let see = |row: &tablewright_lake::GoldRow<'_>| {
            sum.0 += row.count(all).unwrap();
            sum.1 += row.count("completed").unwrap();
        };
        reader.gold(table, see).await.unwrap();
    }
    sums
}

/// An engine with the tables, and where other processes reach it.
async fn served() -> (Engine, Store, String) {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    Todo::new(&store).create_tables().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(engine.clone(), listener, std::future::pending()));
    (engine, store, endpoint)
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_deaths_lose_nothing_and_repeat_nothing() {
    let (engine, store, endpoint) = served().await;
    let todo = Todo::new(&store);
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();

    let mut chance = Chance(7);
    let mut live = Tasks::default();
    let mut grew = 0;
    for _ in 0..ROUNDS {
        let mut writer = start(&endpoint, folder.path());
        let before = sequences_or_none(&place).await;
        // It has to come as far as writing before it is of interest where it dies.
        while sequences_or_none(&place).await == before && writer.try_wait().unwrap().is_none() {
            live.change(&todo, &mut chance).await;
        }
        assert!(
            writer.try_wait().unwrap().is_none(),
            "it must not end by itself"
        );
        let longer = Duration::from_micros(chance.below(60_000));
        let until = tokio::time::Instant::now() + longer;
        while tokio::time::Instant::now() < until {
            live.change(&todo, &mut chance).await;
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        grew += 1;
    }
    assert_eq!(grew, ROUNDS);

    let told = told(&engine.streams()).await;
    let mut writer = start(&endpoint, folder.path());
    let table = tasks(&store).await;
    let finished = async {
        loop {
            let bronze = sequences_or_none(&place).await.map_or(0, |all| all.len());
            let done = bronze >= told.len() && all_applied(&place).await;
            if done {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let finished = tokio::time::timeout(Duration::from_secs(600), finished).await;
    writer.kill().unwrap();
    writer.wait().unwrap();
    finished.expect("the last one comes to the end");

    // Whoever opens it clears away what the last death left.
    drop(Lake::open(&place, model(), quick()).await.unwrap());
    let mut told: Vec<String> = told.iter().map(|told| format!("{told:0>40}")).collect();
    told.sort();
    assert_eq!(sequences(&place).await, told);
    let reader = tablewright_lake::Reader::open(&place, "todo").unwrap();
    let followed = silver(&reader, "Task").await;
    agree(&followed, &table);

    // And what was followed is what the table gives.
    let lake = Lake::open(&place, todo::lake_model(), quick())
        .await
        .unwrap();
    lake.refine(store.now_millis()).await.unwrap();
    let counted = gold(&reader).await;
    assert_eq!(counted, [live.created_and_completed(); 2]);
    lake.rebuild(&store).await.unwrap();
    assert_eq!(silver(&reader, "Task").await, followed);
    lake.refine(store.now_millis()).await.unwrap();
    assert_eq!(gold(&reader).await, counted);
}

/// What is in bronze; none while a file is replaced under the eyes of whoever reads.
async fn sequences_or_none(place: &Place) -> Option<Vec<String>> {
    let place = place.clone();
    let read = tokio::spawn(async move { sequences(&place).await });
    read.await.ok()
}

async fn all_applied(place: &Place) -> bool {
    let Ok(status) = Status::of(place, &model()).await else {
        return false;
    };
    status.entities.iter().all(|entity| entity.waiting == 0)
}

/// How many files silver has where it dies while it is made: so many that it is seldom done.
const MANY_PARTS: usize = 60;

// The lake begins after its table, and dies while silver is first made of it. Whoever looks is never shown a part of the table as the whole.
#[tokio::test(flavor = "multi_thread")]
async fn silver_that_was_not_made_whole_is_made_anew() {
    let (_, store, endpoint) = served().await;
    let todo = Todo::new(&store);
    for number in 0..200 {
        let new = task("ada", &format!("task {number}"));
        todo.tasks.items().insert(new).await.unwrap();
    }
    let table = tasks(&store).await;
    let mut options = quick();
    options.parts = MANY_PARTS;
    let mut chance = Chance(11);
    let mut unfinished = 0;
    for _ in 0..8 {
        let folder = tempfile::TempDir::new().unwrap();
        let place = Place::folder(folder.path()).unwrap();
        let silver_of_tasks = folder.path().join("todo/silver/Task");
        for _ in 0..2 {
            let mut writer = started(&endpoint, folder.path());
            let mut writer = writer.env(PARTS, MANY_PARTS.to_string()).spawn().unwrap();
            while !silver_of_tasks.exists() && writer.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            tokio::time::sleep(Duration::from_micros(chance.below(20_000))).await;
            writer.kill().unwrap();
            writer.wait().unwrap();
        }
        let status = Status::of(&place, &model()).await.unwrap();
        let shown = status.entities.iter().find(|one| one.entity == "Task");
        match shown.and_then(|tasks| tasks.rows) {
            Some(rows) => assert_eq!(rows, table.len() as u64),
            None => unfinished += 1,
        }
        let lake = Lake::open(&place, model(), options).await.unwrap();
        lake.update(&store).await.unwrap();
        let reader = tablewright_lake::Reader::open(&place, "todo").unwrap();
        agree(&silver(&reader, "Task").await, &table);
    }
    assert!(unfinished > 0, "none died while silver was made");
}
