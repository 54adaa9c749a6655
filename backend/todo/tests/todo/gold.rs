//! What the lake adds up to: what happened stays, whatever becomes of the tasks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tablewright::{Clock as _, Store};
use tablewright_lake::{GoldRow, Lake, LakeOptions, Place, Reader, RecordBatch};
use todo::lake_model;

use crate::support::{Api, Asks as _, Caller, With};

const DAY: i64 = 86_400;

/// A service, and a lake that follows when it is told to.
struct World {
    api: Api,
    folder: tempfile::TempDir,
}

/// A table of gold, row by row, in words.
type Rows = Vec<String>;

impl World {
    async fn new(keep_completed_days: Option<u32>) -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let api = Api::start_with(With {
            keep_completed_days,
            lake: Some(Place::folder(folder.path()).unwrap()),
            ..With::default()
        })
        .await;
        let world = World { api, folder };
        // It is noon, so that no test is of two days by chance.
        let into_the_day = world.now().rem_euclid(DAY);
        world.api.clock.by_seconds(DAY / 2 - into_the_day);
        world
    }

    fn place(&self) -> Place {
        Place::folder(self.folder.path()).unwrap()
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.place(), "todo").unwrap()
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join("todo").join(path)
    }

    /// The files of a folder, in the order of their names.
    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.file(folder)).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }

    /// By the clock of the service, which tests put forward.
    fn now(&self) -> i64 {
        self.api.clock.now_millis() / 1000
    }

    fn store(&self) -> Store {
        let clock = self.api.clock.clone();
        Store::builder(self.api.engine.dynamodb())
            .clock(clock)
            .build()
    }

    fn today(&self) -> String {
        let now = jiff::Timestamp::from_second(self.now()).unwrap();
        now.strftime("%Y-%m-%d").to_string()
    }

    async fn lake(&self) -> Lake {
        let mut options = LakeOptions::default();
        options.flush_after = Duration::from_millis(30);
        options.merge_every = Duration::from_millis(50);
        options.stream.poll = Duration::from_millis(10);
        options.stream.lease = Duration::from_millis(900);
        let lake = Lake::open(&self.place(), lake_model(), options).await;
        lake.unwrap()
    }

    /// Follows until bronze has so many changes of tasks, and gold is made of them.
    async fn follow_until(&self, changes: usize) {
        let lake = self.lake().await;
        let (store, streams) = (self.store(), self.api.engine.streams());
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or(()) };
            lake.follow(&store, streams, stopped).await.unwrap();
            lake.close().await;
        });
        let bronze = async {
            loop {
                let mut many = 0;
                let see = |rows: &RecordBatch| many += rows.num_rows();
                // A file may be replaced under the eyes of whoever reads.
                let read = self.reader().bronze("Task", see).await;
                if read.is_ok() && many >= changes {
                    return many;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let bronze = tokio::time::timeout(Duration::from_secs(60), bronze).await;
        assert_eq!(bronze.expect("all changes come into bronze"), changes);
        drop(stop);
        running.await.unwrap();
    }

    /// Computes gold as of now.
    async fn refine(&self) {
        let lake = self.lake().await;
        lake.update(&self.store()).await.unwrap();
        lake.refine(self.now() * 1000).await.unwrap();
        lake.close().await;
    }

    async fn gold(&self, table: &str, columns: &[&str]) -> Rows {
        let mut rows = Vec::new();
        let see = |row: &GoldRow<'_>| {
            let words = columns.iter().map(|name| {
                let day = row.day(name).map(|day| day.to_string());
                let count = row.count(name).map(|count| count.to_string());
                let number = row.number(name).map(|number| format!("{number:.3}"));
                let text = row.text(name).map(str::to_owned);
                text.or(day).or(count).or(number).unwrap_or_default()
            });
            rows.push(words.collect::<Vec<String>>().join(" "));
        };
        self.reader().gold(table, see).await.unwrap();
        rows.sort();
        rows
    }

    async fn days(&self) -> Rows {
        let columns = ["user_id", "day", "created", "completed"];
        self.gold("tasks_per_day", &columns).await
    }

    async fn completion(&self) -> Rows {
        let columns = ["user_id", "category", "tasks", "completed", "rate"];
        self.gold("completion", &columns).await
    }

    async fn overdue(&self) -> Rows {
        self.gold("overdue", &["day", "user_id", "tasks"]).await
    }

    /// All that was counted.
    async fn counted(&self) -> (Rows, Rows, Rows) {
        let took = ["user_id", "day", "category", "seconds_to_complete"];
        let mut seconds = self.gold("tasks_per_day", &took).await;
        seconds.extend(self.gold("completion", &took).await);
        (self.days().await, self.completion().await, seconds)
    }
}

