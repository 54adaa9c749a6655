//! Agents wait for answers.

use std::time::{Duration, Instant};

use ask::model::{
    FirstAnswerInput, FirstAnswerQuestion, Question, QuestionKey, QuestionStatus, Response,
    UserStats,
};
use serde_json::json;
use tablewright::{Change, Error, Timestamp, Uuid};

use crate::support::{Ahead, Api, Asks as _, question};

/// An answer another process takes: this one hears nothing of it.
async fn answered_elsewhere(api: &Api, id: Uuid, who: &str, seen: i64, needed: i64) {
    let now = Timestamp::from_millis(api.ask.store().now_millis()).unwrap();
    let is_last = seen + 1 == needed;
    let change = |_: &ask::model::FirstAnswerSeen| {
        let today = "2026-01-05".parse().unwrap();
        Ok::<_, Error>(FirstAnswerInput {
            response: Response {
                question_id: id,
                fingerprint_hash: who.to_owned(),
                response_id: Uuid::now_v7(),
                answer: Some(String::from("Yes")),
                selected_option: None,
                confidence: None,
                points_earned: 0,
                created_at: now,
                response_time_ms: None,
                flag_reason: None,
                review: None,
                purge_at: now.seconds() + 1000,
            },
            question: FirstAnswerQuestion {
                status: Change::Set(if is_last { QuestionStatus::Closed } else { QuestionStatus::Partial }),
                place: if is_last { Change::Set(None) } else { Change::Keep },
                closed_at: if is_last { Change::Set(Some(now)) } else { Change::Keep },
                purge_at: Change::Keep,
                add_current_responses: 1,
                add_responses_needed: -1,
            },
            user_stats: serde_json::from_value::<UserStats>(json!({
                "fingerprint_hash": who, "points_date": today_of(today), "points_week": "2026-01-05",
                "streak_last_date": "2026-01-05", "badges": {}, "answers_by_category": {},
                "created_at": now, "updated_at": now,
            }))
            .unwrap(),
        })
    };
    api.ask
        .first_answer::<Refused>(&QuestionKey::new(id), seen, now.seconds(), |seen| {
            change(seen).map_err(|error| Refused(error.to_string()))
        })
        .await
        .unwrap();
}

fn today_of(day: tablewright::Date) -> String {
    day.to_string()
}

#[derive(Debug)]
#[allow(dead_code, reason = "a test shows it")]
struct Refused(String);

impl<R: std::fmt::Debug> From<tablewright::Failed<R>> for Refused {
    fn from(failed: tablewright::Failed<R>) -> Self {
        Refused(failed.to_string())
    }
}

#[tokio::test]
async fn who_waits_is_answered_when_something_has_changed() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    let mut new = question();
    new["min_responses"] = json!(2);
    let id = agent.asks(new).await;
    let uuid: Uuid = id.parse().unwrap();
    let path = format!("~/agent/questions/{id}?wait=30");
    let later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        answered_elsewhere(&api, uuid, "bob", 0, 2).await;
    };
    let (waited, ()) = tokio::join!(agent.get(&path), later);
    let waited = waited.expect(200);
    assert_eq!(waited.body["status"], "PARTIAL");
    assert_eq!(waited.body["responses"][0]["answer"], "Yes");
    let later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        answered_elsewhere(&api, uuid, "eve", 1, 2).await;
    };
    let (waited, ()) = tokio::join!(agent.get(&path), later);
    assert_eq!(waited.expect(200).body["status"], "CLOSED");
    // What is over is given at once, however long one would wait.
    assert_eq!(
        agent.get(&path).await.expect(200).body["current_responses"],
        2
    );
    assert_eq!(
        api.stored::<Question>().await[0].status,
        QuestionStatus::Closed
    );
}

#[tokio::test]
async fn who_waits_in_vain_is_told_how_it_is_then() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let agent = api.agent("ada").await;
    let id = agent
        .asks(json!({ "prompt": "Does anybody hear me?", "timeout_seconds": 60 }))
        .await;
    let begun = Instant::now();
    let waited = agent.get(&format!("~/agent/questions/{id}?wait=1")).await;
    assert_eq!(waited.expect(200).body["status"], "OPEN");
    assert!(begun.elapsed() >= Duration::from_secs(1));
    // The deadline passes while somebody waits.
    let path = format!("~/agent/questions/{id}?wait=30");
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        clock.by_seconds(61);
    };
    let (waited, ()) = tokio::join!(agent.get(&path), later);
    assert_eq!(waited.expect(200).body["status"], "EXPIRED");
    for wait in ["0", "31", "-1", "x", ""] {
        let path = format!("~/agent/questions/{id}?wait={wait}");
        agent.get(&path).await.problem(400, "malformed");
    }
}
