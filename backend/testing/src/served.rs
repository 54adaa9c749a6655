//! The engine as several programs reach it.

use serde_json::{Value, json};
use tablewright_local::Engine;
use tokio::net::TcpListener;

/// Serves an engine on loopback, and gives its address.
pub async fn served(engine: &Engine) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let serving = tablewright_local::serve(engine.clone(), listener, std::future::pending());
    tokio::spawn(serving);
    endpoint
}

/// Records of a table's stream as an event of AWS Lambda.
pub fn stream_event(table: &str, records: &[Value]) -> Value {
    let arn = format!(
        "arn:aws:dynamodb:eu-central-1:123456789012:table/{table}/stream/2026-11-16T05:00:00.000"
    );
    let records = records.iter().cloned().map(|mut record| {
        record["eventVersion"] = json!("1.1");
        record["eventSource"] = json!("aws:dynamodb");
        record["awsRegion"] = json!("eu-central-1");
        record["eventSourceARN"] = json!(arn);
        record["dynamodb"]["StreamViewType"] = json!("NEW_AND_OLD_IMAGES");
        record
    });
    json!({ "Records": records.collect::<Vec<Value>>() })
}
