//! Bans, and their end.

use ask::model::{Response, ResponseReview, Subscription, UserStats};
use http::Method;
use serde_json::{Value, json};
use tablewright_testing::{Caller, Reply};

use crate::person::{Person, Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// Answers in words, after so many seconds; gives the question.
async fn answers(town: &Town, person: &Person, seconds: i64, text: &str) -> String {
    let id = town.asks_for(2).await;
    let opened = person.opens(&id).await;
    town.clock.forward(seconds);
    let said = json!({ "answer": text });
    person.responds(&id, &opened, said).await.expect(201);
    town.clock.forward(61);
    id
}

async fn decide(admin: &Caller, answer: &Value, review: &str) -> Reply {
    let body = json!({
        "question_id": answer["question_id"],
        "fingerprint_hash": answer["fingerprint_hash"],
        "review": review,
    });
    admin.post("~/admin/reviews", body).await
}

async fn waiting(admin: &Caller) -> Vec<Value> {
    let waiting = admin.get("~/admin/reviews").await.expect(200);
    waiting.body["items"].as_array().unwrap().clone()
}

async fn bans(admin: &Caller) -> Vec<Value> {
    let bans = admin.get("~/admin/bans").await.expect(200).body;
    bans["items"].as_array().unwrap().clone()
}

async fn ends(admin: &Caller, who: &str) -> Reply {
    let path = format!("~/admin/bans/{who}");
    admin.send(Method::DELETE, &path, None, &[]).await
}

/// The answer that was given to a question, as admins see it.
async fn given(admin: &Caller, question: &str) -> Value {
    let path = format!("~/admin/questions/{question}/responses");
    admin.get(&path).await.expect(200).body["items"][0].clone()
}

/// Somebody is banned by mistake: with the end of the ban all is as it was, and what was not counted because of it waits for a decision of its own.
#[tokio::test]
async fn an_admin_ends_a_ban() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    let ada = town.somebody().await;
    let approved = answers(&town, &ada, 0, "fast and approved").await;
    decide(&admin, &given(&admin, &approved).await, "approved")
        .await
        .expect(200);
    let flagged = answers(&town, &ada, 0, "fast and flagged").await;
    let thought = answers(&town, &ada, 60, "Buy my excellent raisins").await;
    for token in ["phone", "tablet"] {
        let device = json!({ "fcm_token": token });
        ada.post("/push/subscriptions", device).await.expect(201);
    }
    let stored = async || {
        let mut stats = town.api.stored::<UserStats>().await.remove(0).data;
        // The only thing that moves on.
        stats.updated_at = stats.created_at;
        stats
    };
    let boards = async || {
        let mut boards = Vec::new();
        for period in ["daily", "weekly", "all_time"] {
            let board = ada.get(&format!("/leaderboard?period={period}")).await;
            boards.push(board.expect(200).body);
        }
        boards
    };
    let (stats, seen, shown) = (stored().await, ada.stats().await, boards().await);
    assert_eq!(shown[0]["your_rank"], 1);
    assert_eq!(bans(&admin).await, Vec::<Value>::new());

    let answer = given(&admin, &thought).await;
    decide(&admin, &answer, "banned").await.expect(200);
    let banned = bans(&admin).await;
    assert_eq!(banned.len(), 1);
    assert_eq!(banned[0]["fingerprint_hash"], answer["fingerprint_hash"]);
    assert!(banned[0]["banned_at"].is_string(), "{banned:?}");
    assert_eq!(ada.stats().await["banned"], true);
    assert_eq!(boards().await[2]["entries"], json!([]));
    let refused = decide(&admin, &answer, "approved").await;
    let refused = refused.problem(409, "refused");
    assert!(
        refused.text.contains("end the ban first"),
        "{}",
        refused.text
    );

    let who = answer["fingerprint_hash"].as_str().unwrap();
    for _ in 0..2 {
        // The second time it changes nothing.
        assert_eq!(ends(&admin, who).await.expect(204).text, "");
        assert_eq!(stored().await, stats);
        assert_eq!(ada.stats().await, seen);
        assert_eq!(boards().await, shown);
        assert_eq!(bans(&admin).await, Vec::<Value>::new());
        let devices = town.api.stored::<Subscription>().await;
        assert!(devices.iter().all(|device| device.active));
        let waits: Vec<Value> = waiting(&admin).await;
        let of = |answer: &Value| answer["question_id"].as_str().unwrap().to_owned();
        let waits: Vec<String> = waits.iter().map(of).collect();
        assert_eq!(
            waits,
            [flagged.clone(), thought.clone()],
            "and nothing else"
        );
    }
    assert_eq!(given(&admin, &approved).await["review"], "approved");
    decide(&admin, &answer, "approved").await.expect(200);
    decide(&admin, &given(&admin, &flagged).await, "rejected")
        .await
        .expect(200);
    assert_eq!(waiting(&admin).await, Vec::<Value>::new());
    let next = town.asks_for(2).await;
    ada.answers(&next, words(1)).await.expect(201);
    town.agrees().await;
    // They can be banned again.
    decide(&admin, &answer, "banned").await.expect(200);
    assert_eq!(bans(&admin).await.len(), 1);
}

