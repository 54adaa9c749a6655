//! Changes as a consumer gets them: how many a second, how soon, and what it costs to wait for them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use tablewright::{Entity as _, Store, Ulid};
use tablewright_local::Engine;
use tablewright_stream::{Consumer, Failure, Handler, Options, Record};
use todo::model::{Task, TaskStatus, Todo};
use tokio::sync::oneshot;

/// How many changes are read at once.
const MANY: usize = 20_000;

/// How many are written a second, and for how long.
const RATE: u32 = 500;
const SECONDS: u32 = 10;

/// How many are written to somebody who has nothing else to do.
const ALONE: usize = 50;

/// How many consumers the task manager has.
const SERVICE: usize = 4;

/// How long nothing happens.
const IDLE: Duration = Duration::from_secs(10);

pub(crate) fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        throughput().await?;
        lag(
            &format!("{RATE} writes a second"),
            Duration::from_secs(1) / RATE,
            (RATE * SECONDS) as usize,
        )
        .await?;
        lag("one write now and then", Duration::from_millis(200), ALONE).await?;
        idle(1).await?;
        idle(SERVICE).await
    })
}

struct World {
    engine: Engine,
    store: Store,
    todo: Todo,
}

impl World {
    async fn new() -> anyhow::Result<Self> {
        let engine = Engine::temporary()?;
        let store = Store::new(engine.dynamodb());
        let todo = Todo::new(&store);
        todo.create_tables().await?;
        Ok(World {
            engine,
            store,
            todo,
        })
    }

    async fn write(&self, number: usize) -> Result<(), tablewright::Error> {
        let task = Task {
            user_id: format!("user-{}", number % 100),
            task_id: Ulid::new(),
            title: number.to_string(),
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
        };
        self.todo.tasks.items().insert(task).await.map(|_| ())
    }

    fn follow<H: Handler>(&self, handler: H) -> Following {
        self.follow_as("bench".to_owned(), handler)
    }

    fn follow_as<H: Handler>(&self, name: String, handler: H) -> Following {
        let table = &Task::descriptor().table;
        let streams = self.engine.streams();
        let options = Options::default();
        let consumer = Consumer::new(name, &self.store, streams, table, options, handler);
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(consumer.run(async { stopped.await.unwrap_or(()) }));
        Following { stop, running }
    }
}

struct Following {
    stop: oneshot::Sender<()>,
    running: tokio::task::JoinHandle<Result<(), tablewright_stream::StreamError>>,
}

impl Following {
    async fn stop(self) -> anyhow::Result<()> {
        let _ = self.stop.send(());
        Ok(self.running.await??)
    }
}

/// The number of the task a record is of; none for the counts that change with it.
fn number(record: &Record) -> Option<usize> {
    record
        .after
        .as_ref()?
        .get("title")?
        .as_s()
        .ok()?
        .parse()
        .ok()
}

async fn throughput() -> anyhow::Result<()> {
    let world = Arc::new(World::new().await?);
    let next = Arc::new(AtomicUsize::new(0));
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (world, next) = (Arc::clone(&world), Arc::clone(&next));
        writers.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= MANY {
                    return Ok(());
                }
                world.write(number).await?;
            }
        });
    }
    while let Some(written) = writers.join_next().await {
        written?.map_err(|error: tablewright::Error| error)?;
    }
    let (bare, records) = bare(&world.engine).await?;
    let (counted, begun) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let count = Arc::clone(&counted);
    let following = world.follow(move |_: Arc<Record>| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Ok::<(), Failure>(()) }
    });
    while counted.load(Ordering::Relaxed) < records {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let took = begun.elapsed();
    following.stop().await?;
    ensure!(
        counted.load(Ordering::Relaxed) >= records,
        "records are missing"
    );
    let rate = |took: Duration| records as f64 / took.as_secs_f64();
    println!(
        "{records} records to a handler      {:>8.0}/s; the bare SDK reads them at {:.0}/s: {:.0} %",
        rate(took),
        rate(bare),
        100.0 * bare.as_secs_f64() / took.as_secs_f64()
    );
    Ok(())
}

