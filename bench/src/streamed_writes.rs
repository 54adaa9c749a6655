//! A write to a streamed table, when its stream is empty and when it holds many records.

use std::time::{Duration, Instant};

use anyhow::ensure;
use tablewright_local::Engine;

const RECORDS: usize = 50_000;

/// As many as BatchWriteItem takes.
const BATCH: usize = 25;

const WRITES: usize = 500;

const TABLE: &str = r#"{
    "TableName": "things",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
    "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
    "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" }
}"#;

/// Prints the median of both, and their ratio.
pub(crate) fn run() -> anyhow::Result<()> {
    println!("a write to a streamed table of the embedded engine");
    let engine = Engine::temporary()?;
    call(&engine, "CreateTable", TABLE)?;
    let empty = median(&engine)?;
    for batch in 0..RECORDS / BATCH {
        let puts: Vec<String> = (0..BATCH)
            .map(|n| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, item(batch * BATCH + n)))
            .collect();
        let body = format!(r#"{{"RequestItems":{{"things":[{}]}}}}"#, puts.join(","));
        call(&engine, "BatchWriteItem", &body)?;
    }
    let full = median(&engine)?;
    for (records, time) in [(0, empty), (RECORDS, full)] {
        let micros = time.as_secs_f64() * 1e6;
        println!("  {records:>6} records in the stream: {micros:>8.1} µs");
    }
    let ratio = full.as_secs_f64() / empty.as_secs_f64();
    println!("  ratio: {ratio:.1} (target: at most 2)\n");
    Ok(())
}

/// The same few items again and again, so that only the stream grows.
fn median(engine: &Engine) -> anyhow::Result<Duration> {
    let mut times = Vec::with_capacity(WRITES);
    for n in 0..WRITES {
        let body = format!(r#"{{"TableName":"things","Item":{}}}"#, item(n % BATCH));
        let start = Instant::now();
        call(engine, "PutItem", &body)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[WRITES / 2])
}

/// An item of some 200 bytes, one of as many as there are in a batch.
fn item(n: usize) -> String {
    let id = n % BATCH;
    let text = "x".repeat(180);
    format!(r#"{{"id":{{"S":"{id}"}},"n":{{"N":"{n}"}},"text":{{"S":"{text}"}}}}"#)
}

fn call(engine: &Engine, operation: &str, body: &str) -> anyhow::Result<()> {
    let reply = engine.dispatch(operation, body.as_bytes());
    ensure!(reply.status == 200, "{operation}: {}", reply.body);
    Ok(())
}
