//! What people can answer, and what they have earned.

use std::collections::BTreeSet;

use ask::model::{Question, QuestionAudience};
use serde_json::{Value, json};
use tablewright::{Timestamp, Uuid};
use tablewright_testing::Wire;

use crate::person::{Person, Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// All pages of a list, each of them full but the last; gives a text of each item.
async fn all(person: &Person, path: &str, limit: usize, field: &str) -> Vec<String> {
    let joint = if path.contains('?') { '&' } else { '?' };
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = person
            .get(&format!("{path}{joint}limit={limit}{cursor}"))
            .await
            .expect(200)
            .body;
        let items = page["items"].as_array().unwrap();
        found.extend(
            items
                .iter()
                .map(|item| item[field].as_str().unwrap().to_owned()),
        );
        let Some(next) = page["next_cursor"].as_str() else {
            return found;
        };
        assert_eq!(items.len(), limit, "a page that is not the last is full");
        cursor = format!("&cursor={next}");
    }
}

/// S2-13, C2-5, C2-6: what accepts answers, newest or neediest first, by audience, without what one has answered, in full pages.
#[tokio::test]
async fn the_feed_has_what_one_can_answer() {
    let town = Town::at(NOON).await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    let mut asked = Vec::new();
    for number in 0..24_i64 {
        let audience = if number % 3 == 0 {
            json!(["ethics", "general"])
        } else {
            json!(["technical"])
        };
        let question = json!({ "prompt": format!("Question number {number}"), "min_responses": 1 + number % 12, "audience": audience, "timeout_seconds": 86400 });
        asked.push(town.asks(question).await);
        town.clock.forward(1);
    }
    let newest: Vec<String> = asked.iter().rev().cloned().collect();
    assert_eq!(all(&ada, "/questions", 7, "question_id").await, newest);

    // Ada answers every other of the newest, and all that need one answer are closed by it.
    let mut answered = BTreeSet::new();
    for (number, id) in newest
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 0)
    {
        town.clock.forward(61);
        ada.answers(id, words(number)).await.expect(201);
        answered.insert(id.clone());
    }
    let left: Vec<String> = newest
        .iter()
        .filter(|id| !answered.contains(*id))
        .cloned()
        .collect();
    for limit in [1, 3, 5, 12, 50] {
        assert_eq!(
            all(&ada, "/questions", limit, "question_id").await,
            left,
            "{limit}"
        );
    }
    let neediest = all(&ada, "/questions?order=neediest", 5, "question_id").await;
    let (found, expected): (BTreeSet<_>, BTreeSet<_>) =
        (neediest.iter().collect(), left.iter().collect());
    assert_eq!((found, neediest.len()), (expected, left.len()));
    let page = ada
        .get("/questions?order=neediest&limit=50")
        .await
        .expect(200)
        .body;
    let needed: Vec<i64> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["responses_needed"].as_i64().unwrap())
        .collect();
    assert!(needed.is_sorted_by(|a, b| a >= b), "{needed:?}");

    let ethics = all(&bob, "/questions?audience=ethics", 2, "question_id").await;
    let closed = |id: &&String| {
        asked.iter().position(|one| one == *id).unwrap() % 12 == 0 && answered.contains(*id)
    };
    let expected: Vec<String> = newest
        .iter()
        .filter(|id| asked.iter().position(|one| one == *id).unwrap() % 3 == 0)
        .filter(|id| !closed(id))
        .cloned()
        .collect();
    assert_eq!(ethics, expected);
    assert_eq!(
        all(&bob, "/questions?audience=creative", 2, "question_id").await,
        Vec::<String>::new()
    );
    for wrong in [
        "order=oldest",
        "audience=all",
        "limit=51",
        "limit=0",
        "page=2",
    ] {
        bob.get(&format!("/questions?{wrong}"))
            .await
            .problem(400, "malformed");
    }
}