/// The same records by the bare SDK: one iterator after another, and nothing done with them.
async fn bare(engine: &Engine) -> anyhow::Result<(Duration, usize)> {
    let begun = Instant::now();
    let streams = engine.streams();
    let found = streams.list_streams().send().await?;
    let arn = found
        .streams()
        .first()
        .and_then(|stream| stream.stream_arn());
    let arn = arn.context("there is no stream")?;
    let described = streams.describe_stream().stream_arn(arn).send().await?;
    let description = described.stream_description;
    let description = description.context("the stream is not described")?;
    let mut records = 0;
    for shard in description.shards() {
        let first = streams
            .get_shard_iterator()
            .stream_arn(arn)
            .shard_id(shard.shard_id().unwrap_or_default())
            .shard_iterator_type(ShardIteratorType::TrimHorizon)
            .send()
            .await?;
        let mut iterator = first.shard_iterator;
        while let Some(at) = iterator {
            let read = streams.get_records().shard_iterator(at).send().await?;
            if read.records().is_empty() {
                break;
            }
            records += read.records().len();
            iterator = read.next_shard_iterator;
        }
    }
    Ok((begun.elapsed(), records))
}

/// From the moment a write is acknowledged to the moment a handler has it.
async fn lag(what: &str, pace: Duration, many: usize) -> anyhow::Result<()> {
    let world = Arc::new(World::new().await?);
    let handled: Arc<Mutex<Vec<Option<Instant>>>> = Arc::new(Mutex::new(vec![None; many]));
    let book = Arc::clone(&handled);
    let following = world.follow(move |record: Arc<Record>| {
        let now = Instant::now();
        if let Some(number) = number(&record)
            && let Some(slot) = lock(&book).get_mut(number)
        {
            slot.get_or_insert(now);
        }
        async { Ok::<(), Failure>(()) }
    });
    // The lease is taken, and the first empty answers have come.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = Instant::now();
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..many {
        let due = begun + pace * u32::try_from(number)?;
        tokio::time::sleep_until(due.into()).await;
        let world = Arc::clone(&world);
        writes.spawn(async move {
            let written = world.write(number).await;
            written.map(|()| (number, Instant::now()))
        });
    }
    let mut acknowledged = Vec::with_capacity(many);
    while let Some(written) = writes.join_next().await {
        acknowledged.push(written??);
    }
    let took = begun.elapsed();
    while lock(&handled).iter().any(Option::is_none) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    following.stop().await?;
    let handled = lock(&handled).clone();
    let mut lags: Vec<Duration> = acknowledged
        .iter()
        .filter_map(|(number, at)| Some(handled[*number]?.saturating_duration_since(*at)))
        .collect();
    lags.sort();
    let part = |hundredth: usize| lags[(lags.len() - 1) * hundredth / 100].as_millis();
    println!(
        "lag at {what:<24} {:>4} ms, 99 % within {} ms, the longest {} ms ({:.0} writes a second)",
        part(50),
        part(99),
        part(100),
        many as f64 / took.as_secs_f64()
    );
    Ok(())
}

/// What consumers take of the processor while nothing happens.
async fn idle(consumers: usize) -> anyhow::Result<()> {
    let world = World::new().await?;
    let following: Vec<Following> = (0..consumers)
        .map(|number| {
            let name = format!("bench-{number}");
            world.follow_as(name, |_: Arc<Record>| async { Ok::<(), Failure>(()) })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = crate::processor::time()?;
    tokio::time::sleep(IDLE).await;
    let took = crate::processor::time()? - before;
    for one in following {
        one.stop().await?;
    }
    println!(
        "nothing happens, {consumers} consumer(s)    {:>4.1} % of a core, the engine included",
        100.0 * took.as_secs_f64() / IDLE.as_secs_f64()
    );
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