async fn change(caller: &Caller, task: &str, body: Value) {
    caller
        .patch(&format!("/tasks/{task}"), body)
        .await
        .expect(200);
}

async fn delete(caller: &Caller, task: &str) {
    caller.delete(&format!("/tasks/{task}")).await.expect(204);
}

/// A task that is deleted was created, and completed, on its days; and so were those of somebody who leaves.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_was_done_all_the_same() {
    let world = World::new(None).await;
    let (ada, bob) = (world.api.person("ada"), world.api.person("bob"));
    let mut tasks = Vec::new();
    for _ in 0..11 {
        tasks.push(ada.task(json!({ "title": "x" })).await);
    }
    for task in &tasks[..2] {
        change(&ada, task, json!({ "status": "completed" })).await;
    }
    bob.task(json!({ "title": "x", "status": "completed" }))
        .await;
    world.follow_until(14).await;
    let today = world.today();
    let days = [format!("ada {today} 11 2"), format!("bob {today} 1 1")];
    let rates = ["ada  11 2 0.182", "bob  1 1 1.000"];
    assert_eq!(world.days().await, days);
    assert_eq!(world.completion().await, rates);

    for task in &tasks[..4] {
        delete(&ada, task).await;
    }
    bob.delete("/users/me").await.expect(204);
    world.follow_until(19).await;
    assert_eq!(world.days().await, days);
    assert_eq!(world.completion().await, rates);
    let insights = ada.get("/insights").await.expect(200).body;
    assert_eq!(
        (
            &insights["days"][0]["created"],
            &insights["days"][0]["completed"]
        ),
        (&json!(11), &json!(2))
    );
}

/// S0-41: completed tasks are forgotten after a time, and what was done is not.
#[tokio::test(flavor = "multi_thread")]
async fn what_time_has_deleted_was_done_all_the_same() {
    let world = World::new(Some(1)).await;
    let ada = world.api.person("ada");
    world.api.clock.by_seconds(-3 * DAY);
    let then = world.today();
    ada.task(json!({ "title": "x", "status": "completed" }))
        .await;
    ada.task(json!({ "title": "y" })).await;
    world.api.clock.by_seconds(3 * DAY);
    assert_eq!(world.api.engine.sweep_ttl().unwrap(), 1);
    world.follow_until(3).await;
    assert_eq!(world.days().await, [format!("ada {then} 2 1")]);
    assert_eq!(world.completion().await, ["ada  2 1 0.500"]);
}

