//! Agents ask, and read what they have asked.

use ask::AgentSaid;
use ask::model::{AgentRequest, LimitWindow, Question};
use http::Method;
use serde_json::json;
use tablewright::Entity as _;

use crate::support::{Ahead, Api, Asks as _, Reply, question};

/// S2-2, S2-12, C2-21
#[tokio::test]
async fn what_was_asked_is_read_with_its_usual_values() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    let asked = agent
        .post("~/agent/questions", question())
        .await
        .expect(201);
    let id = asked.text_of("question_id").to_owned();
    assert_eq!(
        asked.header("location"),
        Some(&*format!("/agent/questions/{id}"))
    );
    assert_eq!(asked.body["poll_url"], format!("/agent/questions/{id}"));
    let read = agent
        .get(&format!("~/agent/questions/{id}"))
        .await
        .expect(200);
    for (field, value) in [
        ("status", json!("OPEN")),
        ("type", json!("text")),
        ("options", json!(null)),
        ("audience", json!(["general"])),
        ("required_responses", json!(5)),
        ("current_responses", json!(0)),
        ("closed_at", json!(null)),
        ("responses", json!([])),
        ("summary", json!(null)),
    ] {
        assert_eq!(read.body[field], value, "{field}");
    }
    // C2-22: one width, UTC.
    for field in ["created_at", "expires_at"] {
        let text = read.text_of(field);
        assert!(text.len() == 24 && text.ends_with('Z'), "{text}");
        assert_eq!(read.body[field], asked.body[field]);
    }
    let stored = api.stored::<Question>().await;
    assert_eq!(stored[0].purge_at, stored[0].expires_at + 86_400, "C2-7");
}

/// S2-14
#[tokio::test]
async fn an_agent_lists_its_own_questions_by_status_the_newest_first() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let (ada, bob) = (api.agent("ada").await, api.agent("bob").await);
    let mut ids = Vec::new();
    for minute in 0..5 {
        let mut new = question();
        new["timeout_seconds"] = json!(if minute < 2 { 600 } else { 86_400 });
        ids.push(ada.asks(new).await);
        clock.by_seconds(60);
    }
    bob.asks(question()).await;
    ids.reverse();
    let all = ada.each("~/agent/questions", 2, "question_id").await;
    assert_eq!(all, ids);
    // C2-8: two of them are over, and nobody has written that down.
    clock.by_seconds(600);
    let with = async |status: &str| {
        let path = format!("~/agent/questions?status={status}");
        ada.each(&path, 2, "question_id").await
    };
    assert_eq!(with("OPEN").await, ids[..3]);
    assert_eq!(with("EXPIRED").await, ids[3..]);
    assert!(with("CLOSED").await.is_empty() && with("PARTIAL").await.is_empty());
    let read = ada.get(&format!("~/agent/questions/{}", ids[4])).await;
    assert_eq!(read.expect(200).body["status"], "EXPIRED");
}

#[tokio::test]
async fn a_cursor_is_good_for_its_list_and_agent_only() {
    let api = Api::start().await;
    let (ada, bob) = (api.agent("ada").await, api.agent("bob").await);
    for _ in 0..3 {
        ada.asks(question()).await;
    }
    let page = ada
        .get("~/agent/questions?status=OPEN&limit=2")
        .await
        .expect(200);
    let cursor = page.text_of("next_cursor").to_owned();
    let (moment, sealed) = cursor.split_once('.').unwrap();
    let earlier: i64 = moment.parse::<i64>().unwrap() - 1;
    for (who, cursor) in [
        (&bob, cursor.clone()),
        (&ada, sealed.to_owned()),
        (&ada, format!("{earlier}.{sealed}")),
        (&ada, format!("{moment}.")),
        (&ada, format!("99999999999.{sealed}")),
        (&ada, format!("{moment}.x{sealed}")),
        (&ada, String::from("x")),
    ] {
        let page = who
            .get(&format!(
                "~/agent/questions?status=OPEN&limit=2&cursor={cursor}"
            ))
            .await;
        page.problem(400, "bad-cursor");
    }
    let other = ada.get(&format!("~/agent/questions?cursor={cursor}")).await;
    // Without the status it is another list.
    other.problem(400, "bad-cursor");
    let next = ada
        .get(&format!(
            "~/agent/questions?status=OPEN&limit=2&cursor={cursor}"
        ))
        .await;
    assert_eq!(next.expect(200).body["items"].as_array().unwrap().len(), 1);
}

