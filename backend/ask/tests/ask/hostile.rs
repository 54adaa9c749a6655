//! Forged tokens, and texts that look like something else.

use ask::model::Response;
use serde_json::json;

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// S2-26, C2-11: a person is whom the service made, and nobody else.
#[tokio::test]
async fn nobody_chooses_who_they_are() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(3).await;
    let ada = town.somebody().await;
    let token = ada.caller.token.clone().unwrap();
    let opened = ada.opens(&id).await;
    let body = json!({ "question_id": id, "opened": opened, "answer": "I am somebody else" });
    let nobody = town.api.nobody();
    let changed = format!("{}A", &token[..token.len() - 1]);
    let changed = if changed == token {
        format!("{}B", &token[..token.len() - 1])
    } else {
        changed
    };
    let forged = [
        None,
        Some(String::from("aahp_")),
        Some(String::from("aahp_me")),
        Some(changed),
        Some(token[5..].to_owned()),
        town.agent.token.clone(),
    ];
    for forged in forged {
        let caller = nobody.bearing(forged);
        caller
            .post("~/human/responses", body.clone())
            .await
            .problem(401, "unauthenticated");
        for path in [
            "questions",
            "stats",
            "responses",
            "leaderboard",
            "push/subscriptions",
        ] {
            caller
                .get(&format!("~/human/{path}"))
                .await
                .problem(401, "unauthenticated");
        }
    }
    assert_eq!(town.api.stored::<Response>().await, []);
    // What is stored does not give the token away.
    town.clock.forward(60);
    ada.responds(&id, &opened, words(1)).await.expect(201);
    let stored = town.api.stored::<Response>().await.remove(0);
    assert!(!token.contains(&stored.fingerprint_hash));
}

/// What people write is text and nothing else, whatever it looks like.
#[tokio::test]
async fn hostile_texts_come_back_as_they_were() {
    let town = Town::at(NOON).await;
    for (number, text) in [
        "<script>alert(1)</script>",
        "\"; DROP TABLE aah-questions; --",
        "#{question_id}#",
        "\u{202e}right to left",
        "🦆".repeat(5000).as_str(),
        "{{7*7}} ${7*7} %s %n",
        "a\r\nSet-Cookie: x=1",
    ]
    .iter()
    .enumerate()
    {
        let id = town.asks_for(1).await;
        let ada = town.somebody().await;
        town.clock.forward(60);
        ada.answers(&id, json!({ "answer": text }))
            .await
            .expect(201);
        let read = town
            .agent
            .get(&format!("~/agent/questions/{id}"))
            .await
            .expect(200);
        assert_eq!(read.body["responses"][0]["answer"], json!(text), "{number}");
        assert_eq!(read.header("content-type"), Some("application/json"));
        assert_eq!(
            ada.get("/responses").await.expect(200).body["items"][0]["answer"],
            json!(text)
        );
    }
    town.agrees().await;
}