/// Who reopens a task on the day of its completion has not completed it that day; who does so later had.
#[tokio::test(flavor = "multi_thread")]
async fn a_day_that_is_over_keeps_its_completions() {
    let world = World::new(None).await;
    let ada = world.api.person("ada");
    world.api.clock.by_seconds(-2 * DAY);
    let first = world.today();
    let (one, two) = (
        ada.task(json!({ "title": "one", "category": "home" }))
            .await,
        ada.task(json!({ "title": "two", "category": "home" }))
            .await,
    );
    change(&ada, &one, json!({ "status": "completed" })).await;
    change(&ada, &two, json!({ "status": "completed" })).await;
    change(&ada, &two, json!({ "status": "pending" })).await;
    world.api.clock.by_seconds(DAY);
    let second = world.today();
    change(&ada, &one, json!({ "status": "in_progress" })).await;
    world.follow_until(6).await;
    assert_eq!(world.days().await, [format!("ada {first} 2 1")]);
    assert_eq!(world.completion().await, ["ada home 2 0 0.000"]);

    change(
        &ada,
        &one,
        json!({ "status": "completed", "category": "work" }),
    )
    .await;
    change(&ada, &two, json!({ "status": "cancelled" })).await;
    world.follow_until(8).await;
    let days = [format!("ada {first} 2 1"), format!("ada {second} 0 1")];
    assert_eq!(world.days().await, days);
    assert_eq!(world.completion().await, ["ada work 1 1 1.000"]);
    let took = ["day", "seconds_to_complete"];
    let took = world.gold("tasks_per_day", &took).await;
    let [_, later] = took.as_slice() else {
        panic!("{took:?}");
    };
    let seconds: f64 = later.split(' ').nth(1).unwrap().parse().unwrap();
    assert!((seconds - DAY as f64).abs() < 60.0, "{took:?}");
}

/// Whatever is lost of what was counted, and whoever died over it: it is counted again, to the same end.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_again_is_the_same() {
    let world = World::new(None).await;
    let mut changes = 0;
    for user in ["ada", "bob", "cleo", "dan", "eve"] {
        let caller = world.api.person(user);
        for title in ["one", "two", "three"] {
            let task = caller.task(json!({ "title": title })).await;
            change(&caller, &task, json!({ "status": "completed" })).await;
            change(&caller, &task, json!({ "title": "else" })).await;
            changes += 3;
            if title == "two" {
                delete(&caller, &task).await;
                changes += 1;
            }
        }
    }
    world.follow_until(changes).await;
    let counted = world.counted().await;
    assert_eq!(counted.0.len(), 5, "{counted:?}");

    // As if it had died before it noted how far it was, and before each table was written.
    std::fs::remove_file(world.file("_lake/gold/counted/all.parquet")).unwrap();
    std::fs::remove_dir_all(world.file("gold/completion")).unwrap();
    world.refine().await;
    assert_eq!(world.counted().await, counted);
    // As if one part had never been written.
    let parts = world.files("_lake/gold/counted");
    let mut sizes: BTreeMap<u64, &PathBuf> = BTreeMap::new();
    for part in &parts[1..] {
        sizes.insert(std::fs::metadata(part).unwrap().len(), part);
    }
    std::fs::remove_file(sizes.values().next_back().unwrap()).unwrap();
    std::fs::remove_file(&parts[0]).unwrap();
    world.refine().await;
    assert_eq!(world.counted().await, counted);
    // Bronze in other files, and everything from the beginning.
    std::fs::remove_dir_all(world.file("_lake/gold")).unwrap();
    std::fs::remove_dir_all(world.file("gold")).unwrap();
    let lake = world.lake().await;
    lake.compact(None).await.unwrap();
    lake.close().await;
    world.refine().await;
    assert_eq!(world.counted().await, counted);
    // Silver that is made anew says nothing new.
    let lake = world.lake().await;
    lake.rebuild(&world.store()).await.unwrap();
    lake.close().await;
    world.refine().await;
    assert_eq!(world.counted().await, counted);
}

