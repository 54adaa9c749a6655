//! People answer: what is stored, what is earned, and what is refused.

use ask::model::{LimitWindow, Notice, Question, Response, UserStats};
use serde_json::{Value, json};
use tablewright::{Timestamp, Uuid};

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z"; // a Wednesday

/// S2-6, S2-22, S2-24, C2-12, C2-13, C2-23: from the first answer to the last.
#[tokio::test]
async fn a_question_comes_nearer_to_its_end_with_each_answer() {
    let town = Town::at(NOON).await;
    let choice = json!({ "prompt": "Tea or coffee, or both?", "type": "multiple_choice", "options": ["Tea", "Coffee"], "min_responses": 2, "audience": ["product", "general"] });
    let id = town.asks(choice).await;
    let (ada, bob, eve) = (
        town.somebody().await,
        town.somebody().await,
        town.somebody().await,
    );

    let seen = ada.get(&format!("/questions/{id}")).await.expect(200).body;
    assert_eq!(seen["responses_needed"], 2);
    assert_eq!(
        (&seen["status"], &seen["answered"]),
        (&json!("OPEN"), &json!(false))
    );
    let opened = seen["opened"].as_str().unwrap();
    town.clock.forward(20);
    let told = ada
        .responds(
            &id,
            opened,
            json!({ "selected_option": 1, "confidence": 4 }),
        )
        .await
        .expect(201);
    assert_eq!(told.body["points_earned"], 5 + 2 + 5);
    assert_eq!(told.body["total_points"], 12);
    assert_eq!(told.body["streak_days"], 1);
    let badges: Vec<&str> = told.body["new_badges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|badge| badge["badge"].as_str().unwrap())
        .collect();
    assert_eq!(badges, ["early_bird", "first_steps"]);
    assert_eq!(told.header("x-ratelimit-limit"), Some("5"));
    assert_eq!(told.header("x-ratelimit-remaining"), Some("4"));
    let seen = town
        .agent
        .get(&format!("~/agent/questions/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&seen["status"], &seen["current_responses"]),
        (&json!("PARTIAL"), &json!(1))
    );

    // C2-5: after the first answer it still is in the feed of the others, and no longer in one's own.
    let feed = |body: Value| body["items"].as_array().unwrap().len();
    assert_eq!(feed(ada.get("/questions").await.expect(200).body), 0);
    assert_eq!(feed(bob.get("/questions").await.expect(200).body), 1);
    ada.responds(&id, opened, json!({ "selected_option": 0 }))
        .await
        .problem(409, "already-answered");

    let late = eve.opens(&id).await;
    let told = bob
        .answers(&id, json!({ "selected_option": 1 }))
        .await
        .expect(201);
    assert_eq!(
        told.body["points_earned"], 5,
        "half of its answers were there"
    );
    let seen = town
        .agent
        .get(&format!("~/agent/questions/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&seen["status"], &seen["closed_at"]),
        (&json!("CLOSED"), &json!("2026-11-18T12:00:20.000Z"))
    );
    assert_eq!(
        seen["summary"][1],
        json!({ "option": 1, "text": "Coffee", "votes": 2, "share": 1.0 })
    );
    let over = eve
        .responds(&id, &late, json!({ "selected_option": 0 }))
        .await
        .problem(410, "question-over");
    assert_eq!(over.body["detail"], "it has all the answers it needs");
    let seen = eve.get(&format!("/questions/{id}")).await.expect(200).body;
    assert_eq!(
        (&seen["can_answer"], &seen["opened"]),
        (&json!(false), &json!(null))
    );

    let stored = town.api.stored::<Response>().await;
    let first = stored
        .iter()
        .find(|answer| answer.confidence.is_some())
        .unwrap();
    assert_eq!(
        (
            first.response_time_ms,
            first.answer.as_ref(),
            first.selected_option
        ),
        (Some(20_000), None, Some(1))
    );
    assert_eq!(
        first.purge_at,
        first.created_at.seconds() + 30 * 86_400,
        "C2-9"
    );
    let stats = ada.stats().await;
    assert_eq!(
        stats["answers_by_category"],
        json!({ "product": 1 }),
        "C2-18"
    );
    town.agrees().await;
}

/// Every problem says what is wrong, and writes nothing.
#[tokio::test]
async fn what_is_refused_writes_nothing() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(3).await;
    let other = town.asks(json!({ "prompt": "Which of the two?", "type": "multiple_choice", "options": ["a", "b"] })).await;
    let (ada, eve) = (town.somebody().await, town.somebody().await);
    let opened = ada.opens(&id).await;
    let of_other = ada.opens(&other).await;
    let of_eve = eve.opens(&id).await;
    town.clock.forward(60);
    for (answer, field) in [
        (json!({ "answer": "" }), "answer"),
        (json!({ "answer": " \n\t" }), "answer"),
        (json!({ "answer": "a\u{0}b" }), "answer"),
        (json!({ "answer": "x".repeat(5001) }), "answer"),
        (json!({ "answer": 7 }), "answer"),
        (json!({}), "answer"),
        (json!({ "selected_option": 0 }), "answer"),
        (
            json!({ "answer": "x", "selected_option": 0 }),
            "selected_option",
        ),
        (json!({ "answer": "x", "confidence": 6 }), "confidence"),
        (json!({ "answer": "x", "confidence": 2.5 }), "confidence"),
        (
            json!({ "answer": "x", "time_zone": "Mars/Olympus" }),
            "time_zone",
        ),
        (json!({ "answer": "x", "points": 500 }), "points"),
        (
            json!({ "answer": "x", "fingerprint_hash": "me" }),
            "fingerprint_hash",
        ),
    ] {
        ada.responds(&id, &opened, answer)
            .await
            .problem(422, "invalid")
            .about(field);
    }
    for option in [json!(2), json!(-1), json!(10), json!(1e30), json!("a")] {
        let answer = json!({ "selected_option": option });
        ada.responds(&other, &of_other, answer)
            .await
            .problem(422, "invalid")
            .about("selected_option");
    }
    // `opened` of another question, of another person, and made up.
    for made_up in [of_other.as_str(), of_eve.as_str(), "", "AAAA", &opened[1..]] {
        ada.responds(&id, made_up, words(1))
            .await
            .problem(422, "invalid")
            .about("opened");
    }
    let without = json!({ "question_id": id, "answer": "I forgot something" });
    ada.post("/responses", without)
        .await
        .problem(422, "invalid")
        .about("opened");
    let nowhere = Uuid::now_v7().to_string();
    ada.responds(&nowhere, &opened, words(1))
        .await
        .problem(422, "invalid")
        .about("opened");
    ada.responds("no-uuid", &opened, words(1))
        .await
        .problem(422, "invalid")
        .about("question_id");
    ada.get(&format!("/questions/{nowhere}"))
        .await
        .problem(404, "not-found");
    ada.get("/questions/no-uuid")
        .await
        .problem(400, "malformed");

    assert_eq!(town.api.stored::<Response>().await, []);
    assert_eq!(town.api.stored::<UserStats>().await, []);
    let limits = town.api.stored::<LimitWindow>().await;
    assert!(
        limits
            .iter()
            .all(|limit| !limit.subject.starts_with("answer")),
        "{limits:?}"
    );
    let questions = town.api.stored::<Question>().await;
    assert!(
        questions
            .iter()
            .all(|question| question.current_responses == 0)
    );
}

/// Who was told of a question, and answers within five minutes, earns more.
#[tokio::test]
async fn a_notification_that_is_followed_soon_earns_more() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let first = town.asks_for(2).await;
    ada.answers(&first, words(0)).await.expect(201);
    let hash = town.api.stored::<UserStats>().await[0]
        .fingerprint_hash
        .clone();
    for (waited, points) in [(299, 18), (301, 15)] {
        let id = town.asks_for(5).await;
        let now = Timestamp::from_millis(town.api.ask.store().now_millis()).unwrap();
        let notice = Notice {
            question_id: id.parse().unwrap(),
            fingerprint_hash: hash.clone(),
            subscription_id: Uuid::now_v7(),
            round: 0,
            notified_at: now,
            purge_at: now.seconds() + 86_400,
        };
        town.api.ask.notices.items().insert(notice).await.unwrap();
        let opened = ada.opens(&id).await;
        town.clock.forward(waited);
        let told = ada
            .responds(&id, &opened, words(waited.unsigned_abs() as usize))
            .await
            .expect(201);
        assert_eq!(told.body["points_earned"], points, "{waited}");
    }
}
