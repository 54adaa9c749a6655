//! Which lake of which table: each lake is whole, and one that has lost something knows.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use arrow_array::RecordBatch;
use tablewright::{Entity as _, Store};
use tablewright_lake::{Lake, Place, Reader, Status};
use tablewright_local::Engine;
use tablewright_stream::Shard;
use tablewright_testing::Ahead;
use todo::model::{Task, Todo};

use crate::replays::record;
use crate::support::{World, agree, model, quick, sequences, silver, texts};

/// Writes a lake in another folder until it has all that was told, and no longer.
async fn follow_elsewhere(world: &World, folder: &Path) {
    let place = Place::folder(folder).unwrap();
    let lake = Lake::open(&place, model(), quick()).await.unwrap();
    let told = world.told().await.len();
    let caught_up = async {
        while sequences(&place).await.len() < told {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let caught_up = async {
        let caught_up = tokio::time::timeout(Duration::from_secs(120), caught_up);
        caught_up.await.expect("all changes come into bronze");
    };
    let streams = world.engine.streams();
    lake.follow(&world.store, streams, caught_up).await.unwrap();
}

/// Bronze has every change once, and silver is the table.
async fn is_whole(world: &World, folder: &Path) {
    let place = Place::folder(folder).unwrap();
    let mut told: Vec<String> = world.told().await;
    told.iter_mut()
        .for_each(|told| *told = format!("{told:0>40}"));
    told.sort();
    assert_eq!(sequences(&place).await, told);
    let reader = Reader::open(&place, "todo").unwrap();
    agree(&silver(&reader, "Task").await, &world.tasks().await);
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_lakes_of_one_table_are_each_whole() {
    let world = World::new().await;
    let [first, second] = [(); 2].map(|()| tempfile::TempDir::new().unwrap());
    let both = [first.path(), second.path()];
    for round in 0..3 {
        world.write("ada", &format!("task {round}")).await;
        for folder in both {
            follow_elsewhere(&world, folder).await;
        }
    }
    for folder in both {
        is_whole(&world, folder).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lake_from_a_backup_becomes_whole_again() {
    let world = World::new().await;
    let task = world.write("ada", "before").await;
    world.catch_up().await;
    let backup = tempfile::TempDir::new().unwrap();
    copied(world.folder.path(), backup.path());
    world.write("ada", "after").await;
    world.remove(&task).await;
    world.catch_up().await;

    follow_elsewhere(&world, backup.path()).await;
    is_whole(&world, backup.path()).await;
    // From now on they are two.
    world.write("ada", "later").await;
    world.catch_up().await;
    follow_elsewhere(&world, backup.path()).await;
    for folder in [world.folder.path(), backup.path()] {
        is_whole(&world, folder).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lake_that_was_left_for_longer_than_changes_are_kept_is_made_anew() {
    let world = World::new().await;
    world.write("ada", "before").await;
    world.catch_up().await;
    take_from_silver(&world).await;
    world.catch_up().await;
    assert!(
        world.silver("Task").await.is_empty(),
        "nobody reads the table without a reason"
    );

    let clock = Ahead::default();
    clock.by_seconds(30 * 3600);
    let store = Store::builder(world.engine.dynamodb()).clock(clock).build();
    let world = World { store, ..world };
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// As when `lake rebuild` was run days before a service first follows: what happened between is in no stream.
#[tokio::test(flavor = "multi_thread")]
async fn silver_that_nobody_followed_for_so_long_is_made_anew() {
    let world = World::new().await;
    world.write("ada", "there").await;
    let lake = world.lake().await;
    lake.rebuild(&world.store).await.unwrap();
    drop(lake);
    take_from_silver(&world).await;
    let clock = Ahead::default();
    clock.by_seconds(30 * 3600);
    let store = Store::builder(world.engine.dynamodb()).clock(clock).build();
    let world = World { store, ..world };
    world.follow_until(0).await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

/// Empties the silver of tasks, as if changes had been missed.
async fn take_from_silver(world: &World) {
    let empty = World::new().await;
    let lake = empty.lake().await;
    lake.update(&empty.store).await.unwrap();
    for part in 0..3 {
        let part = format!("todo/silver/Task/part-{part:02}.parquet");
        let from = empty.folder.path().join(&part);
        std::fs::copy(from, world.folder.path().join(&part)).unwrap();
    }
}

/// Deletes the table and makes it again.
async fn made_again(world: &World) {
    let table = &Task::descriptor().table.name;
    let client = world.store.client();
    let unprotected = client.update_table().table_name(table);
    let unprotected = unprotected.deletion_protection_enabled(false);
    unprotected.send().await.unwrap();
    let deleted = client.delete_table().table_name(table);
    deleted.send().await.unwrap();
    Todo::new(&world.store).create_tables().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_made_again_takes_its_old_items_along() {
    let world = World::new().await;
    let shard = first_shard(&world).await;
    world.write("ada", "old").await;
    world.catch_up().await;
    assert_eq!(world.silver("Task").await.len(), 1);
    made_again(&world).await;
    let lake = world.lake().await;
    lake.update(&world.store).await.unwrap();
    assert_eq!(world.silver("Task").await.len(), 0);

    // What comes late of the table before happened before.
    let late = record(4_000_000_000, 20_000);
    lake.append(&shard, &[late]).await.unwrap();
    lake.update(&world.store).await.unwrap();
    assert_eq!(world.silver("Task").await.len(), 0);
    let status = Status::of(&world.place(), &model()).await.unwrap();
    assert!(status.entities.iter().all(|entity| entity.waiting == 0));
    drop(lake);

    world.write("ada", "new").await;
    let before = world.sequences().await.len();
    let told = world.told().await.len();
    world.follow_until(before + told).await;
    agree(&world.silver("Task").await, &world.tasks().await);
    let mut kept = BTreeSet::new();
    let see = |rows: &RecordBatch| kept.extend(texts(rows, "after"));
    world.reader().bronze("Task", see).await.unwrap();
    assert!(
        kept.iter().any(|image| image.contains("\"old\"")),
        "bronze keeps what happened"
    );
}

/// The stream the table has, and a shard of it.
async fn first_shard(world: &World) -> Shard {
    let table = &Task::descriptor().table.name;
    let described = world.store.client().describe_table().table_name(table);
    let described = described.send().await.unwrap().table.unwrap();
    Shard {
        stream: described.latest_stream_arn.unwrap(),
        shard: String::from("shardId-1"),
    }
}

// A lake from before it was known of which stream silver is.
#[tokio::test(flavor = "multi_thread")]
async fn silver_from_before_is_made_anew() {
    let world = World::new().await;
    world.write("ada", "there").await;
    world.catch_up().await;
    take_from_silver(&world).await;
    let state = world.folder.path().join("todo/_lake/silver/Task.json");
    let text = std::fs::read_to_string(&state).unwrap();
    let mut known: serde_json::Value = serde_json::from_str(&text).unwrap();
    known.as_object_mut().unwrap().remove("stream").unwrap();
    std::fs::write(&state, known.to_string()).unwrap();
    std::fs::remove_file(world.folder.path().join("todo/_lake/lake.json")).unwrap();
    world.catch_up().await;
    is_whole(&world, world.folder.path()).await;
}

// Where the tables cannot be read, silver stays what it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_that_fails_changes_nothing() {
    let world = World::new().await;
    world.write("ada", "there").await;
    world.catch_up().await;
    let files = contents(&world);
    let nowhere = Engine::temporary().unwrap();
    let nowhere = Store::new(nowhere.dynamodb());
    let lake = world.lake().await;
    assert!(lake.rebuild(&nowhere).await.is_err());
    assert!(lake.update(&nowhere).await.is_err());
    drop(lake);
    assert_eq!(contents(&world), files);
}

/// Every file of the lake but its lock, and what is in it.
fn contents(world: &World) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = world.files();
    files.retain(|file| !file.ends_with("lock"));
    files.sort();
    files
        .into_iter()
        .map(|file| (file.clone(), std::fs::read(file).unwrap()))
        .collect()
}
