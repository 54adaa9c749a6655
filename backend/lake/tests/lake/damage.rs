//! What is damaged is mended, and holds up nobody else; and nobody says that all is well meanwhile.

use std::path::PathBuf;
use std::time::Duration;

use tablewright_lake::{Freshness, Lake, Place, Status};

use crate::bronze::user;
use crate::support::{World, agree, model, quick};

/// The files of a part of silver, all of them.
fn parts(world: &World, entity: &str) -> Vec<PathBuf> {
    let mut files = world.files();
    let folder = format!("silver/{entity}/");
    files.retain(|file| file.to_string_lossy().contains(&folder));
    files
}

async fn freshness(world: &World, entity: &str) -> Freshness {
    let status = Status::of(&world.place(), &model()).await.unwrap();
    let own = status.entities.into_iter().find(|one| one.entity == entity);
    own.unwrap().freshness
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_silver_is_made_anew_by_itself() {
    let world = World::new().await;
    for number in 0..9 {
        world.write("ada", &format!("task {number}")).await;
    }
    world.catch_up().await;
    for part in parts(&world, "Task") {
        std::fs::write(part, "garbage").unwrap();
    }
    world.write("ada", "after").await;
    world.todo.users.items().insert(user("bob")).await.unwrap();
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
    assert_eq!(world.silver("User").await.len(), 1);
}

// A part that is gone is not one that was empty, and what is remembered may be damaged as well.
#[tokio::test(flavor = "multi_thread")]
async fn silver_that_is_gone_is_made_anew() {
    let world = World::new().await;
    for number in 0..9 {
        world.write("ada", &format!("task {number}")).await;
    }
    world.catch_up().await;
    for part in parts(&world, "Task") {
        std::fs::remove_file(part).unwrap();
    }
    world.write("ada", "after").await;
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
    let state = world.folder.path().join("todo/_lake/silver/Task.json");
    std::fs::write(state, "{").unwrap();
    world.write("ada", "again").await;
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// It is not seen by reading what a change touches, since none does.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_is_gone_is_missed_although_nothing_happens() {
    let world = World::new().await;
    for number in 0..9 {
        world.write("ada", &format!("task {number}")).await;
    }
    world.catch_up().await;
    let parts = parts(&world, "Task");
    let largest = parts
        .iter()
        .max_by_key(|part| std::fs::metadata(part).unwrap().len());
    std::fs::remove_file(largest.unwrap()).unwrap();
    assert!(world.silver("Task").await.len() < 9);
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// What cannot be read is not put together, and the others are.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_bronze_holds_up_no_other_when_files_are_put_together() {
    let world = World::new().await;
    for round in 0..2 {
        world.write("ada", &format!("task {round}")).await;
        let name = format!("person-{round}");
        world.todo.users.items().insert(user(&name)).await.unwrap();
        world.catch_up().await;
    }
    let mut bronze = world.files();
    bronze.retain(|file| file.to_string_lossy().contains("bronze/entity=Task/"));
    std::fs::write(&bronze[0], "garbage").unwrap();
    let compacted = world.lake().await.compact(None).await.unwrap();
    // Of people, of counts, and of what is of no entity.
    assert_eq!(compacted.into, 3);
    assert!(bronze.iter().all(|file| file.exists()));
}

// Where it is damaged again at once, the table is not read again and again; the others go on.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_damaged_again_and_again_holds_up_nobody_else() {
    let world = World::new().await;
    let lake = world.lake().await;
    world.write("ada", "first").await;
    lake.update(&world.store).await.unwrap();
    drop(lake);
    // The first time before anybody follows, so that none of the parts is just being written anew.
    let damage = || {
        for part in parts(&world, "Task") {
            std::fs::write(part, "garbage").unwrap();
        }
    };
    damage();
    let following = world.follow().await;
    for round in 0..2 {
        if round > 0 {
            none_waits(&world, "Task").await;
            damage();
        }
        let name = format!("person-{round}");
        world.write(&name, "task").await;
        world.todo.users.items().insert(user(&name)).await.unwrap();
        let waited = tokio::time::timeout(Duration::from_secs(60), async {
            while world.silver("User").await.len() <= round {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            while round == 0 && parts(&world, "Task").iter().any(is_garbage) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        waited.await.expect("users are not held up by tasks");
    }
    following.stop().await;
    assert!(parts(&world, "Task").iter().all(is_garbage));
}

/// Nothing of an entity is still to be put into silver.
async fn none_waits(world: &World, entity: &str) {
    let waits = async || {
        let status = Status::of(&world.place(), &model()).await.unwrap();
        let own = status.entities.into_iter().find(|one| one.entity == entity);
        own.unwrap().waiting > 0
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while waits().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("it is applied");
}

fn is_garbage(file: &PathBuf) -> bool {
    std::fs::read(file).is_ok_and(|bytes| bytes == b"garbage")
}

// `lake rebuild` of models that no service follows: after one more task the table has what silver has not.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_follows_is_not_said_to_be_up_to_date() {
    let world = World::new().await;
    world.write("ada", "first").await;
    let lake = world.lake().await;
    lake.rebuild(&world.store).await.unwrap();
    drop(lake);
    world.write("ada", "second").await;
    let is_of_a_moment = |freshness: &Freshness| {
        let now = world.store.now_millis();
        matches!(freshness, Freshness::NotFollowed(Some(at)) if (now - 60_000..=now).contains(at))
    };
    let told = freshness(&world, "Task").await;
    assert!(is_of_a_moment(&told), "{told:?}");
    assert!(told.to_string().ends_with("followed by nobody"), "{told}");

    let following = world.follow().await;
    let waited = tokio::time::timeout(Duration::from_secs(30), async {
        while freshness(&world, "Task").await != Freshness::UpToDate
            || world.silver("Task").await.len() < 2
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("it is up to date while it is followed");
    following.stop().await;
    let told = freshness(&world, "Task").await;
    assert!(is_of_a_moment(&told), "{told:?}");

    // Who was killed says nothing more.
    let running = world.follow().await;
    let waited = tokio::time::timeout(Duration::from_secs(30), async {
        while freshness(&world, "Task").await != Freshness::UpToDate {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("it is up to date again");
    running.killed().await;
    let waited = tokio::time::timeout(Duration::from_secs(30), async {
        // What it had begun goes on for a moment, and holds the lock for as long.
        while !is_of_a_moment(&freshness(&world, "Task").await) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited
        .await
        .expect("a lake without a writer is of a moment");
    let state = world.folder.path().join("todo/_lake/silver/Task.json");
    std::fs::remove_file(state).unwrap();
    assert_eq!(freshness(&world, "Task").await, Freshness::ToBeMade);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lake_says_as_of_when_it_is() {
    let world = World::new().await;
    world.write("ada", "first").await;
    world.catch_up().await;
    let first = world.reader().as_of().await.unwrap().unwrap();
    world.write("ada", "second").await;
    world.catch_up().await;
    assert!(world.reader().as_of().await.unwrap().unwrap() > first);
    let nobody = tempfile::TempDir::new().unwrap();
    let place = Place::folder(nobody.path()).unwrap();
    let lake = Lake::open(&place, model(), quick()).await.unwrap();
    drop(lake);
    let reader = tablewright_lake::Reader::open(&place, "todo").unwrap();
    assert_eq!(reader.as_of().await.unwrap(), None);
}
