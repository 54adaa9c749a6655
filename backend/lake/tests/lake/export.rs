//! Silver from an export of the table: what following every change gave.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use aws_sdk_dynamodb::types::TableDescription;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tablewright::Item;
use tablewright_lake::{Export, LakeError, Place, Rebuilt};
use tablewright_stream::image_to_json;
use tempfile::TempDir;

use crate::bronze::{answered, user};
use crate::support::{Rows, World, agree};

const TABLE: &str = "todo-app-data";
const ENTITIES: [&str; 4] = ["User", "Task", "TaskCounts", "Idempotency"];

/// An export as DynamoDB writes it, in a folder.
pub(crate) struct Exported {
    folder: TempDir,
}

impl Exported {
    /// Of the table as it is now: three files, and that of a partition without items.
    pub(crate) async fn of(world: &World) -> Self {
        let scan = world.store.client().scan().table_name(TABLE);
        let mut items = scan.consistent_read(true).into_paginator().items().send();
        let mut files: [Vec<Item>; 3] = Default::default();
        let mut many = 0;
        while let Some(item) = items.next().await {
            files[many % 3].push(item.unwrap());
            many += 1;
        }
        let exported = Exported {
            folder: TempDir::new().unwrap(),
        };
        std::fs::create_dir(exported.path("data")).unwrap();
        let mut listed = String::new();
        for (number, items) in files.iter().enumerate() {
            let name = format!("sqbfbxuxyy3rjog{number}.json.gz");
            let lines = items
                .iter()
                .map(|item| json!({ "Item": image_to_json(item) }));
            let lines: String = lines.map(|line| format!("{line}\n")).collect();
            std::fs::write(exported.path(&format!("data/{name}")), zipped(&lines)).unwrap();
            listed += &line(&name, items.len());
        }
        std::fs::write(exported.path("data/empty.json.gz"), "").unwrap();
        listed += &line("empty.json.gz", 0);
        std::fs::write(exported.path("manifest-files.json"), listed).unwrap();
        let described = described(world).await;
        exported.say(&json!({
            "version": "2023-08-01",
            "tableArn": described.table_arn,
            "tableId": described.table_id,
            "exportTime": jiff::Timestamp::from_millisecond(world.store.now_millis()).unwrap().to_string(),
            "s3Bucket": "exports",
            "s3Prefix": "2026-Nov",
            "manifestFilesS3Key": "2026-Nov/AWSDynamoDB/01693685827463-2d8752fd/manifest-files.json",
            "itemCount": many,
            "outputFormat": "DYNAMODB_JSON",
            "exportType": "FULL_EXPORT",
        }));
        exported
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn said(&self) -> Value {
        let text = std::fs::read_to_string(self.path("manifest-summary.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn say(&self, summary: &Value) {
        let text = summary.to_string();
        std::fs::write(self.path("manifest-summary.json"), text).unwrap();
    }

    fn with(&self, name: &str, value: Value) {
        let mut said = self.said();
        said[name] = value;
        self.say(&said);
    }

    async fn open(&self) -> Result<Export, LakeError> {
        Export::open(&Place::folder(self.folder.path()).unwrap()).await
    }

    pub(crate) async fn rebuild(&self, world: &World) -> Result<Vec<Rebuilt>, LakeError> {
        let exports = [self.open().await?];
        let lake = world.lake().await;
        lake.rebuild_from(&world.store, &exports).await
    }
}

fn line(name: &str, items: usize) -> String {
    let key = format!("2026-Nov/AWSDynamoDB/01693685827463-2d8752fd/data/{name}");
    let line = json!({ "itemCount": items, "md5Checksum": "sQMSpEILNgoQmarvDFonGQ==", "etag": "af83", "dataFileS3Key": key });
    format!("{line}\n")
}

fn zipped(text: &str) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::default());
    to.write_all(text.as_bytes()).unwrap();
    to.finish().unwrap()
}

async fn described(world: &World) -> TableDescription {
    let described = world.store.client().describe_table().table_name(TABLE);
    described.send().await.unwrap().table.unwrap()
}

async fn all_silver(world: &World) -> Vec<Rows> {
    let mut all = Vec::new();
    for entity in ENTITIES {
        all.push(world.silver(entity).await);
    }
    all
}

// S0-50: a rebuild from a table export equals the incremental result.
#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_from_an_export_is_what_following_gave() {
    let world = World::new().await;
    world.follow_until(0).await;
    world.todo.users.items().insert(user("ada")).await.unwrap();
    let idempotencies = world.todo.idempotencies.items();
    idempotencies.insert(answered("{}")).await.unwrap();
    let mut tasks = Vec::new();
    for number in 0..30 {
        tasks.push(world.write("ada", &format!("task {number}")).await);
    }
    world.catch_up().await;
    let exported = Exported::of(&world).await;
    // What happens after the export is in bronze, and nowhere in it.
    for task in &tasks[..10] {
        world.rename(task, "renamed after the export").await;
        world.rename(task, "and again").await;
    }
    for task in &tasks[10..15] {
        world.rename(task, "gone soon").await;
        world.remove(task).await;
    }
    world.write("grace", "new").await;
    world.catch_up().await;
    let followed = all_silver(&world).await;
    assert_eq!(followed[1].len(), 26);

