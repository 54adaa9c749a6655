//! Changes that are gone before they are read, and changes that cannot be read or written: a lake says so, and is right in the end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_dynamodbstreams::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodbstreams::config::{ConfigBag, Intercept};
use aws_sdk_dynamodbstreams::error::BoxError;
use serde_json::{Value, json};
use tablewright::Store;
use tablewright_lake::{Freshness, Status};
use tablewright_stream::Streams;
use tablewright_testing::Ahead;

use crate::bronze::user;
use crate::export::Exported;
use crate::support::{World, agree, model, quick};

/// Makes every record of the streams older than they are kept, and lets the engine remove them.
fn trimmed(world: &World) {
    let file = world.engine.directory().join("dynamodb.sqlite");
    let records = rusqlite::Connection::open(file).unwrap();
    records.busy_timeout(Duration::from_secs(30)).unwrap();
    let aged = "UPDATE _stream_records SET created_at = created_at - 25 * 3600";
    records.execute(aged, []).unwrap();
    assert!(world.engine.trim_streams().unwrap() > 0);
}

/// What the lake says of itself.
fn said(world: &World) -> Value {
    let file = world.folder.path().join("todo/_lake/lake.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("it becomes true");
}

/// Lets a lake follow for so many hours, and look at itself after that.
async fn goes_on_for(world: &World, clock: &Ahead, hours: i64) {
    for seconds in [hours * 3600, 600] {
        clock.by_seconds(seconds);
        let now = world.store.now_millis();
        until(async || said(world)["followed"].as_i64() >= Some(now)).await;
    }
}

async fn agrees(world: &World) -> bool {
    let silver = world.silver("Task").await;
    let tasks = world.tasks().await;
    let titles = silver.iter().map(|(key, row)| (key, row["title"].as_str()));
    titles.eq(tasks.iter().map(|(key, task)| (key, task.title.as_str())))
}

async fn freshness(world: &World, entity: &str) -> Freshness {
    let status = Status::of(&world.place(), &model()).await.unwrap();
    let own = status.entities.into_iter().find(|one| one.entity == entity);
    own.unwrap().freshness
}

async fn as_of(world: &World) -> Option<i64> {
    world.reader().as_of().await.unwrap()
}

/// A file where the changes of users would be: nothing of them can be written, and nothing that comes after them.
fn blocked(world: &World) -> PathBuf {
    let bronze = world.folder.path().join("todo/bronze");
    std::fs::create_dir_all(&bronze).unwrap();
    let file = bronze.join("entity=User");
    std::fs::write(&file, "").unwrap();
    file
}

/// A way to the streams that can be cut off.
#[derive(Debug, Clone, Default)]
struct Way(Arc<AtomicBool>);

impl Intercept for Way {
    fn name(&self) -> &'static str {
        "way"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        match self.0.load(Ordering::Acquire) {
            true => Err("cut off".into()),
            false => Ok(()),
        }
    }
}

fn cut_off(world: &World) -> (Streams, Arc<AtomicBool>) {
    let way = Way::default();
    let config = world.engine.streams().config().to_builder();
    let config = config.interceptor(way.clone()).build();
    (Streams::from_conf(config), way.0)
}

// It was stopped, so that the streams could be trimmed; its clock and the engine's say that it was a moment.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_trimmed_while_nobody_follows_is_made_up_for_from_the_table() {
    let world = World::new().await;
    let gone = world.write("ada", "gone").await;
    let renamed = world.write("ada", "before").await;
    world.catch_up().await;
    let export = Exported::of(&world).await;
    world.remove(&gone).await;
    world.rename(&renamed, "after").await;
    world.write("ada", "new").await;
    trimmed(&world);
    let began = world.store.now_millis();
    let following = world.follow().await;
    until(async || agrees(&world).await).await;
    // Of what comes later nothing is lost.
    world.write("ada", "later").await;
    until(async || agrees(&world).await).await;
    following.stop().await;
    agree(&world.silver("Task").await, &world.tasks().await);
    assert!(said(&world)["unbroken_since"].as_i64().unwrap() >= began);
    let why = export.rebuild(&world).await.unwrap_err().to_string();
    assert!(why.contains("the lake has every change since"), "{why}");
    assert!(agrees(&world).await);
}

