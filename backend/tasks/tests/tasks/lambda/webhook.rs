//! Events to a webhook, by a function whose trigger is the stream.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tablewright_local::Engine;
use tablewright_stream::DeadLetters;
use tablewright_stream::events::Secret;
use tablewright_testing::{Function, served};
use tokio::net::TcpListener;

use super::{changes, program, sequence};
use crate::support::{Api, Asks as _};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Somebody who takes events, and answers as told.
#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<Desk>>);

#[derive(Default)]
struct Desk {
    taken: Vec<Value>,
    /// What it answers to events of a kind it does not take.
    refuses: Option<(&'static str, u16)>,
}

impl Receiver {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let router = Router::new().fallback(receive).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    fn refuses(&self, refuses: Option<(&'static str, u16)>) {
        self.0.lock().unwrap().refuses = refuses;
    }

    /// What it has taken, by kind, and forgets.
    fn taken(&self) -> Vec<String> {
        let taken = std::mem::take(&mut self.0.lock().unwrap().taken);
        let kinds = taken.iter().map(|event| event["detail-type"].as_str());
        kinds.map(|kind| kind.unwrap().to_owned()).collect()
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers[name].to_str().unwrap();
    let (id, moment) = (header("webhook-id"), header("webhook-timestamp"));
    let secret: Secret = SECRET.parse().unwrap();
    let now = moment.parse().unwrap();
    let signed = secret.verify(id, moment, header("webhook-signature"), &body, now);
    let event: Value = serde_json::from_slice(&body).unwrap();
    if signed.is_err() || event["id"] != id {
        return StatusCode::UNAUTHORIZED;
    }
    let mut desk = receiver.0.lock().unwrap();
    if let Some((_, status)) = desk
        .refuses
        .filter(|(kind, _)| event["detail-type"] == *kind)
    {
        return StatusCode::from_u16(status).unwrap();
    }
    desk.taken.push(event);
    StatusCode::NO_CONTENT
}

/// The sequence number of the first record that is reported.
fn reported(answer: &Value) -> Option<&str> {
    answer["batchItemFailures"][0]["itemIdentifier"].as_str()
}

/// S1-33: events come signed and in the order of their task. While the receiver is down nothing after the first is sent, and it is reported; what it understands and refuses is a dead letter, and what comes after it is sent in the same call.
#[tokio::test(flavor = "multi_thread")]
async fn events_come_to_a_webhook_by_a_function() {
    let (engine, folder) = (Engine::temporary().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = served(&engine).await;
    let api = Api::on(engine, folder.path()).await;
    let admin = api.admin("456").await;
    let task = admin.task("Fix bug").await;
    admin.status(&task, "COMPLETED").await.expect(200);
    admin.close(&task).await.expect(200);
    let event = changes(&api).await;

    let receiver = Receiver::default();
    let url = receiver.start().await;
    let mut command = program(
        &["follow", "tasks-events-webhook"],
        &endpoint,
        folder.path(),
    );
    command.env("TABLEWRIGHT_EVENTS_WEBHOOK", format!("{url} {SECRET}"));
    let mut function = Function::start(command).await;

    receiver.refuses(Some(("TaskStatusUpdated", 503)));
    let answer = function.invoke(&event).await.unwrap();
    let first = reported(&answer).expect("the receiver is down");
    assert_eq!(receiver.taken(), ["UserJoined", "TaskCreated"]);

    // Lambda sends what was reported, and all after it.
    let mut rest = event.clone();
    let records = rest["Records"].as_array_mut().unwrap();
    records.retain(|record| sequence(record) >= format!("{first:0>40}"));
    receiver.refuses(None);
    let all = json!({ "batchItemFailures": [] });
    assert_eq!(function.invoke(&rest).await, Ok(all.clone()));
    assert_eq!(receiver.taken(), ["TaskStatusUpdated", "TaskClosed"]);

    receiver.refuses(Some(("TaskStatusUpdated", 422)));
    assert_eq!(function.invoke(&rest).await, Ok(all));
    assert_eq!(receiver.taken(), ["TaskClosed"]);
    let letters = DeadLetters::new(api.tasks.store()).of("tasks-events-webhook");
    let letters = letters.all().collect().await.unwrap();
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert!(letters[0].error.contains("422"), "{letters:?}");
}