/// Nobody sees that another's question is there.
#[tokio::test]
async fn another_agents_question_is_not_there() {
    let api = Api::start().await;
    let (ada, bob) = (api.agent("ada").await, api.agent("bob").await);
    let id = ada.asks(question()).await;
    let path = format!("~/agent/questions/{id}");
    let foreign = bob.get(&path).await.problem(404, "not-found").text.clone();
    let absent = "~/agent/questions/00000000-0000-7000-8000-000000000000";
    let absent = bob.get(absent).await.problem(404, "not-found").text.clone();
    let without_id = |text: &str| text.split("request_id").next().unwrap().to_owned();
    assert_eq!(without_id(&foreign), without_id(&absent));
}

/// S2-21, C2-14
#[tokio::test]
async fn a_question_is_asked_once_for_each_key_of_an_agent() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let (ada, bob) = (api.agent("ada").await, api.agent("bob").await);
    let send = async |who: &crate::support::Caller, key: &str, body: serde_json::Value| {
        let headers = [("idempotency-key", key)];
        who.send(Method::POST, "~/agent/questions", Some(body), &headers)
            .await
    };
    let first = send(&ada, "k", question()).await.expect(201);
    let again = send(&ada, "k", question()).await.expect(201);
    assert_eq!(first.text, again.text);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let left = |reply: &Reply| reply.header("x-ratelimit-remaining").map(str::to_owned);
    assert_eq!(left(&first), left(&again), "it takes nothing");
    let other = json!({ "prompt": "Another question altogether" });
    send(&ada, "k", other.clone())
        .await
        .problem(422, "key-reused");
    // Keys are each agent's own.
    let theirs = send(&bob, "k", other.clone()).await.expect(201);
    assert_ne!(theirs.body["question_id"], first.body["question_id"]);
    assert_eq!(api.stored::<Question>().await.len(), 2);
    let stored = api.stored::<AgentRequest>().await;
    assert_eq!(stored.len(), 2);
    // For 24 hours, judged at read.
    clock.by_seconds(86_340);
    assert_eq!(
        send(&ada, "k", question()).await.expect(201).text,
        first.text
    );
    clock.by_seconds(61);
    let new = send(&ada, "k", other).await.expect(201);
    assert_ne!(new.body["question_id"], first.body["question_id"]);
}

/// S2-21: fifty at once are one.
#[tokio::test]
async fn a_question_sent_fifty_times_at_once_is_asked_once() {
    let api = at_a_full_hour().await;
    let ada = api.agent("ada").await;
    let send = || async {
        let headers = [("idempotency-key", "one")];
        ada.send(
            Method::POST,
            "~/agent/questions",
            Some(question()),
            &headers,
        )
        .await
    };
    let replies = futures_util::future::join_all((0..50).map(|_| send())).await;
    let ids: std::collections::BTreeSet<String> = replies
        .iter()
        .map(|reply| reply.clone().expect(201).text_of("question_id").to_owned())
        .collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(api.stored::<Question>().await.len(), 1);
    let next = ada.post("~/agent/questions", question()).await.expect(201);
    assert_eq!(
        next.header("x-ratelimit-remaining"),
        Some("58"),
        "all of them took one"
    );
}

/// A service whose limits of an hour do not begin anew meanwhile.
async fn at_a_full_hour() -> Api {
    let clock = Ahead::default();
    clock.to_a_full_hour();
    Api::at(clock).await
}

