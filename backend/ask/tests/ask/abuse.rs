//! Limits, and answers that look like abuse.

use ask::model::{Response, ResponseReview, Subscription, UserStats};
use http::Method;
use serde_json::{Value, json};
use tablewright::Versioned;
use tablewright_local::Engine;
use tablewright_testing::{Fault, Wire};

use crate::person::{Person, Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// S2-23, C2-19: thirty answers an hour, five a minute, and headers that say so.
#[tokio::test]
async fn somebody_who_answers_too_often_waits() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let mut stored = 0;
    for minute in 0..7 {
        for number in 0..6 {
            let id = town.asks_for(50).await;
            let reply = ada.answers(&id, words(minute * 10 + number)).await;
            if number < 5 && stored < 30 {
                let told = reply.expect(201);
                stored += 1;
                let left = (4 - number).min(30 - stored).to_string();
                assert_eq!(told.header("x-ratelimit-remaining"), Some(left.as_str()));
                continue;
            }
            let told = reply.problem(429, "rate-limited");
            assert_eq!(told.header("x-ratelimit-remaining"), Some("0"));
            let (most, wait) = if stored < 30 || number == 5 {
                ("5", 60)
            } else {
                ("30", 3600 - 60 * minute)
            };
            assert_eq!(
                told.header("x-ratelimit-limit"),
                Some(most),
                "{minute} {number}"
            );
            assert_eq!(told.header("retry-after"), Some(wait.to_string().as_str()));
            let told = told.about("Authorization").text;
            let window = if most == "5" { "a minute" } else { "an hour" };
            let why = format!("the answers of this person are too many: {most} {window}");
            assert!(told.contains(&why), "{told}");
        }
        town.clock.forward(60);
    }
    assert_eq!(town.api.stored::<Response>().await.len(), 30);
    town.clock.set("2026-11-18T13:00:00.000Z");
    let id = town.asks_for(50).await;
    ada.answers(&id, words(1000)).await.expect(201);
    // Who comes without an answer to a question, or twice, has used nothing.
    ada.responds(&id, "", words(1))
        .await
        .problem(422, "invalid");
    town.agrees().await;
}

/// S2-23, C2-11: limits that hold for an address, whoever is there.
#[tokio::test]
async fn an_address_has_limits_of_its_own() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await.from("192.0.2.1");
    let bob = town.somebody().await.from("192.0.2.1");
    for number in 0..300 {
        let person = if number % 2 == 0 { &ada } else { &bob };
        let told = person.get("/stats").await.expect(200);
        assert_eq!(
            told.header("x-ratelimit-remaining"),
            Some((299 - number).to_string().as_str())
        );
    }
    for path in [
        "/stats",
        "/questions",
        "/responses",
        "/leaderboard",
        "/push/subscriptions",
    ] {
        let told = ada.get(path).await.problem(429, "rate-limited");
        let told = told.about("Authorization").text;
        assert!(
            told.contains("of this address are too many: 300 an hour"),
            "{told}"
        );
    }
    ada.from("192.0.2.2").get("/stats").await.expect(200);
    for _ in 0..20 {
        ada.post("/people", json!({})).await.expect(201);
    }
    ada.post("/people", json!({}))
        .await
        .problem(429, "rate-limited");
    for number in 0..10 {
        let device = json!({ "fcm_token": format!("device {number}") });
        ada.post("/push/subscriptions", device).await.expect(201);
    }
    let device = json!({ "fcm_token": "one too many" });
    ada.post("/push/subscriptions", device)
        .await
        .problem(429, "rate-limited");
    // Another token is another device.
    let own = ada.from("192.0.2.3").get("/push/subscriptions").await;
    let own = own.expect(200).body["items"][0]["subscription_id"].clone();
    let path = format!("/push/subscriptions/{}", own.as_str().unwrap());
    let device = json!({ "fcm_token": "one too many" });
    ada.send(Method::PUT, &path, Some(device))
        .await
        .problem(429, "rate-limited");
    let seldom = json!({ "min_interval_minutes": 60 });
    ada.send(Method::PUT, &path, Some(seldom)).await.expect(200);
    town.clock.forward(3600);
    ada.get("/stats").await.expect(200);
}

/// C2-11: also what is refused is work, and what only says thanks.
#[tokio::test]
async fn an_address_does_not_try_without_end() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(2).await;
    let ada = town.somebody().await.from("192.0.2.4");
    for _ in 0..600 {
        ada.responds(&id, "", words(1))
            .await
            .problem(422, "invalid");
    }
    ada.responds(&id, "", words(1))
        .await
        .problem(429, "rate-limited");
    let ada = ada.from("192.0.2.5");
    let opened = ada.opens(&id).await;
    let form = format!("opened={opened}&answer=Porridge");
    let sent = ada.sends(&format!("/questions/{id}"), &form).await;
    let thanks = sent.expect(303).header("location").unwrap().to_owned();
    for _ in 0..3 {
        ada.sees(&thanks).await;
    }
    let read = ada.get("/stats").await.expect(200);
    assert_eq!(read.header("x-ratelimit-remaining"), Some("295"));
}

