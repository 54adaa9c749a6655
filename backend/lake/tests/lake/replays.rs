//! What comes again, and what was left unfinished.

use std::sync::Arc;

use serde_json::json;
use tablewright_stream::{Record, Shard};

use crate::support::World;

fn shard(name: &str) -> Shard {
    Shard {
        stream: String::from("arn:x/stream/2026-11-15T00:00:00.000"),
        shard: name.to_owned(),
    }
}

/// Changes of a task, told at a moment of a day.
pub(crate) fn record(sequence: u32, day: i64) -> Arc<Record> {
    let key = json!({ "PK": { "S": "TASK#ada" }, "SK": { "S": format!("TASK#{sequence}") } });
    let mut image = key.clone();
    image["Type"] = json!({ "S": "Task" });
    image["title"] = json!({ "S": format!("task {sequence}") });
    let change = json!({
        "eventID": format!("e{sequence}"),
        "dynamodb": {
            "Keys": key,
            "SequenceNumber": sequence.to_string(),
            "ApproximateCreationDateTime": day * 86_400,
            "NewImage": image,
        },
    });
    Arc::new(Record::of_lambda("todo-app-data", &change).unwrap())
}

fn records(sequences: std::ops::Range<u32>) -> Vec<Arc<Record>> {
    sequences.map(|sequence| record(sequence, 20_000)).collect()
}

fn padded(sequences: impl Iterator<Item = u32>) -> Vec<String> {
    sequences
        .map(|sequence| format!("{sequence:0>40}"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_again_in_other_portions_is_there_once() {
    let world = World::new().await;
    let lake = world.lake().await;
    let shard = shard("s1");
    lake.append(&shard, &records(1..10)).await.unwrap();
    lake.append(&shard, &records(5..12)).await.unwrap();
    drop(lake);
    let lake = world.lake().await;
    lake.append(&shard, &records(1..20)).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..20));
    // Numbers of another shard are others.
    lake.append(&self::shard("s2"), &records(1..3))
        .await
        .unwrap();
    assert_eq!(world.sequences().await.len(), 21);
}

// A consumer that loses its shard stops waiting; the file it had begun is written all the same, and must not be forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_any_more_is_there_once_as_well() {
    let world = World::new().await;
    let lake = world.lake().await;
    let shard = shard("s1");
    for first in (1..60).step_by(3) {
        // Whoever comes next begins where nothing was noted yet.
        let abandoned = records(1..first + 3);
        let abandoned = lake.append(&shard, &abandoned);
        let patience = std::time::Duration::from_micros(u64::from(first) * 40);
        let _ = tokio::time::timeout(patience, abandoned).await;
    }
    lake.append(&shard, &records(1..100)).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..100));
}

// A folder that cannot be written to for a while.
#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_written_comes_again_and_is_there_once() {
    let world = World::new().await;
    let lake = world.lake().await;
    let shard = shard("s1");
    lake.append(&shard, &records(1..5)).await.unwrap();
    let day = bronze_files(&world)[0].parent().unwrap().to_owned();
    let aside = day.with_file_name("aside");
    std::fs::rename(&day, &aside).unwrap();
    std::fs::write(&day, "no folder").unwrap();
    assert!(lake.append(&shard, &records(5..9)).await.is_err());
    std::fs::remove_file(&day).unwrap();
    std::fs::rename(&aside, &day).unwrap();
    lake.append(&shard, &records(3..12)).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..12));
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_do_not_come_in_order_leave_no_gap() {
    let world = World::new().await;
    let lake = world.lake().await;
    let days = [20_000, 20_001, 20_000, 20_001, 20_001];
    let told: Vec<Arc<Record>> = days
        .iter()
        .zip(1..)
        .map(|(day, n)| record(n, *day))
        .collect();
    lake.append(&shard("s1"), &told).await.unwrap();
    lake.append(&shard("s1"), &told).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..6));
}