/// A cursor is good for its list and its person; what has expired meanwhile is not given.
#[tokio::test]
async fn a_cursor_is_of_one_list_and_one_person() {
    let town = Town::at(NOON).await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    for number in 0..6_i64 {
        let question = json!({ "prompt": format!("Question number {number}"), "timeout_seconds": 60 + 600 * (number % 2) });
        town.asks(question).await;
        town.clock.forward(1);
    }
    let page = ada.get("/questions?limit=2").await.expect(200).body;
    let cursor = page["next_cursor"].as_str().unwrap().to_owned();
    bob.get(&format!("/questions?limit=2&cursor={cursor}"))
        .await
        .problem(400, "bad-cursor");
    ada.get(&format!(
        "/questions?limit=2&order=neediest&cursor={cursor}"
    ))
    .await
    .problem(400, "bad-cursor");
    ada.get(&format!(
        "/questions?limit=2&audience=general&cursor={cursor}"
    ))
    .await
    .problem(400, "bad-cursor");
    for made_up in ["x", "1.x", "99999999999.x", &cursor[..cursor.len() - 2]] {
        ada.get(&format!("/questions?cursor={made_up}"))
            .await
            .problem(400, "bad-cursor");
    }
    town.clock.forward(120);
    let rest = ada
        .get(&format!("/questions?limit=50&cursor={cursor}"))
        .await
        .expect(200)
        .body;
    let prompts: Vec<&Value> = rest["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["prompt"])
        .collect();
    assert_eq!(prompts, ["Question number 3", "Question number 1"]);
}

/// S2-16: one's own answers, the latest first; nobody sees another's.
#[tokio::test]
async fn own_answers_are_listed_latest_first() {
    let town = Town::at(NOON).await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    let mut expected = Vec::new();
    for number in 0..5 {
        let id = town.asks_for(3).await;
        town.clock.forward(61);
        ada.answers(&id, words(number)).await.expect(201);
        expected.insert(0, id);
    }
    assert_eq!(all(&ada, "/responses", 2, "question_id").await, expected);
    assert_eq!(
        all(&bob, "/responses", 2, "question_id").await,
        Vec::<String>::new()
    );
    let page = ada.get("/responses?limit=2").await.expect(200).body;
    let cursor = page["next_cursor"].as_str().unwrap();
    bob.get(&format!("/responses?limit=2&cursor={cursor}"))
        .await
        .problem(400, "bad-cursor");
    assert_eq!(page["items"][0]["points_earned"], 15);
}

/// C2-6: what a page by audience costs does not grow with what is open. It may have nothing, and its cursor goes on until all was looked at.
#[tokio::test]
async fn a_page_by_audience_looks_at_so_many_questions_and_no_more() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let question = json!({ "prompt": "Is it right to do so?", "audience": ["ethics"], "timeout_seconds": 86400 });
    let oldest = town.asks(question).await;
    let like = town.api.stored::<Question>().await.remove(0).data;
    for number in 1..=900_i64 {
        let another = Question {
            question_id: Uuid::now_v7(),
            audience: vec![QuestionAudience::Technical],
            created_at: Timestamp::from_millis(like.created_at.millis() + number).unwrap(),
            ..like.clone()
        };
        let questions = town.api.ask.questions.items();
        questions.insert(another).await.unwrap();
    }
    let ada = town.somebody().await;
    for order in ["newest", "neediest"] {
        let (mut found, mut pages, mut cursor) = (Vec::new(), 0, String::new());
        loop {
            wire.take_sent();
            let path = format!("/questions?audience=ethics&order={order}{cursor}");
            let page = ada.get(&path).await.expect(200).body;
            let looked_at: u64 = wire
                .take_sent()
                .iter()
                .filter(|sent| sent.operation == "Query")
                .map(|sent| sent.body["Limit"].as_u64().unwrap())
                .sum();
            assert!((1..=400).contains(&looked_at), "{looked_at}");
            let items = page["items"].as_array().unwrap().iter();
            found.extend(items.map(|item| item["question_id"].as_str().unwrap().to_owned()));
            pages += 1;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(found, [oldest.as_str()], "{order}");
        assert!((3..20).contains(&pages), "{pages}");
    }
}
