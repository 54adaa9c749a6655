//! One process writes a lake at a time.

use tablewright_lake::{Lake, LakeError, Place, Status};

use crate::support::{World, model, quick};

#[tokio::test(flavor = "multi_thread")]
async fn a_second_writer_is_told() {
    let world = World::new().await;
    let lake = world.lake().await;
    let second = Lake::open(&world.place(), model(), quick()).await;
    assert!(matches!(second, Err(LakeError::Held { .. })));
    drop(lake);
    world.lake().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_needs_no_lock_and_makes_nothing() {
    let world = World::new().await;
    let nothing = Status::of(&world.place(), &model()).await.unwrap();
    assert!(nothing.entities.is_empty());
    assert!(world.files().is_empty());
    world.write("ada", "buy milk").await;
    world.catch_up().await;
    let _lake = world.lake().await;
    let status = Status::of(&world.place(), &model()).await.unwrap();
    let task = status
        .entities
        .iter()
        .find(|one| one.entity == "Task")
        .unwrap();
    assert_eq!((task.files, task.rows, task.waiting), (1, Some(1), 0));
}

#[test]
fn what_is_no_folder_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for place in ["", "s3://bucket/lake", file.path().to_str().unwrap()] {
        assert!(
            matches!(Place::folder(place), Err(LakeError::Place { .. })),
            "{place}"
        );
    }
}