// How far silver is of a shard is told by the last change of a file: one that is put together must not have changes from before it and after.
#[tokio::test(flavor = "multi_thread")]
async fn days_that_do_not_come_in_order_are_put_together_one_by_one() {
    let world = World::new().await;
    let lake = world.lake().await;
    lake.update(&world.store).await.unwrap();
    let shard = Shard {
        stream: world.stream().await,
        shard: String::from("s1"),
    };
    for days in [[20_000, 20_001], [20_000, 20_001], [20_001, 20_001]] {
        let begin = u32::try_from(world.sequences().await.len()).unwrap() + 1;
        let told = days.iter().zip(begin..).map(|(day, n)| record(n, *day));
        let told: Vec<Arc<Record>> = told.collect();
        lake.append(&shard, &told).await.unwrap();
    }
    let compacted = lake.compact(None).await.unwrap();
    assert_eq!((compacted.files, compacted.into), (2, 1));
    lake.update(&world.store).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..7));
    assert_eq!(world.silver("Task").await.len(), 6);
}

// While a day lasts its files are many: who reads them would open each.
#[tokio::test(flavor = "multi_thread")]
async fn very_small_files_of_today_are_put_together_when_they_are_many() {
    let world = World::new().await;
    let lake = world.lake().await;
    let shard = shard("s1");
    for number in 1..64 {
        lake.append(&shard, &records(number..number + 1))
            .await
            .unwrap();
    }
    let today = "2024-10-04";
    assert!(bronze_files(&world)[0].to_string_lossy().contains(today));
    assert_eq!(lake.compact(Some(today)).await.unwrap().files, 0);
    lake.append(&shard, &records(64..65)).await.unwrap();
    assert_eq!(lake.compact(Some(today)).await.unwrap().into, 1);
    assert_eq!(bronze_files(&world).len(), 1);
    lake.append(&shard, &records(60..70)).await.unwrap();
    assert_eq!(lake.compact(Some(today)).await.unwrap().files, 0);
    assert_eq!(lake.compact(None).await.unwrap().files, 2);
    assert_eq!(world.sequences().await, padded(1..70));
}

#[tokio::test(flavor = "multi_thread")]
async fn small_files_are_put_together_up_to_the_target() {
    let world = World::new().await;
    let lake = world.lake().await;
    for first in (1..100).step_by(10) {
        lake.append(&shard("s1"), &records(first..first + 10))
            .await
            .unwrap();
    }
    let before = bronze_files(&world);
    assert_eq!(before.len(), 10);
    let compacted = lake.compact(None).await.unwrap();
    assert_eq!((compacted.files, compacted.into), (10, 1));
    assert_eq!(world.sequences().await, padded(1..101));
    assert_eq!(lake.compact(None).await.unwrap().files, 0);
    // What comes afterwards goes on where the large file ends.
    lake.append(&shard("s1"), &records(90..105)).await.unwrap();
    assert_eq!(world.sequences().await, padded(1..105));
    drop(lake);

    let whole = std::fs::metadata(&bronze_files(&world)[0]).unwrap().len();
    let mut options = crate::support::quick();
    options.target = whole / 2;
    let place = world.place();
    let lake = tablewright_lake::Lake::open(&place, crate::support::model(), options);
    assert_eq!(lake.await.unwrap().compact(None).await.unwrap().files, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_broken_compaction_left_is_cleared_away() {
    let world = World::new().await;
    let lake = world.lake().await;
    lake.append(&shard("s1"), &records(1..10)).await.unwrap();
    lake.append(&shard("s1"), &records(10..20)).await.unwrap();
    let small = bronze_files(&world);
    let copies: Vec<(_, Vec<u8>)> = small
        .iter()
        .map(|file| (file, std::fs::read(file).unwrap()))
        .collect();
    lake.compact(None).await.unwrap();
    drop(lake);
    // As if the process had died before it removed them, and while it wrote another.
    for (file, bytes) in &copies {
        std::fs::write(file, bytes).unwrap();
    }
    let half = small[0].with_extension("parquet#1");
    std::fs::write(&half, "half").unwrap();
    assert_eq!(world.sequences().await.len(), 38);
    drop(world.lake().await);
    assert_eq!(world.sequences().await, padded(1..20));
    assert!(!half.exists());
}

fn bronze_files(world: &World) -> Vec<std::path::PathBuf> {
    let mut files = world.files();
    files.retain(|file| file.to_string_lossy().contains("bronze/entity=Task"));
    files.sort();
    files
}
