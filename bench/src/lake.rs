//! Changes into a lake: how many a second become bronze and silver, and what that takes of memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tablewright::Store;
use tablewright_lake::{Lake, LakeModel, LakeOptions, Place};
use tablewright_local::Engine;
use tablewright_stream::{Record, Shard};
use todo::model::{SCHEMA, Todo};

use crate::fresh;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "lake-once";

/// How many changes come at once, as from a stream that is behind.
const TOGETHER: usize = 10_000;

/// Every figure in a process of its own.
pub(crate) fn run() -> anyhow::Result<()> {
    println!("changes of tasks into a lake: two thirds are new tasks, a third changes one");
    for changes in ["100000", "1000000"] {
        fresh::figure(WORD, changes)?;
    }
    println!("  (target: under 500 MB, however many)\n");
    Ok(())
}

/// One figure, in this process.
pub(crate) fn run_one(changes: &str) -> anyhow::Result<()> {
    let changes: usize = changes.parse()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(fill(changes))
}

async fn fill(changes: usize) -> anyhow::Result<()> {
    let store = Store::new(Engine::temporary()?.dynamodb());
    Todo::new(&store).create_tables().await?;
    let folder = tempfile::TempDir::new()?;
    let place = Place::folder(folder.path())?;
    let lake = Lake::open(&place, LakeModel::new(&SCHEMA), LakeOptions::default()).await?;
    lake.update(&store).await?;
    let shard = shard();
    let (mut bronze, mut silver) = (Duration::ZERO, Duration::ZERO);
    for first in (0..changes).step_by(TOGETHER) {
        let records = (first..changes.min(first + TOGETHER)).map(|number| record(&change(number)));
        let records: Vec<Arc<Record>> = records.collect::<anyhow::Result<_>>()?;
        let begun = Instant::now();
        lake.append(&shard, &records).await?;
        bronze += begun.elapsed();
        drop(records);
        // As often as a lake that follows would, at about this pace.
        if (first / TOGETHER) % 10 == 9 {
            let begun = Instant::now();
            lake.update(&store).await?;
            silver += begun.elapsed();
        }
    }
    let begun = Instant::now();
    lake.update(&store).await?;
    silver += begun.elapsed();
    let memory = fresh::peak_kilobytes().context("the memory of this process is not known")?;
    let each = |time: Duration| changes as f64 / time.as_secs_f64();
    println!(
        "  {changes:>8} changes: bronze {:>7.0} a second, silver {:>7.0} a second, at most {} MB",
        each(bronze),
        each(silver),
        memory / 1024
    );
    Ok(())
}

/// Where the changes come from.
pub(crate) fn shard() -> Shard {
    Shard {
        stream: String::from("bench/stream/2026-11-15T00:00:00.000"),
        shard: String::from("shardId-1"),
    }
}

pub(crate) fn record(change: &Value) -> anyhow::Result<Arc<Record>> {
    Ok(Arc::new(Record::of_lambda("todo-app-data", change)?))
}

/// A change as DynamoDB tells it: two thirds are new tasks, a third changes one.
pub(crate) fn change(number: usize) -> Value {
    let task = if number % 3 == 2 {
        number / 2 / 3 * 3
    } else {
        number
    };
    let key = json!({ "PK": { "S": format!("TASK#user-{}", task % 1000) }, "SK": { "S": format!("TASK#{task:026}") } });
    let mut image = key.clone();
    let text = |text: String| json!({ "S": text });
    let whole = |number: usize| json!({ "N": number.to_string() });
    image["Type"] = text(String::from("Task"));
    image["user_id"] = text(format!("user-{}", task % 1000));
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
    json!({
        "eventID": format!("event-{number}"),
        "dynamodb": {
            "Keys": key,
            "SequenceNumber": (number + 1).to_string(),
            "ApproximateCreationDateTime": 1_763_200_000,
            "NewImage": image,
        },
    })
}