#[tokio::test]
async fn an_agent_asks_within_its_quotas() {
    let clock = Ahead::default();
    clock.to_a_full_hour();
    let api = Api::at(clock.clone()).await;
    let said = AgentSaid {
        questions_per_hour: Some(3),
        open_questions: Some(2),
        polls_per_hour: Some(2),
        ..AgentSaid::default()
    };
    let ada = api.agent_with("ada", said).await;
    let mut short = question();
    short["timeout_seconds"] = json!(60);
    let first = ada
        .post("~/agent/questions", short.clone())
        .await
        .expect(201);
    assert_eq!(first.header("x-ratelimit-limit"), Some("3"));
    assert_eq!(first.header("x-ratelimit-remaining"), Some("2"));
    ada.asks(short.clone()).await;
    let refused = ada.post("~/agent/questions", short.clone()).await;
    refused.problem(403, "quota-exceeded");
    assert_eq!(api.stored::<Question>().await.len(), 2);
    // What has expired is not open, though nobody has written that down.
    clock.by_seconds(61);
    ada.asks(short.clone()).await;
    clock.by_seconds(61);
    let limited = ada.post("~/agent/questions", short.clone()).await;
    let limited = limited.problem(429, "rate-limited");
    let limited = limited.about("Authorization");
    assert_eq!(limited.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(
        limited.header("retry-after"),
        limited.header("x-ratelimit-reset")
    );
    assert_eq!(api.stored::<Question>().await.len(), 3);
    for _ in 0..2 {
        ada.get("~/agent/questions").await.expect(200);
    }
    ada.get("~/agent/questions")
        .await
        .problem(429, "rate-limited");
    clock.by_seconds(3600);
    ada.asks(short).await;
    ada.get("~/agent/questions").await.expect(200);
}

/// S2-23, C2-19: a limit is a condition of the counter, so a crowd at once does not pass it.
#[tokio::test]
async fn a_limit_holds_for_a_crowd_at_once() {
    let api = at_a_full_hour().await;
    let said = AgentSaid {
        polls_per_hour: Some(20),
        ..AgentSaid::default()
    };
    let ada = api.agent_with("ada", said).await;
    let replies = (0..60).map(|_| ada.get("~/agent/questions"));
    let replies = futures_util::future::join_all(replies).await;
    let answered = replies.iter().filter(|reply| reply.status == 200).count();
    let refused = replies.iter().filter(|reply| reply.status == 429).count();
    assert_eq!((answered, refused), (20, 40));
    let windows = api.stored::<LimitWindow>().await;
    assert_eq!(
        windows.iter().map(|window| window.uses).collect::<Vec<_>>(),
        [20]
    );
}

#[tokio::test]
async fn what_is_not_allowed_is_told_and_changes_nothing() {
    let api = Api::start().await;
    let ada = api.agent("ada").await;
    for (body, field) in [
        (json!({}), "prompt"),
        (json!({ "prompt": "short" }), "prompt"),
        (json!({ "prompt": "x".repeat(2001) }), "prompt"),
        (json!({ "prompt": 7 }), "prompt"),
        (
            json!({ "prompt": "long enough", "min_responses": 51 }),
            "min_responses",
        ),
        (
            json!({ "prompt": "long enough", "timeout_seconds": 59 }),
            "timeout_seconds",
        ),
        (
            json!({ "prompt": "long enough", "audience": ["sports"] }),
            "audience[0]",
        ),
        (
            json!({ "prompt": "long enough", "type": "multiple_choice" }),
            "options",
        ),
        (
            json!({ "prompt": "long enough", "agent_id": "bob" }),
            "agent_id",
        ),
    ] {
        let refused = ada.post("~/agent/questions", body.clone()).await;
        refused.problem(422, "invalid").about(field);
    }
    ada.get("~/agent/questions?wait=5")
        .await
        .problem(400, "malformed");
    ada.get("~/agent/questions?status=NEW")
        .await
        .problem(400, "malformed");
    ada.get("~/agent/questions/1")
        .await
        .problem(400, "malformed");
    assert!(api.stored::<Question>().await.is_empty());
    // What is odd and allowed comes back as it was.
    let odd = "<script>alert(1)</script> # \u{1F309} \u{202E} ~ \\ \" {question_id}";
    let id = ada.asks(json!({ "prompt": odd })).await;
    let read = ada
        .get(&format!("~/agent/questions/{id}"))
        .await
        .expect(200);
    assert_eq!(read.body["prompt"], odd);
}

/// S2-1, S2-5: four tables and what the corrections add, each with the deletion it needs.
#[test]
fn each_entity_has_a_table_of_its_own() {
    let table = &Question::descriptor().table;
    assert_eq!(table.name, "aah-questions");
    assert_eq!(
        ask::model::Response::descriptor().table.name,
        "aah-responses"
    );
    assert_eq!(
        ask::model::Subscription::descriptor().table.name,
        "aah-subscriptions"
    );
    assert_eq!(
        ask::model::UserStats::descriptor().table.name,
        "aah-user-stats"
    );
}