/// What is damaged holds up nobody for ever: what was counted is counted again, and of what bronze cannot tell any more silver does.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_damaged_is_counted_anew() {
    let world = World::new(None).await;
    let ada = world.api.person("ada");
    for title in ["one", "two", "three"] {
        ada.task(json!({ "title": title })).await;
    }
    world.follow_until(3).await;
    let created = async |many: usize| {
        let days = [format!("ada {} {many} 0", world.today())];
        assert_eq!(world.days().await, days);
        assert_eq!(world.gold("active_users", &["users"]).await, ["1"]);
    };
    created(3).await;
    let parts = || {
        let mut files = world.files("_lake/gold/counted");
        files.retain(|file| !file.ends_with("all.parquet"));
        files
    };
    for part in parts() {
        std::fs::write(part, "garbage").unwrap();
    }
    ada.task(json!({ "title": "four" })).await;
    world.follow_until(4).await;
    created(4).await;

    for part in parts() {
        std::fs::remove_file(part).unwrap();
    }
    std::fs::write(world.file("gold/active_users/all.parquet"), "garbage").unwrap();
    ada.task(json!({ "title": "five" })).await;
    world.follow_until(5).await;
    created(5).await;

    let bronze = world.files(&format!("bronze/entity=Task/date={}", world.today()));
    assert!(bronze.len() > 1, "{bronze:?}");
    std::fs::write(&bronze[0], "garbage").unwrap();
    std::fs::remove_dir_all(world.file("_lake/gold")).unwrap();
    std::fs::remove_dir_all(world.file("gold")).unwrap();
    world.refine().await;
    created(5).await;
}

/// The lake begins after its table. Of tasks no change has told, their own times tell their days; what is told of them later is counted once.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_from_before_the_lake_are_counted_by_their_own_times() {
    let world = World::new(None).await;
    let ada = world.api.person("ada");
    world.api.clock.by_seconds(-5 * DAY);
    let first = world.today();
    let open = ada.task(json!({ "title": "open" })).await;
    let done = ada.task(json!({ "title": "done" })).await;
    world.api.clock.by_seconds(DAY);
    let second = world.today();
    change(&ada, &done, json!({ "status": "completed" })).await;
    world.api.clock.by_seconds(DAY);
    // Silver is made of the table, and nothing was told yet.
    world.refine().await;
    let days = [format!("ada {first} 2 0"), format!("ada {second} 0 1")];
    assert_eq!(world.days().await, days);
    assert_eq!(world.completion().await, ["ada  2 1 0.500"]);

    // Now the stream tells how it came to that, and what came after.
    let third = world.today();
    change(&ada, &open, json!({ "status": "completed" })).await;
    delete(&ada, &done).await;
    world.follow_until(5).await;
    let days = [days[0].clone(), days[1].clone(), format!("ada {third} 0 1")];
    assert_eq!(world.days().await, days);
    assert_eq!(world.completion().await, ["ada  2 2 1.000"]);
}

/// Each day keeps what was overdue on it.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_overdue_on_a_day_that_is_over_stays() {
    let world = World::new(None).await;
    let ada = world.api.person("ada");
    // As a lake from before had it: one file, of one day.
    let old = world.file("gold/overdue/all.parquet");
    std::fs::create_dir_all(old.parent().unwrap()).unwrap();
    let first = world.today();
    let late = ada
        .task(json!({ "title": "late", "due_date": "2020-01-01" }))
        .await;
    ada.task(json!({ "title": "today", "due_date": first }))
        .await;
    world.refine().await;
    std::fs::copy(world.file(&format!("gold/overdue/{first}.parquet")), &old).unwrap();
    std::fs::remove_file(world.file("_lake/gold/counted/all.parquet")).unwrap();
    world.refine().await;
    assert!(!old.exists());
    assert_eq!(world.overdue().await, [format!("{first} ada 1")]);

    world.api.clock.by_seconds(DAY);
    let second = world.today();
    world.refine().await;
    let days = [format!("{first} ada 1"), format!("{second} ada 2")];
    assert_eq!(world.overdue().await, days);
    let insights = ada.get("/insights").await.expect(200).body;
    assert_eq!(insights["overdue"], 2);

    change(&ada, &late, json!({ "status": "completed" })).await;
    world.follow_until(3).await;
    let days = [format!("{first} ada 1"), format!("{second} ada 1")];
    assert_eq!(world.overdue().await, days);
    world.api.clock.by_seconds(DAY);
    delete(&ada, &late).await;
    world.refine().await;
    assert_eq!(world.overdue().await.len(), 3);
    assert_eq!(world.overdue().await[..2], days);
}
