//! Changes into a lake: how many a second become bronze, silver and gold, and what that takes of memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tablewright::{Entity as _, Store};
use tablewright_lake::{Lake, LakeOptions, Place, Reader};
use tablewright_local::Engine;
use tablewright_stream::{Record, Shard};
use todo::model::{SCHEMA, Task, Todo};

use crate::fresh;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "lake-once";

/// How many changes come at once, as from a stream that is behind.
const TOGETHER: usize = 10_000;

/// After how many of these silver and gold follow: about as often as in a lake that follows, at about this pace.
const ROUND: usize = 10;

/// What no run may take, in megabytes.
const MOST: u64 = 500;

/// How many users have tasks, where each has many.
const USERS: usize = 1000;

/// When all of it happens.
const DAY: i64 = 1_763_200_000;

/// Every figure in a process of its own.
pub(crate) fn run() -> anyhow::Result<()> {
    println!("changes of tasks into a lake: two thirds are new tasks, a third changes one");
    for changes in [100_000, 1_000_000] {
        fresh::figure(WORD, &format!("{changes} {USERS}"))?;
    }
    println!("the same, and every task is somebody else's: gold has rows for each");
    fresh::figure(WORD, "1000000 1000000")?;
    println!("  (none may take {MOST} MB)");
    println!();
    Ok(())
}

/// One figure, in this process: so many changes, of tasks of so many users.
pub(crate) fn run_one(figure: &str) -> anyhow::Result<()> {
    let (changes, users) = figure.split_once(' ').context("changes and users")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(fill(changes.parse()?, users.parse()?))
}

/// How long each layer took.
#[derive(Default)]
struct Took {
    bronze: Duration,
    silver: Duration,
    gold: Duration,
}

impl Took {
    async fn follow(&mut self, lake: &Lake, store: &Store) -> anyhow::Result<()> {
        let begun = Instant::now();
        lake.update(store).await?;
        self.silver += begun.elapsed();
        let begun = Instant::now();
        lake.refine(DAY * 1000).await?;
        self.gold += begun.elapsed();
        Ok(())
    }
}

async fn fill(changes: usize, users: usize) -> anyhow::Result<()> {
    let store = Store::new(Engine::temporary()?.dynamodb());
    Todo::new(&store).create_tables().await?;
    let folder = tempfile::TempDir::new()?;
    let place = Place::folder(folder.path())?;
    let lake = Lake::open(&place, todo::lake_model(), LakeOptions::default()).await?;
    lake.update(&store).await?;
    let shard = shard(&store).await?;
    let mut took = Took::default();
    for (round, first) in (0..changes).step_by(TOGETHER).enumerate() {
        let numbers = first..changes.min(first + TOGETHER);
        let records = numbers.map(|number| record(&change_of(number, users)));
        let records: Vec<Arc<Record>> = records.collect::<anyhow::Result<_>>()?;
        let begun = Instant::now();
        lake.append(&shard, &records).await?;
        took.bronze += begun.elapsed();
        drop(records);
        if round % ROUND == ROUND - 1 {
            took.follow(&lake, &store).await?;
        }
    }
    took.follow(&lake, &store).await?;
    is_complete(&place, changes, users).await?;
    let memory = fresh::peak_kilobytes().context("the memory of this process is not known")?;
    let megabytes = memory / 1024;
    let each = |time: Duration| changes as f64 / time.as_secs_f64();
    println!(
        "  {changes:>8} changes: bronze {:>7.0} a second, silver {:>7.0} a second, gold {:>7.0} a second, at most {megabytes} MB",
        each(took.bronze),
        each(took.silver),
        each(took.gold),
    );
    ensure!(
        megabytes < MOST,
        "{changes} changes took {megabytes} MB, and {MOST} are too many"
    );
    Ok(())
}