    std::fs::remove_dir_all(world.folder.path().join("todo/silver")).unwrap();
    let rebuilt = exported.rebuild(&world).await.unwrap();
    assert_eq!(rebuilt.iter().map(|one| one.rows).sum::<u64>(), 30);
    assert_eq!(all_silver(&world).await, followed);

    // From there it is followed as if nothing had been.
    world.rename(&tasks[20], "later").await;
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// What bronze has from before the export does not undo it.
#[tokio::test(flavor = "multi_thread")]
async fn a_lake_that_begins_with_an_export_goes_on_from_there() {
    let world = World::new().await;
    let task = world.write("ada", "before").await;
    let exported = Exported::of(&world).await;
    world.rename(&task, "after").await;
    exported.rebuild(&world).await.unwrap();
    let silver = world.silver("Task").await;
    assert_eq!(silver.values().next().unwrap()["title"], "before");
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// What bronze has of the last minutes before the export, and nothing of what came after it, undoes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_lake_did_not_hear_before_an_export_stays_done() {
    let world = World::new().await;
    let gone = world.write("ada", "gone soon").await;
    let renamed = world.write("ada", "heard of").await;
    world.catch_up().await;
    world.remove(&gone).await;
    world.rename(&renamed, "not heard of").await;
    let exported = Exported::of(&world).await;
    exported.rebuild(&world).await.unwrap();
    agree(&world.silver("Task").await, &world.tasks().await);
    // Also when it is looked at before the streams are read.
    let lake = world.lake().await;
    lake.update(&world.store).await.unwrap();
    drop(lake);
    agree(&world.silver("Task").await, &world.tasks().await);
    world.write("ada", "later").await;
    world.catch_up().await;
    agree(&world.silver("Task").await, &world.tasks().await);
}

// Of who was killed nobody knows which changes it has from about then.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_shortly_after_a_kill_is_refused() {
    let world = World::new().await;
    world.write("ada", "there").await;
    world.catch_up().await;
    let known = world.folder.path().join("todo/_lake/lake.json");
    let text = std::fs::read_to_string(&known).unwrap();
    let mut identity: Value = serde_json::from_str(&text).unwrap();
    identity["is_followed"] = json!(true);
    std::fs::write(&known, identity.to_string()).unwrap();
    let exported = Exported::of(&world).await;
    let why = exported.rebuild(&world).await.unwrap_err().to_string();
    assert!(why.contains("was last heard of at"), "{why}");
    world.catch_up().await;
    exported.rebuild(&world).await.unwrap();
    agree(&world.silver("Task").await, &world.tasks().await);
}

// A lake that began to follow more than a day after the export lacks what happened between.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_with_a_gap_after_it_is_refused() {
    let world = World::new().await;
    world.write("ada", "there").await;
    world.catch_up().await;
    let exported = Exported::of(&world).await;
    world.catch_up().await;
    let known = world.folder.path().join("todo/_lake/lake.json");
    let text = std::fs::read_to_string(&known).unwrap();
    let mut identity: Value = serde_json::from_str(&text).unwrap();
    identity["unbroken_since"] = json!(world.store.now_millis());
    std::fs::write(&known, identity.to_string()).unwrap();
    let why = exported.rebuild(&world).await.unwrap_err().to_string();
    assert!(why.contains("the lake has every change since"), "{why}");
}

