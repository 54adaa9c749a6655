//! What an agent reads, it may rely on: it reads directly after it asked, and closes its books on what it reads.

use serde_json::{Value, json};
use tablewright_testing::{Sent, Wire};

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// S2-12, S2-15: the question and its answers, with every write that was acknowledged; also while one waits.
#[tokio::test]
async fn an_agent_reads_its_question_with_all_that_was_written() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let id = town.asks_for(1).await;
    let ada = town.somebody().await;
    ada.answers(&id, words(1)).await.expect(201);
    for wait in ["", "?wait=1"] {
        wire.take_sent();
        let path = format!("~/agent/questions/{id}{wait}");
        let read = town.agent.get(&path).await.expect(200).body;
        assert_eq!(read["status"], "CLOSED");
        assert_eq!(read["responses"].as_array().unwrap().len(), 1);
        let sent = wire.take_sent();
        let consistent = |operation: &str, table: &str| -> Vec<Value> {
            let of = sent.iter().filter(|sent| sent.operation == operation);
            of.filter(|sent| sent.body["TableName"] == table)
                .map(|sent| sent.body["ConsistentRead"].clone())
                .collect()
        };
        assert_eq!(consistent("GetItem", "aah-questions"), [json!(true)]);
        assert_eq!(consistent("Query", "aah-responses"), [json!(true)]);
    }
}

/// What a person has done a moment ago is known: what they answered is not in their feed, and their new device can be changed.
#[tokio::test]
async fn a_person_meets_what_they_have_just_done() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    town.asks_for(1).await;
    let ada = town.somebody().await;
    wire.take_sent();
    ada.get("/questions").await.expect(200);
    let sent = wire.take_sent();
    let batch = sent.iter().find(|sent| sent.operation == "BatchGetItem");
    let asked = &batch.unwrap().body["RequestItems"]["aah-responses"];
    assert_eq!(asked["ConsistentRead"], json!(true));
    let device = json!({ "fcm_token": "phone" });
    let made = ada.post("/push/subscriptions", device).await.expect(201);
    let path = format!("/push/subscriptions/{}", made.text_of("subscription_id"));
    wire.take_sent();
    let seldom = json!({ "min_interval_minutes": 60 });
    let changed = ada.send(http::Method::PUT, &path, Some(seldom)).await;
    changed.expect(200);
    let sent = wire.take_sent();
    let of = |sent: &&Sent| sent.body["TableName"] == "aah-subscriptions";
    let first = sent.iter().find(of).unwrap();
    assert_eq!(first.body["ConsistentRead"], json!(true));
}

/// An admin makes an agent known, and a key for it in the same moment.
#[tokio::test]
async fn an_agent_that_was_made_known_just_now_gets_a_key() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let admin = town.api.admin();
    admin.put("~/admin/agents/new", json!({})).await.expect(200);
    wire.take_sent();
    let label = json!({ "label": "first" });
    let made = admin.post("~/admin/agents/new/keys", label).await;
    let hash = made.expect(201).text_of("key_hash").to_owned();
    let path = format!("~/admin/agents/new/keys/{hash}");
    admin.delete(&path).await.expect(204);
    let sent = wire.take_sent();
    // What decides is the first read of each; what a change is applied to is judged by the change.
    for table in ["aah-agents", "aah-agent-keys"] {
        let of = |sent: &&Sent| sent.operation == "GetItem" && sent.body["TableName"] == table;
        let first = sent.iter().find(of).unwrap();
        assert_eq!(first.body["ConsistentRead"], json!(true), "{table}");
    }
    assert!(
        sent.iter().all(|sent| sent.operation != "Query"),
        "no index is asked, which may not know the key yet: {sent:?}"
    );
}