/// Bans are listed by page, the latest first.
#[tokio::test]
async fn the_latest_ban_is_shown_first() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    let mut expected = Vec::new();
    for number in 0..5 {
        let somebody = town.somebody().await;
        let question = answers(&town, &somebody, 60, &format!("My number {number}")).await;
        let answer = given(&admin, &question).await;
        decide(&admin, &answer, "banned").await.expect(200);
        expected.insert(0, answer["fingerprint_hash"].clone());
    }
    let (mut shown, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("~/admin/bans?limit=2{cursor}")).await;
        let page = page.expect(200).body;
        let items = page["items"].as_array().unwrap();
        shown.extend(items.iter().map(|ban| ban["fingerprint_hash"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(shown, expected);
    admin
        .get("~/admin/bans?cursor=nonsense")
        .await
        .problem(400, "bad-cursor");
}

#[tokio::test]
async fn a_ban_of_nobody_is_not_ended() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    let ada = town.somebody().await;
    // Who never answered has nothing that could be banned.
    for nobody in ["nobody", &"x".repeat(3000)] {
        ends(&admin, nobody).await.problem(404, "not-found");
    }
    let nonsense = ends(&admin, "%00").await.problem(422, "invalid");
    nonsense.about("fingerprint_hash");
    let question = answers(&town, &ada, 60, "A thoughtful answer").await;
    let answer = given(&admin, &question).await;
    let before = town.api.stored::<UserStats>().await;
    // Of who is not banned nothing changes.
    let who = answer["fingerprint_hash"].as_str().unwrap();
    ends(&admin, who).await.expect(204);
    assert_eq!(town.api.stored::<UserStats>().await, before);
    assert_eq!(given(&admin, &question).await["review"], json!(null));
}

/// Whatever admins do at once, in the end who is banned has an answer that is, and is among those who are banned; and everybody is told what came of it.
#[tokio::test(flavor = "multi_thread")]
async fn bans_and_their_ends_at_once_leave_nothing_half_done() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    for number in 0..8 {
        let ada = town.somebody().await;
        let other = answers(&town, &ada, 0, &format!("fast number {number}")).await;
        let question = answers(&town, &ada, 60, &format!("thought number {number}")).await;
        let answer = given(&admin, &question).await;
        let who = answer["fingerprint_hash"].as_str().unwrap();
        decide(&admin, &answer, "banned").await.expect(200);
        let (banned, ended, rejected) = tokio::join!(
            decide(&admin, &answer, "banned"),
            ends(&admin, who),
            decide(&admin, &answer, "rejected"),
        );
        assert_eq!(banned.expect(200).body["review"], "banned");
        ended.expect(204);
        assert!([200, 409].contains(&rejected.status), "{}", rejected.text);
        let stats = town.api.stored::<UserStats>().await;
        let stats = stats.iter().find(|one| one.fingerprint_hash == who);
        let is_banned = stats.unwrap().banned_at.is_some();
        assert_eq!(ada.stats().await["banned"], is_banned);
        let listed = bans(&admin).await;
        let listed = listed.iter().any(|ban| ban["fingerprint_hash"] == who);
        assert_eq!(listed, is_banned);
        let decided = given(&admin, &question).await["review"] == "banned";
        assert_eq!(decided, is_banned, "an answer is banned with its author");
        // Once more, and nothing of it is left.
        ends(&admin, who).await.expect(204);
        assert_eq!(ada.stats().await["banned"], false);
        let left = town.api.stored::<Response>().await;
        let left = left.iter().filter(|one| one.fingerprint_hash == who);
        let mut left = left.filter(|one| one.review == Some(ResponseReview::Banned));
        assert!(left.next().is_none());
        assert_eq!(given(&admin, &other).await["review"], "pending");
    }
}