// Bronze cannot be written for longer than changes are kept.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_trimmed_while_a_lake_follows_is_made_up_for_from_the_table() {
    let world = World::new().await;
    let task = world.write("ada", "first").await;
    world.catch_up().await;
    let blocking = blocked(&world);
    let mut options = quick();
    options.flush_many = 50;
    let following = world.follow_with(options).await;
    world.todo.users.items().insert(user("ada")).await.unwrap();
    // More than it reads ahead.
    for number in 0..400 {
        world.write("ada", &format!("task {number}")).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    world.remove(&task).await;
    trimmed(&world);
    world.write("ada", "last").await;
    std::fs::remove_file(blocking).unwrap();
    until(async || agrees(&world).await).await;
    assert!(said(&world)["lost"]["todo-app-data"].is_number());
    world.write("ada", "later").await;
    until(async || agrees(&world).await).await;
    following.stop().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// Noted, and killed before silver was made anew: whoever looks is told.
#[tokio::test(flavor = "multi_thread")]
async fn silver_that_lacks_what_was_lost_is_said_to_be_made() {
    let world = World::new().await;
    world.write("ada", "there").await;
    world.catch_up().await;
    let file = world.folder.path().join("todo/_lake/lake.json");
    let mut known = said(&world);
    known["lost"]["todo-app-data"] = Value::from(world.store.now_millis());
    std::fs::write(&file, known.to_string()).unwrap();
    assert_eq!(freshness(&world, "Task").await, Freshness::ToBeMade);
    let lake = world.lake().await;
    lake.update(&world.store).await.unwrap();
    drop(lake);
    let told = freshness(&world, "Task").await;
    assert!(matches!(told, Freshness::NotFollowed(Some(_))), "{told:?}");
}

// A disk that is full: what was read is nowhere yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_lake_is_not_up_to_date_while_it_cannot_be_written() {
    let world = World::new().await;
    world.write("ada", "first").await;
    world.catch_up().await;
    let clock = Ahead::default();
    let store = Store::builder(world.engine.dynamodb()).clock(clock.clone());
    let world = World {
        store: store.build(),
        ..world
    };
    let following = world.follow().await;
    until(async || freshness(&world, "Task").await == Freshness::UpToDate).await;
    let blocking = blocked(&world);
    world.todo.users.items().insert(user("ada")).await.unwrap();
    world.write("ada", "second").await;
    let written = world.store.now_millis();
    tokio::time::sleep(Duration::from_secs(1)).await;
    goes_on_for(&world, &clock, 1).await;
    let of_before = as_of(&world).await.unwrap();
    assert!(of_before < written, "{of_before} {written}");
    let told = freshness(&world, "Task").await;
    assert!(
        matches!(told, Freshness::AsOf(Some(at)) if at < written),
        "{told:?}"
    );
    std::fs::remove_file(blocking).unwrap();
    until(async || as_of(&world).await.unwrap() >= written).await;
    until(async || freshness(&world, "Task").await == Freshness::UpToDate).await;
    following.stop().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// It waited for so long that it became a dead letter, and nothing comes after it.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_could_not_be_written_is_not_waited_for_once_it_is_noted_as_lost() {
    let world = World::new().await;
    let clock = Ahead::default();
    let store = Store::builder(world.engine.dynamodb()).clock(clock.clone());
    let world = World {
        store: store.build(),
        ..world
    };
    blocked(&world);
    world.todo.users.items().insert(user("ada")).await.unwrap();
    let written = world.store.now_millis();
    clock.by_seconds(2);
    let mut options = quick();
    options.stream.oldest = Duration::from_secs(1);
    let following = world.follow_with(options).await;
    until(async || said(&world)["lost"]["todo-app-data"].is_number()).await;
    goes_on_for(&world, &clock, 1).await;
    until(async || as_of(&world).await.is_some_and(|as_of| as_of >= written)).await;
    until(async || freshness(&world, "User").await == Freshness::UpToDate).await;
    following.stop().await;
    assert_eq!(world.silver("User").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lake_is_not_up_to_date_while_its_streams_cannot_be_read() {
    let world = World::new().await;
    world.write("ada", "first").await;
    let clock = Ahead::default();
    let store = Store::builder(world.engine.dynamodb()).clock(clock.clone());
    let world = World {
        store: store.build(),
        ..world
    };
    let (streams, is_cut_off) = cut_off(&world);
    let following = world.follow_on(streams, quick()).await;
    until(async || as_of(&world).await.is_some()).await;
    is_cut_off.store(true, Ordering::Release);
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.write("ada", "second").await;
    let written = world.store.now_millis();
    goes_on_for(&world, &clock, 25).await;
    assert!(as_of(&world).await.unwrap() < written);
    let told = freshness(&world, "Task").await;
    assert!(
        matches!(told, Freshness::AsOf(Some(at)) if at < written),
        "{told:?}"
    );
    // Nobody saw that something went: it was a new shard, say. It is known by the time.
    let before = said(&world)["lost"].clone();
    is_cut_off.store(false, Ordering::Release);
    until(async || agrees(&world).await && as_of(&world).await.unwrap() > written).await;
    following.stop().await;
    assert_eq!(before, json!({}));
    assert!(said(&world)["lost"]["todo-app-data"].is_number());
    let unbroken = said(&world)["unbroken_since"].as_i64().unwrap();
    assert!(unbroken > written, "{unbroken}");
}