// Whatever is wrong with an export is said, and the lake stays as it is.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_cannot_be_read_changes_nothing() {
    type Spoil = fn(&Exported);
    let world = World::new().await;
    for number in 0..9 {
        world.write("ada", &format!("task {number}")).await;
    }
    world.catch_up().await;
    let before = all_silver(&world).await;
    let first = "data/sqbfbxuxyy3rjog0.json.gz";
    assert!(Exported::of(&world).await.path(first).exists());
    let spoiled: [(&str, Spoil); 12] = [
        ("which has changes and not the table", |export| {
            export.with("exportType", json!("INCREMENTAL_EXPORT"));
        }),
        ("in the format ION", |export| {
            export.with("outputFormat", json!("ION"));
        }),
        ("it is of the table other", |export| {
            export.with(
                "tableArn",
                json!("arn:aws:dynamodb:eu-central-1:1:table/other"),
            );
        }),
        ("the lake follows", |export| {
            export.with(
                "tableArn",
                json!("arn:aws:dynamodb:eu-central-1:1:table/todo-app-data"),
            );
        }),
        ("they are not of one export", |export| {
            export.with("itemCount", json!(3));
        }),
        ("is missing, which manifest-files.json names", |export| {
            std::fs::remove_file(export.path("data/sqbfbxuxyy3rjog1.json.gz")).unwrap();
        }),
        ("ends too early", |export| truncate(export, 20)),
        ("ends too early", |export| truncate(export, 0)),
        ("cannot be read", |export| {
            std::fs::write(
                export.path("data/sqbfbxuxyy3rjog0.json.gz"),
                "no gzip at all",
            )
            .unwrap();
        }),
        ("and its manifest says", |export| {
            std::fs::write(export.path("data/sqbfbxuxyy3rjog0.json.gz"), zipped("")).unwrap();
        }),
        ("no `Item`", |export| {
            let line = zipped("{\"Keys\":{}}\n");
            std::fs::write(export.path("data/sqbfbxuxyy3rjog0.json.gz"), line).unwrap();
        }),
        ("it has begun and is not complete", |export| {
            std::fs::remove_file(export.path("manifest-summary.json")).unwrap();
            std::fs::write(export.path("_started"), "").unwrap();
        }),
    ];
    for (expected, spoil) in spoiled {
        let exported = Exported::of(&world).await;
        spoil(&exported);
        let why = exported.rebuild(&world).await.unwrap_err().to_string();
        assert!(why.contains(expected), "{expected}: {why}");
        assert_eq!(all_silver(&world).await, before, "{expected}");
    }
    let nowhere = Place::folder(Path::new("/nowhere/at/all")).unwrap();
    assert!(Export::open(&nowhere).await.is_err());
    let other = TempDir::new().unwrap();
    let other = Export::open(&Place::folder(other.path()).unwrap()).await;
    let why = other.unwrap_err().to_string();
    assert!(why.contains("name the folder that has it"), "{why}");
}

/// Leaves so many bytes at the end of the first file away; all but the first few for none.
fn truncate(export: &Exported, end: usize) {
    let path = export.path("data/sqbfbxuxyy3rjog0.json.gz");
    let bytes = std::fs::read(&path).unwrap();
    let kept = if end == 0 { 5 } else { bytes.len() - end };
    std::fs::write(&path, &bytes[..kept]).unwrap();
}

// More than one piece of a file, and more than is told at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_is_read_piece_by_piece() {
    let world = World::new().await;
    world.write("ada", "there").await;
    let exported = Exported::of(&world).await;
    let items = 9000;
    let lines = (0..items).map(|number| {
        // What does not become smaller.
        let text: String = (0..60).map(|_| tablewright::Ulid::new().to_string()).collect();
        let item = json!({
            "PK": { "S": "TASK#ada" }, "SK": { "S": format!("TASK#{number:026}") }, "Type": { "S": "Task" }, "title": { "S": text },
        });
        format!("{}\n", json!({ "Item": item }))
    });
    let lines: String = lines.collect();
    let bytes = zipped(&lines);
    assert!(bytes.len() > 5 << 20, "{}", bytes.len());
    std::fs::write(exported.path("data/large.json.gz"), bytes).unwrap();
    std::fs::write(
        exported.path("manifest-files.json"),
        line("large.json.gz", items),
    )
    .unwrap();
    exported.with("itemCount", json!(items));
    let rebuilt = exported.rebuild(&world).await.unwrap();
    let tasks = rebuilt.iter().find(|one| one.entity == "Task").unwrap();
    assert_eq!(tasks.rows, items as u64);
}