/// Three admins ban one person for an answer each while two end the ban: whoever is not banned in the end has no answer that is, and whoever is has one.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_banned_with_its_author_whoever_is_faster() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    for number in 0..12 {
        let ada = town.somebody().await;
        let mut given_answers = Vec::new();
        for text in ["first", "second", "third"] {
            let question = answers(&town, &ada, 60, &format!("{text} thought, {number}")).await;
            given_answers.push(given(&admin, &question).await);
        }
        let who = given_answers[0]["fingerprint_hash"].as_str().unwrap();
        decide(&admin, &given_answers[0], "banned")
            .await
            .expect(200);
        let bans_of_each = given_answers
            .iter()
            .map(|answer| decide(&admin, answer, "banned"));
        let (banned, ended, again) = tokio::join!(
            futures_util::future::join_all(bans_of_each),
            ends(&admin, who),
            ends(&admin, who),
        );
        for banned in banned {
            assert_eq!(banned.expect(200).body["review"], "banned");
        }
        ended.expect(204);
        again.expect(204);
        let stats = town.api.stored::<UserStats>().await;
        let stats = stats.iter().find(|one| one.fingerprint_hash == who);
        let stored = town.api.stored::<Response>().await;
        let stored = stored.iter().filter(|one| one.fingerprint_hash == who);
        let mut left = stored.filter(|one| one.review == Some(ResponseReview::Banned));
        assert_eq!(left.next().is_some(), stats.unwrap().banned_at.is_some());
    }
}

/// The page of admins has the same.
#[tokio::test]
async fn the_page_of_admins_ends_a_ban() {
    let town = Town::at(NOON).await;
    let admin = town.api.admin();
    let ada = town.somebody().await;
    let question = answers(&town, &ada, 60, "<b>Raisins</b>").await;
    let answer = given(&admin, &question).await;
    let send = async |path: &str, form: &str| {
        let kind = [("content-type", "application/x-www-form-urlencoded")];
        let path = format!("~/page/admin/{path}");
        admin
            .send_text(Method::POST, &path, Some(form), &kind)
            .await
    };
    let who = answer["fingerprint_hash"].as_str().unwrap();
    let decision = format!("question_id={question}&fingerprint_hash={who}&review=banned");
    let page = send("reviews", &decision).await.expect(200).text;
    assert!(
        page.contains("End the ban") && page.contains(&who[..8]),
        "{page}"
    );
    send("bans", "").await.problem(422, "invalid");
    send("bans", "fingerprint_hash=nobody")
        .await
        .problem(404, "not-found");
    let page = send("bans", &format!("fingerprint_hash={who}")).await;
    let page = page.expect(200).text;
    assert!(!page.contains("End the ban"), "{page}");
    assert!(
        page.contains("after a ban") && page.contains("&#60;b&#62;Raisins"),
        "{page}"
    );
    assert_eq!(ada.stats().await["banned"], false);
}
