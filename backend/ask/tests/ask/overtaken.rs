//! Answers whose reply was lost, and answers that others overtook.

use ask::model::{Question, Response};
use serde_json::json;
use tablewright_local::Engine;
use tablewright_testing::{Fault, Wire};

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// The database has stored an answer, and its reply is lost: the answer is known again by its id, and is there once.
#[tokio::test]
async fn an_answer_whose_reply_was_lost_is_known_again() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let id = town.asks_for(2).await;
    let ada = town.somebody().await;
    let opened = ada.opens(&id).await;
    town.clock.forward(180);
    wire.take_sent();
    // The same transaction happens, and then it arrives again under another token.
    let watched = wire.clone();
    let stored_before = move |engine: &Engine| {
        let mut body = watched.take_sent().pop().unwrap().body;
        body.as_object_mut().unwrap().remove("ClientRequestToken");
        let reply = engine.dispatch("TransactWriteItems", body.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    let faults = [Fault::Throttle, Fault::After(Box::new(stored_before))];
    wire.plan("TransactWriteItems", faults);
    let told = ada.responds(&id, &opened, words(1)).await.expect(201);
    assert_eq!(
        (&told.body["points_earned"], &told.body["total_points"]),
        (&json!(15), &json!(15))
    );
    assert_eq!(told.body["new_badges"][0]["badge"], "first_steps");
    let stored = town.api.stored::<Response>().await;
    assert_eq!(stored.len(), 1);
    assert_eq!(
        told.text_of("response_id"),
        stored[0].response_id.to_string()
    );
    town.agrees().await;
}

/// The reply is lost, and then nobody can look whether it is stored: that is told, and not that nothing was done.
#[tokio::test]
async fn what_nobody_can_look_at_is_not_told_as_not_done() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let id = town.asks_for(9).await;
    let broken = || {
        let then = wire.clone();
        let denied = move || then.plan("GetItem", (0..60).map(|_| Fault::Deny));
        wire.plan("TransactWriteItems", [Fault::Lost(Box::new(denied))]);
        wire.plan("TransactWriteItems", (0..60).map(|_| Fault::Throttle));
    };
    let ada = town.somebody().await;
    let opened = ada.opens(&id).await;
    broken();
    let told = ada.responds(&id, &opened, words(1)).await;
    told.problem(503, "uncertain");
    wire.forget_faults();
    assert_eq!(town.api.stored::<Response>().await.len(), 1, "it was done");
    // The page says so, too.
    let bob = town.somebody().await;
    let opened = bob.opens(&id).await;
    broken();
    let form = format!("opened={opened}&answer=Porridge");
    let told = bob.sends(&format!("/questions/{id}"), &form).await;
    wire.forget_faults();
    assert_eq!(told.status, 503);
    assert!(
        told.text.contains("It is not known whether"),
        "{}",
        told.text
    );
    assert!(!told.text.contains("Nothing was done"), "{}", told.text);
    assert_eq!(town.api.stored::<Response>().await.len(), 2);
    town.agrees().await;
}

/// Somebody else is faster between what was seen and what is written: the answer is tried again, and counts from what is there then.
#[tokio::test]
async fn an_answer_that_was_overtaken_is_tried_again() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let id = town.asks_for(2).await;
    let ada = town.somebody().await;
    let opened = ada.opens(&id).await;
    town.clock.forward(180);
    // Another process writes the question: it is of another version than was read.
    let touched = move |engine: &Engine| {
        let key = json!({ "question_id": { "S": id } });
        let values = json!({ ":one": { "N": "1" } });
        let body = json!({ "TableName": "aah-questions", "Key": key, "UpdateExpression": "ADD last_write :one", "ExpressionAttributeValues": values });
        let reply = engine.dispatch("UpdateItem", body.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    let (first, second) = (touched.clone(), touched.clone());
    let faults = [
        Fault::After(Box::new(first)),
        Fault::After(Box::new(second)),
        Fault::After(Box::new(touched)),
    ];
    wire.plan("TransactWriteItems", faults);
    let question = town
        .api
        .stored::<Question>()
        .await
        .remove(0)
        .question_id
        .to_string();
    ada.responds(&question, &opened, words(1)).await.expect(201);
    town.agrees().await;
}
