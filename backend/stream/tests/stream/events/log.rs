//! The log on this machine, and telling again what it has.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tablewright_stream::events::{Event, EventLog, Sink as _};

use crate::support::{World, until};

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

fn all(folder: &Path) -> Vec<Event> {
    let logged = EventLog::read(folder, Timestamp::UNIX_EPOCH, Timestamp::MAX).unwrap();
    logged.collect::<Result<_, _>>().unwrap()
}

fn event(id: &str, time: Timestamp) -> Event {
    Event {
        id: id.to_owned(),
        source: String::from("todo"),
        detail_type: String::from("TaskCompleted"),
        time,
        detail: json!({ "_event": { "id": id, "version": 1 } })
            .as_object()
            .unwrap()
            .clone(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_is_in_the_log_as_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new().await;
    let task = world.complete("ada", "one").await;
    world.write("bob", "not completed").await;
    world.complete("eve", "two").await;
    let running = world.publish(EventLog::open(folder.path(), WEEK).unwrap());
    until(|| all(folder.path()).len() == 2).await;
    running.stop().await;
    let events = all(folder.path());
    let ada = events
        .iter()
        .find(|event| event.detail["user_id"] == "ada")
        .unwrap();
    assert_eq!(ada.detail["task_id"], task.task_id.to_string());
    assert_eq!(ada.detail["completed_at"], 1_700_000_100);

    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/specs/jobs/todo/events/TaskCompleted.v1.schema.json"
    );
    let schema = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for event in &events {
        let told = serde_json::to_value(event).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&told)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{told:#}");
    }
    let mut other = serde_json::to_value(ada).unwrap();
    other["detail"]["task_id"] = json!(7);
    assert!(!validator.is_valid(&other));
}

/// After a crash events come again, and from a process that was thought dead at the same time as from the one that took over.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_written_once_however_often_and_by_whom_it_is_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let open = || EventLog::open(folder.path(), WEEK).unwrap();
    let (first, second) = (open(), open());
    let deliver = async |log: &EventLog, ids: [&str; 3]| {
        for id in ids {
            log.deliver(&event(id, Timestamp::now())).await.unwrap();
        }
    };
    deliver(&first, ["a", "b", "b"]).await;
    deliver(&second, ["b", "a", "c"]).await;
    deliver(&first, ["c", "d", "a"]).await;
    drop((first, second));
    let file = fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let begun = fs::OpenOptions::new().append(true).open(file.path());
    begun.unwrap().write_all(b"{\"id\":\"e").unwrap();
    deliver(&open(), ["d", "e", "e"]).await;
    let text = |file: fs::DirEntry| fs::read_to_string(file.path()).unwrap();
    let files = fs::read_dir(folder.path()).unwrap();
    let text: String = files.map(|file| text(file.unwrap())).collect();
    let lines = text.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line["id"].as_str().unwrap().to_owned())
    });
    assert_eq!(lines.collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
}

/// What was written down before a process was away for hours is known after it: the latest files are read, however old they are.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_written_once_however_long_nobody_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let deliver = async |ids: &[&str]| {
        let log = EventLog::open(folder.path(), WEEK).unwrap();
        for id in ids {
            log.deliver(&event(id, Timestamp::now())).await.unwrap();
        }
    };
    let files = || {
        let files = fs::read_dir(folder.path()).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    };
    deliver(&["a", "b"]).await;
    for path in files() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let hour: Timestamp = format!("{}:00:00Z", name.split('.').next().unwrap())
            .parse()
            .unwrap();
        let before = (hour - SignedDuration::from_hours(3)).strftime("%Y-%m-%dT%H");
        let older = name.replace(name.split('.').next().unwrap(), &before.to_string());
        fs::rename(&path, folder.path().join(older)).unwrap();
    }
    deliver(&["a", "b", "c"]).await;
    let text = files().into_iter();
    let text: String = text.map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_span_of_time_is_told_again_each_event_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = EventLog::open(folder.path(), WEEK).unwrap();
    let now = Timestamp::now();
    let ago = |minutes: i64| now - SignedDuration::from_mins(minutes);
    for (id, minutes) in [("a", 180), ("b", 20), ("b", 20), ("c", 10), ("d", 0)] {
        log.deliver(&event(id, ago(minutes))).await.unwrap();
    }
    let told = |from: Timestamp, until: Timestamp| -> Vec<String> {
        let logged = EventLog::read(folder.path(), from, until).unwrap();
        logged.map(|event| event.unwrap().id).collect()
    };
    assert_eq!(told(ago(60), ago(-1)), ["b", "c", "d"]);
    assert_eq!(told(ago(300), ago(10)), ["a", "b"]);
    assert_eq!(told(ago(20), ago(20)), [""; 0]);
    let nowhere = folder.path().join("nowhere");
    assert_eq!(EventLog::read(&nowhere, ago(9), now).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_was_begun_is_no_event_and_spoils_none() {
    let folder = tempfile::tempdir().unwrap();
    let log = EventLog::open(folder.path(), WEEK).unwrap();
    log.deliver(&event("a", Timestamp::now())).await.unwrap();
    let file = fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mut torn = fs::OpenOptions::new()
        .append(true)
        .open(file.path())
        .unwrap();
    torn.write_all(br#"{"id":"b","source":"to"#).unwrap();
    // As the process that comes after does.
    let log = EventLog::open(folder.path(), WEEK).unwrap();
    log.deliver(&event("c", Timestamp::now())).await.unwrap();
    let ids: Vec<String> = all(folder.path())
        .into_iter()
        .map(|event| event.id)
        .collect();
    assert_eq!(ids, ["a", "c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_old_is_forgotten_and_nothing_else_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let name = |age: SignedDuration| {
        let moment = Timestamp::now() - age;
        folder
            .path()
            .join(format!("{}.jsonl", moment.strftime("%Y-%m-%dT%H")))
    };
    let (old, young) = (
        name(SignedDuration::from_hours(24 * 9)),
        name(SignedDuration::from_hours(24 * 6)),
    );
    let notes = folder.path().join("notes.jsonl");
    for file in [&old, &young, &notes] {
        fs::write(file, "").unwrap();
    }
    let log = EventLog::open(folder.path(), WEEK).unwrap();
    log.deliver(&event("a", Timestamp::now())).await.unwrap();
    assert!(!old.exists());
    assert!(young.exists() && notes.exists());
}

/// What another process was cut off within ends no line of ours, though our file is open.
#[tokio::test(flavor = "multi_thread")]
async fn half_a_line_of_another_takes_no_event_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = EventLog::open(folder.path(), WEEK).unwrap();
    let deliver = async |id: &str| log.deliver(&event(id, Timestamp::now())).await.unwrap();
    deliver("a").await;
    for file in fs::read_dir(folder.path()).unwrap() {
        let cut = fs::OpenOptions::new()
            .append(true)
            .open(file.unwrap().path());
        cut.unwrap().write_all(b"{\"id\":\"of anoth").unwrap();
    }
    deliver("b").await;
    deliver("c").await;
    let ids: Vec<String> = all(folder.path())
        .into_iter()
        .map(|event| event.id)
        .collect();
    assert_eq!(ids, ["a", "b", "c"]);
}