async fn answers(town: &Town, person: &Person, seconds: i64, text: &str) {
    let id = town.asks_for(50).await;
    let opened = person.opens(&id).await;
    town.clock.forward(seconds);
    person
        .responds(&id, &opened, json!({ "answer": text }))
        .await
        .expect(201);
    town.clock.forward(61);
}

/// Too fast, repeated, and hardly anything; it counts all the same.
#[tokio::test]
async fn what_looks_like_abuse_waits_for_an_admin() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    answers(&town, &ada, 4, "I have read all of it").await;
    answers(&town, &ada, 5, "I have thought of it").await;
    answers(&town, &ada, 60, "i have  THOUGHT of it").await;
    for text in ["ok", "no", "ok", "eh", "ok"] {
        answers(&town, &ada, 60, text).await;
    }
    let admin = town.api.admin();
    let waiting = admin.get("~/admin/reviews").await.expect(200).body;
    let waiting = waiting["items"].as_array().unwrap();
    let of = |field: &str| {
        waiting
            .iter()
            .map(|item| item[field].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(
        of("flag_reason"),
        ["too_fast", "repeated", "minimal"],
        "the oldest first"
    );
    assert_eq!(
        of("answer"),
        ["I have read all of it", "i have  THOUGHT of it", "ok"]
    );
    assert_eq!(waiting[0]["prompt"], "What would you have for breakfast?");
    assert_eq!(waiting[0]["response_time_ms"], 4000);
    assert_eq!(ada.stats().await["total_answers"], 8);

    let decide = async |place: usize, review: &str| {
        let body = json!({ "question_id": waiting[place]["question_id"], "fingerprint_hash": waiting[place]["fingerprint_hash"], "review": review });
        admin.post("~/admin/reviews", body).await
    };
    assert_eq!(
        decide(0, "approved").await.expect(200).body["review"],
        "approved"
    );
    decide(0, "approved").await.expect(200);
    let decided = decide(0, "rejected").await.problem(409, "refused");
    assert!(
        decided.text.contains("something else was decided"),
        "{}",
        decided.text
    );
    decide(1, "rejected").await.expect(200);
    decide(1, "maybe")
        .await
        .problem(422, "invalid")
        .about("review");
    let nobodys = json!({ "question_id": waiting[0]["question_id"], "fingerprint_hash": "nobody", "review": "banned" });
    admin
        .post("~/admin/reviews", nobodys)
        .await
        .problem(404, "not-found");
    assert_eq!(
        admin.get("~/admin/reviews").await.expect(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let board = ada.get("/leaderboard").await.expect(200).body;
    assert_eq!(board["your_rank"], 1);

    // A ban: no answers, no board.
    assert_eq!(
        decide(2, "banned").await.expect(200).body["review"],
        "banned"
    );
    decide(2, "banned").await.expect(200);
    let id = town.asks_for(50).await;
    let seen = ada.get(&format!("/questions/{id}")).await.expect(200).body;
    assert_eq!(
        (&seen["can_answer"], &seen["opened"]),
        (&json!(false), &json!(null))
    );
    let board = ada.get("/leaderboard").await.expect(200).body;
    assert_eq!(
        (&board["entries"], &board["your_rank"]),
        (&json!([]), &json!(null))
    );
    assert_eq!(ada.stats().await["banned"], true);
    let stats = town.api.stored::<UserStats>().await.remove(0);
    assert!(stats.banned_at.is_some());
    // In words nobody is told who they are: agents see answers, and no people.
    let hash = &stats.fingerprint_hash;
    let asked = town.agent.get("~/agent/questions").await.expect(200);
    assert!(!asked.text.contains(hash.as_str()));
}

/// Who waits and varies a word is flagged by nobody: an admin finds the answer by its question. A ban decides on all that waits of its author.
#[tokio::test]
async fn an_admin_decides_on_any_answer() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    for text in ["far too fast", "far too fast again"] {
        answers(&town, &ada, 0, text).await;
    }
    let id = town.asks_for(50).await;
    let opened = ada.opens(&id).await;
    town.clock.forward(60);
    let said = json!({ "answer": "Buy my excellent raisins" });
    ada.responds(&id, &opened, said).await.expect(201);
    let admin = town.api.admin();
    let path = format!("~/admin/questions/{id}/responses");
    let answer = admin.get(&path).await.expect(200).body["items"][0].clone();
    assert_eq!(answer["answer"], "Buy my excellent raisins");
    assert_eq!(
        (&answer["flag_reason"], &answer["review"]),
        (&json!(null), &json!(null))
    );
    let decide = async |review: &str| {
        let body = json!({ "question_id": id, "fingerprint_hash": answer["fingerprint_hash"], "review": review });
        admin.post("~/admin/reviews", body).await
    };
    assert_eq!(decide("banned").await.expect(200).body["review"], "banned");
    decide("approved").await.problem(409, "refused");
    let waiting = admin.get("~/admin/reviews").await.expect(200).body;
    assert_eq!(waiting["items"], json!([]), "nothing of theirs waits");
    let stored = town.api.stored::<Response>().await;
    assert_eq!(stored.len(), 3);
    let banned = |answer: &&Versioned<Response>| answer.review == Some(ResponseReview::Banned);
    assert_eq!(stored.iter().filter(banned).count(), 3);
    assert!(town.api.stored::<UserStats>().await[0].banned_at.is_some());
    let read = format!("~/agent/questions/{id}");
    let read = town.agent.get(&read).await.expect(200).body;
    assert_eq!(read["responses"][0]["review"], "banned");
    admin
        .get("~/admin/questions/01a1dfe5-1dcc-7003-9564-d9f0c3f5af45/responses")
        .await
        .problem(404, "not-found");
    ada.caller.get(&path).await.problem(401, "unauthenticated");
}

/// Somebody with one answer, which was rejected, can still be banned; and when one admin bans while another rejects, in the end both say banned.
#[tokio::test(flavor = "multi_thread")]
async fn a_ban_comes_after_any_other_decision() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    let decide = async |answer: &Response, review: &str| {
        let body = json!({ "question_id": answer.question_id, "fingerprint_hash": answer.fingerprint_hash, "review": review });
        admin.post("~/admin/reviews", body).await
    };
    let somebody_answers = async || {
        let ada = town.somebody().await;
        let known = town.api.stored::<Response>().await;
        answers(&town, &ada, 0, "far too fast").await;
        let is_new = |answer: &&Versioned<Response>| {
            known
                .iter()
                .all(|one| one.response_id != answer.response_id)
        };
        let stored = town.api.stored::<Response>().await;
        (ada, stored.iter().find(is_new).unwrap().data.clone())
    };
    for before in ["rejected", "approved"] {
        let (ada, answer) = somebody_answers().await;
        decide(&answer, before).await.expect(200);
        let banned = decide(&answer, "banned").await.expect(200);
        assert_eq!(banned.body["review"], "banned");
        assert_eq!(ada.stats().await["banned"], true);
        decide(&answer, before).await.problem(409, "refused");
    }
    for _ in 0..10 {
        let (ada, answer) = somebody_answers().await;
        let (banned, _) = tokio::join!(decide(&answer, "banned"), decide(&answer, "rejected"));
        banned.expect(200);
        assert_eq!(ada.stats().await["banned"], true);
        let stored = town.api.stored::<Response>().await;
        let stored = stored
            .iter()
            .find(|one| one.response_id == answer.response_id);
        assert_eq!(stored.unwrap().review, Some(ResponseReview::Banned));
    }
}

/// A person who is banned while a question is open before them.
#[tokio::test]
async fn who_is_banned_answers_nothing_more() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    answers(&town, &ada, 0, "far too fast").await;
    let id = town.asks_for(50).await;
    let opened = ada.opens(&id).await;
    for token in ["phone", "tablet"] {
        let device = json!({ "fcm_token": token });
        ada.post("/push/subscriptions", device).await.expect(201);
    }
    let flagged = town
        .api
        .admin()
        .get("~/admin/reviews")
        .await
        .expect(200)
        .body["items"][0]
        .clone();
    let body = json!({ "question_id": flagged["question_id"], "fingerprint_hash": flagged["fingerprint_hash"], "review": "banned" });
    town.api
        .admin()
        .post("~/admin/reviews", body.clone())
        .await
        .expect(200);
    ada.responds(&id, &opened, words(1))
        .await
        .problem(403, "banned");
    assert_eq!(town.api.stored::<Response>().await.len(), 1);
    // Who answers nothing is told of nothing.
    let devices = town.api.stored::<Subscription>().await;
    let active: Vec<bool> = devices.iter().map(|device| device.active).collect();
    assert_eq!(active, [false, false]);
    // Only admins decide.
    let others = [town.api.nobody(), town.agent.clone(), ada.caller.clone()];
    for other in others {
        other
            .get("~/admin/reviews")
            .await
            .problem(401, "unauthenticated");
        other
            .post("~/admin/reviews", body.clone())
            .await
            .problem(401, "unauthenticated");
    }
    let member = town.api.in_group("Members");
    member
        .get("~/admin/reviews")
        .await
        .problem(403, "forbidden");
    member
        .post("~/admin/reviews", body)
        .await
        .problem(403, "forbidden");
}

/// Two begin a window at once, and one is refused because there is none: the other's is no refusal.
#[tokio::test]
async fn who_begins_a_window_at_the_same_time_is_not_refused() {
    let wire = Wire::new();
    let town = Town::on(wire.engine.clone(), wire.client(), NOON).await;
    let begun = |engine: &Engine| {
        let item = json!({ "subject": { "S": "person:192.0.2.7" }, "window_start": { "N": "1795003200" }, "uses": { "N": "1" }, "purge_at": { "N": "1795010400" } });
        let body = json!({ "TableName": "aah-limits", "Item": item });
        let reply = engine.dispatch("PutItem", body.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    wire.plan("GetItem", [Fault::After(Box::new(begun))]);
    let from = [("x-forwarded-for", "192.0.2.7")];
    let nobody = town.api.nobody();
    let made = nobody
        .send(Method::POST, "~/human/people", None, &from)
        .await;
    assert_eq!(made.expect(201).header("x-ratelimit-remaining"), Some("18"));
}
