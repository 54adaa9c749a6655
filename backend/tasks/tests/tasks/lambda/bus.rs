//! Events to a bus of EventBridge, by a function whose trigger is the stream.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tablewright_local::Engine;
use tablewright_testing::{Function, served};
use tokio::net::TcpListener;

use super::{changes, program};
use crate::support::{Api, Asks as _};

/// EventBridge, as far as `PutEvents` goes: what it was given, and whether it is away.
#[derive(Clone, Default)]
struct Bus(Arc<Mutex<(Vec<Value>, bool)>>);

impl Bus {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(put_events).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    fn is_away(&self, away: bool) {
        self.0.lock().unwrap().1 = away;
    }

    /// What it has taken, by kind, and forgets.
    fn taken(&self) -> Vec<String> {
        let taken = std::mem::take(&mut self.0.lock().unwrap().0);
        let kinds = taken.iter().map(|entry| {
            assert_eq!(entry["EventBusName"], "production-tasks");
            let detail: Value = serde_json::from_str(entry["Detail"].as_str().unwrap()).unwrap();
            assert!(detail["_event"]["id"].is_string(), "{detail}");
            entry["DetailType"].as_str().unwrap().to_owned()
        });
        kinds.collect()
    }
}

async fn put_events(State(bus): State<Bus>, headers: HeaderMap, body: Bytes) -> Response {
    assert_eq!(headers["x-amz-target"], "AWSEvents.PutEvents");
    let mut bus = bus.0.lock().unwrap();
    if bus.1 {
        let away = json!({ "__type": "InternalException", "message": "away" });
        return (StatusCode::INTERNAL_SERVER_ERROR, away.to_string()).into_response();
    }
    let sent: Value = serde_json::from_slice(&body).unwrap();
    let entries = sent["Entries"].as_array().unwrap();
    bus.0.extend_from_slice(entries);
    let ids = (0..entries.len()).map(|number| json!({ "EventId": number.to_string() }));
    let answer = json!({ "FailedEntryCount": 0, "Entries": ids.collect::<Vec<Value>>() });
    let headers = [("content-type", "application/x-amz-json-1.1")];
    (headers, answer.to_string()).into_response()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bus_is_told_by_a_function() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let admin = api.admin("456").await;
    let task = admin.task("Fix bug").await;
    admin.status(&task, "COMPLETED").await.expect(200);
    let event = changes(&api).await;

    let bus = Bus::default();
    let mut command = program(&["follow", "tasks-events-bus"], &endpoint, folder.path());
    command
        .env("TABLEWRIGHT_EVENTS_BUS", "production-tasks")
        .env("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.start().await)
        .env("AWS_REGION", "eu-central-1")
        .env("AWS_ACCESS_KEY_ID", "nobody")
        .env("AWS_SECRET_ACCESS_KEY", "nothing")
        .env("AWS_MAX_ATTEMPTS", "1");
    let mut function = Function::start(command).await;
    let handled = function.invoke(&event).await.unwrap();
    assert_eq!(handled, json!({ "batchItemFailures": [] }));
    let taken = bus.taken();
    assert!(taken.iter().any(|kind| kind == "TaskCreated"), "{taken:?}");
    assert!(
        taken.iter().any(|kind| kind == "TaskStatusUpdated"),
        "{taken:?}"
    );

    // The world is against it: Lambda gives it again.
    bus.is_away(true);
    let waits = function.invoke(&event).await.unwrap();
    assert_eq!(waits["batchItemFailures"].as_array().unwrap().len(), 1);
    assert!(bus.taken().is_empty());
    bus.is_away(false);
    let handled = function.invoke(&event).await.unwrap();
    assert_eq!(handled, json!({ "batchItemFailures": [] }));
    assert_eq!(bus.taken(), taken);
    assert!(function.invoke(&json!({ "Records": [{}] })).await.is_err());
}
