//! Webhooks: signed, sent again when it could not be, and left when it is not wanted.

use std::time::SystemTime;

use tablewright_stream::events::{Secret, Webhook};

use super::receiver::Receiver;
use crate::support::World;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const FORMER: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

fn secret(text: &str) -> Secret {
    text.parse().unwrap()
}

/// S1-24 and S1-40 by a way the document does not have: what was written is told to whoever wants to know.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_sent_signed_until_it_is_taken() {
    let world = World::new().await;
    let task = world.complete("ada", "one").await;
    let receiver = Receiver::new(|number, _| match number {
        0 => (500, String::new()),
        1 => (401, String::from("I know another secret yet")),
        _ => (204, String::new()),
    })
    .await;
    let webhook = Webhook::new(&receiver.url, vec![secret(SECRET), secret(FORMER)]);
    let running = world.publish(webhook);
    receiver.has(3).await;
    running.stop().await;

    let sent = receiver.sent();
    assert_eq!(sent.len(), 3, "taken once, it does not come again");
    assert_eq!(sent[0].body, sent[2].body, "it is the same event");
    let event = sent[2].json();
    assert_eq!(event["detail-type"], "TaskCompleted");
    assert_eq!(event["detail"]["task_id"], task.task_id.to_string());
    assert_eq!(event["id"], event["detail"]["_event"]["id"]);
    assert_eq!(sent[2].header("webhook-id"), event["id"].as_str().unwrap());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    for known in [SECRET, FORMER] {
        let believed = secret(known).verify(
            sent[2].header("webhook-id"),
            sent[2].header("webhook-timestamp"),
            sent[2].header("webhook-signature"),
            &sent[2].body,
            now.as_ref().unwrap().as_secs(),
        );
        assert_eq!(believed, Ok(()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_refused_becomes_a_dead_letter_and_the_next_one_comes() {
    let world = World::new().await;
    world.complete("ada", "refused").await;
    let refused = Receiver::new(|number, _| match number {
        0..5 => (422, String::new()),
        _ => (200, String::new()),
    })
    .await;
    let running = world.publish(Webhook::new(&refused.url, vec![secret(SECRET)]));
    let letters = world.dead(1).await;
    assert_eq!(letters, ["the webhook answered with status 422"]);
    world.complete("bob", "taken").await;
    refused.has(6).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_lead_nowhere() {
    let world = World::new().await;
    world.complete("ada", "one").await;
    let elsewhere = Receiver::new(|_, _| (200, String::new())).await;
    let receiver = Receiver::new(|number, _| {
        if number < 3 {
            (302, String::new())
        } else {
            (200, String::new())
        }
    })
    .await;
    let running = world.publish(Webhook::new(&receiver.url, vec![secret(SECRET)]));
    receiver.has(4).await;
    running.stop().await;
    assert!(elsewhere.sent().is_empty());
}
