//! EventBridge, spoken to by a stand-in that answers as its API does: for the request, and for each of its entries.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_eventbridge::config::{BehaviorVersion, Config, Credentials, Region};
use serde_json::{Value, json};
use tablewright_stream::events::EventBridge;

use super::receiver::{Receiver, Sent};
use crate::support::{World, until};

fn settings(receiver: &Receiver) -> Config {
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "test"))
        .endpoint_url(&receiver.url)
        .retry_config(aws_sdk_eventbridge::config::retry::RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build()
}

fn entries(sent: &Sent) -> Vec<Value> {
    sent.json()["Entries"].as_array().unwrap().clone()
}

fn title_of(entry: &Value) -> String {
    let detail: Value = serde_json::from_str(entry["Detail"].as_str().unwrap()).unwrap();
    detail["user_id"].as_str().unwrap().to_owned()
}

fn answer(results: &[Value]) -> (u16, String) {
    let failed = results
        .iter()
        .filter(|result| result.get("ErrorCode").is_some());
    let body = json!({ "FailedEntryCount": failed.count(), "Entries": results });
    (200, body.to_string())
}

/// The ids of the entries that were taken.
fn taken(receiver: &Receiver, accepts: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let mut taken = Vec::new();
    for (number, sent) in receiver.sent().iter().enumerate() {
        for (place, entry) in entries(sent).iter().enumerate() {
            if accepts(number, place) {
                taken.push(title_of(entry));
            }
        }
    }
    taken
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_that_fail_are_sent_again_and_no_others() {
    let world = World::new().await;
    for number in 0..30 {
        world.complete(&format!("user-{number:02}"), "one").await;
    }
    // Of each of the first requests every third entry fails.
    let accepts = |number: usize, place: usize| number >= 4 || !place.is_multiple_of(3);
    let receiver = Receiver::new(move |number, sent| {
        assert_eq!(sent.header("x-amz-target"), "AWSEvents.PutEvents");
        let results: Vec<Value> = (0..entries(sent).len())
            .map(|place| match accepts(number, place) {
                true => json!({ "EventId": format!("{number}-{place}") }),
                false => json!({ "ErrorCode": "InternalFailure", "ErrorMessage": "not now" }),
            })
            .collect();
        answer(&results)
    })
    .await;
    let running = world.publish(EventBridge::new(settings(&receiver), "tasks"));
    until(|| taken(&receiver, accepts).len() >= 30).await;
    running.stop().await;

    let taken = taken(&receiver, accepts);
    let different: HashSet<&String> = taken.iter().collect();
    assert_eq!((taken.len(), different.len()), (30, 30), "each once");
    for sent in receiver.sent() {
        let entries = entries(&sent);
        assert!((1..=10).contains(&entries.len()), "{}", entries.len());
        assert_eq!(entries[0]["Source"], "todo");
        assert_eq!(entries[0]["DetailType"], "TaskCompleted");
        assert_eq!(entries[0]["EventBusName"], "tasks");
        assert!(entries[0]["Time"].is_number());
        let detail: Value = serde_json::from_str(entries[0]["Detail"].as_str().unwrap()).unwrap();
        assert_eq!(detail["_event"]["version"], 1);
    }
    let most = receiver.sent().iter().map(|sent| entries(sent).len()).max();
    assert!(
        most > Some(1),
        "what is there at the same time goes together"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bus_that_throttles_is_waited_for_and_an_entry_it_cannot_read_is_left() {
    let world = World::new().await;
    world.complete("ada", "one").await;
    let throttled = AtomicUsize::new(0);
    let receiver = Receiver::new(move |_, sent| {
        if throttled.fetch_add(1, Ordering::SeqCst) < 8 {
            let body = json!({ "__type": "ThrottlingException", "message": "Rate exceeded" });
            return (400, body.to_string());
        }
        let entries = entries(sent);
        let results = entries.iter().map(|entry| match title_of(entry).as_str() {
            "bad" => {
                json!({ "ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed." })
            }
            _ => json!({ "EventId": "1" }),
        });
        answer(&results.collect::<Vec<_>>())
    })
    .await;
    let running = world.publish(EventBridge::new(settings(&receiver), "tasks"));
    // More often than a record at fault would be tried.
    receiver.has(9).await;
    world.complete("bad", "two").await;
    let letters = world.dead(1).await;
    running.stop().await;
    assert_eq!(
        letters,
        ["EventBridge: MalformedDetail: Detail is malformed."]
    );
}
