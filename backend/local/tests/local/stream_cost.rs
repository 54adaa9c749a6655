//! A write to a streamed table costs the same whatever its stream holds. The engine reads every record without the index
//! that is made at opening; what is held here is the work, not the time. `cargo xtask bench` has the time.

use std::path::Path;

use rusqlite::{Connection, StatementStatus};
use tablewright_local::Engine;

use crate::tables;

const RECORDS: i64 = 50_000;

/// What the engine asks with every write to a streamed table.
const LAST_SEQUENCE_NUMBER: &str = "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 \
     FROM _stream_records WHERE table_name = ?1";

/// What it asks with every GetRecords.
const NEXT_RECORDS: &str = "SELECT event_name, keys_json, new_image, old_image, sequence_number, created_at, \
     user_identity, event_id FROM _stream_records \
     WHERE table_name = ?1 AND shard_id = 'shardId-00000001-things' AND CAST(sequence_number AS INTEGER) > 25000 \
     ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT 10";

const INDEXES: [&str; 2] = [
    "tablewright_stream_by_sequence",
    "tablewright_stream_by_age",
];

fn database(directory: &Path) -> Connection {
    Connection::open(directory.join("dynamodb.sqlite")).unwrap()
}

/// Fills the stream as the engine would, only faster.
fn fill(directory: &Path) {
    let image = "x".repeat(200);
    let inserted = database(directory)
        .execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
             INSERT INTO _stream_records
                 (table_name, event_name, keys_json, new_image, sequence_number, shard_id, created_at, event_id)
             SELECT 'things', 'INSERT', '{}', ?2, CAST(n AS TEXT), 'shardId-00000001-things', unixepoch(), 'e' || n
             FROM numbers",
            (RECORDS, image),
        )
        .unwrap();
    assert_eq!(inserted, 50_000);
}

/// The steps SQLite takes to answer.
fn steps(directory: &Path, sql: &str) -> i32 {
    let database = database(directory);
    let mut statement = database.prepare(sql).unwrap();
    let mut rows = statement.query(["things"]).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    statement.get_status(StatementStatus::VmStep)
}

/// The bytes this thread has read, where the system tells.
fn bytes_read() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("rchar: "))?;
    line.parse().ok()
}

/// The bytes the engine itself reads for a write, after some that fill its cache.
fn bytes_per_write(engine: &Engine) -> Option<u64> {
    let write = |n: u64| {
        let body = format!(r#"{{"TableName":"things","Item":{{"id":{{"S":"{n}"}}}}}}"#);
        assert_eq!(engine.dispatch("PutItem", body.as_bytes()).status, 200);
    };
    (0..20).for_each(write);
    let before = bytes_read()?;
    (0..20).for_each(write);
    Some((bytes_read()? - before) / 20)
}

#[tokio::test]
async fn a_write_costs_the_same_with_50_000_records_in_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    tables::create(&engine.dynamodb(), "things").await;
    let bytes_at_first = bytes_per_write(&engine);
    let steps_at_first = steps(folder.path(), LAST_SEQUENCE_NUMBER);
    drop(engine);
    fill(folder.path());

    let engine = Engine::open(folder.path()).unwrap();
    let bytes = bytes_per_write(&engine);
    assert_eq!(steps(folder.path(), LAST_SEQUENCE_NUMBER), steps_at_first);
    assert!(steps(folder.path(), NEXT_RECORDS) < 500);
    if let (Some(at_first), Some(bytes)) = (bytes_at_first, bytes) {
        assert!(
            bytes <= at_first + 64 * 1024,
            "{at_first} B, then {bytes} B"
        );
    }

    // Without the indexes the same measures show what they are for.
    for index in INDEXES {
        database(folder.path())
            .execute_batch(&format!("DROP INDEX {index}"))
            .unwrap();
    }
    assert!(steps(folder.path(), LAST_SEQUENCE_NUMBER) > 50_000);
    assert!(steps(folder.path(), NEXT_RECORDS) > 50_000);
    if let Some(bytes) = bytes_per_write(&engine) {
        assert!(bytes > 1024 * 1024, "{bytes} B");
    }
}