/// All tasks are in silver, and counted in gold.
async fn is_complete(place: &Place, changes: usize, users: usize) -> anyhow::Result<()> {
    let reader = Reader::open(place, &SCHEMA.name)?;
    let expected = (0..changes).filter(|number| number % 3 != 2).count() as i64;
    let users = expected.min(users as i64);
    let (mut items, mut created, mut active) = (0, 0, 0);
    reader.items::<Task>(|_| items += 1).await?;
    let per_day = reader.gold("tasks_per_day", |row| {
        created += row.count("created").unwrap_or(0)
    });
    per_day.await?;
    let per_day = reader.gold("active_users", |row| {
        active += row.count("users").unwrap_or(0)
    });
    per_day.await?;
    ensure!(
        (items, created, active) == (expected, expected, users),
        "{expected} tasks of {users} users: silver has {items}, gold {created} of {active}"
    );
    Ok(())
}

/// Where the changes come from: the stream of the table.
pub(crate) async fn shard(store: &Store) -> anyhow::Result<Shard> {
    let table = store.table_name(&Task::descriptor().table);
    let described = store.client().describe_table().table_name(table).send();
    let stream = described
        .await?
        .table
        .and_then(|table| table.latest_stream_arn);
    Ok(Shard {
        stream: stream.context("the table has no stream")?,
        shard: String::from("shardId-1"),
    })
}

pub(crate) fn record(change: &Value) -> anyhow::Result<Arc<Record>> {
    Ok(Arc::new(Record::of_lambda("todo-app-data", change)?))
}

/// A change of a task of one of the usual users, without the image before it, which nobody needs for bronze and silver.
pub(crate) fn change(number: usize) -> Value {
    let mut change = change_of(number, USERS);
    if let Some(told) = change["dynamodb"].as_object_mut() {
        told.remove("OldImage");
    }
    change
}

/// A change as DynamoDB tells it, of a task of one of so many users: two thirds are new tasks, a third changes one.
fn change_of(number: usize, users: usize) -> Value {
    let after = image(number, users);
    let mut told = json!({
        "Keys": { "PK": after["PK"], "SK": after["SK"] },
        "SequenceNumber": (number + 1).to_string(),
        "ApproximateCreationDateTime": DAY,
        "NewImage": after,
    });
    if let Some(before) = before(number) {
        told["OldImage"] = image(before, users);
    }
    json!({ "eventID": format!("event-{number}"), "dynamodb": told })
}

/// The task that a change is of.
fn task_of(number: usize) -> usize {
    match number % 3 {
        2 => number / 2 / 3 * 3,
        _ => number,
    }
}

/// The change before it of the same task, which is changed twice; none when it is new.
fn before(number: usize) -> Option<usize> {
    match number % 6 {
        2 => Some(task_of(number)),
        5 => Some(number - 3),
        _ => None,
    }
}

/// What a change leaves of its task.
fn image(number: usize, users: usize) -> Value {
    let task = task_of(number);
    let mut image = json!({ "PK": { "S": format!("TASK#user-{}", task % users) }, "SK": { "S": format!("TASK#{task:026}") } });
    let text = |text: String| json!({ "S": text });
    let whole = |number: usize| json!({ "N": number.to_string() });
    image["Type"] = text(String::from("Task"));
    image["user_id"] = text(format!("user-{}", task % users));
    image["task_id"] = text(format!("{task:026}"));
    image["title"] = text(format!("task {number} of somebody who has much to do"));
    image["description"] = text(format!("what it is about, in a sentence or two: {number}"));
    image["status"] = text(String::from("pending"));
    image["priority"] = text(String::from("high"));
    image["due_date"] = text(String::from("2026-11-15"));
    image["created_at"] = whole(1_700_000_000 + task);
    image["updated_at"] = whole(1_700_000_000 + number);
    image["revision"] = whole(1);
    image["data_version"] = whole(1);
    image["last_write"] = whole(1_700_000_000_000 + number);
    image
}
