//! What is past its deadline: expired in every read, and marked soon after.

use ask::Sweeper;
use ask::model::QuestionStatus;
use serde_json::json;
use tablewright::Uuid;

use crate::support::{Ahead, Api, Asks as _, Caller};

async fn asked(agent: &Caller, seconds: u32) -> Uuid {
    let question = json!({ "prompt": "Would you cross this bridge?", "timeout_seconds": seconds });
    agent.asks(question).await.parse().unwrap()
}

async fn status(agent: &Caller, id: Uuid) -> String {
    let read = agent.get(&format!("~/agent/questions/{id}")).await;
    read.expect(200).text_of("status").to_owned()
}

/// S2-25, C2-7, C2-8: the deadline and the end of keeping are two times, and no read waits for the sweeper.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_expires_is_marked_and_is_kept_for_a_day() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let agent = api.agent("a").await;
    let sweeper = Sweeper::new(&api.app);
    let (short, long) = (asked(&agent, 60).await, asked(&agent, 3600).await);
    assert_eq!(sweeper.sweep().await.unwrap(), 0);

    clock.by_seconds(60);
    assert_eq!(status(&agent, short).await, "EXPIRED", "unswept");
    let questions = &api.ask.questions;
    let stored = questions.question(short).await.unwrap().unwrap();
    assert_eq!(stored.status, QuestionStatus::Open);

    assert_eq!(sweeper.sweep().await.unwrap(), 1);
    assert_eq!(sweeper.sweep().await.unwrap(), 0, "once is enough");
    assert_eq!(status(&agent, short).await, "EXPIRED");
    assert_eq!(status(&agent, long).await, "OPEN");
    let stored = questions.question(short).await.unwrap().unwrap();
    assert_eq!(stored.status, QuestionStatus::Expired);
    assert_eq!(stored.purge_at, stored.expires_at + 86_400);
    let now = stored.expires_at;
    let due = questions.questions_to_catch_up(now + 7200).all();
    let due: Vec<Uuid> = due
        .collect()
        .await
        .unwrap()
        .iter()
        .map(|due| due.question_id)
        .collect();
    assert_eq!(due, [long], "nobody is told of what has expired");

    // The time to live has passed, whether DynamoDB has noticed or not.
    clock.by_seconds(86_401);
    let gone = agent.get(&format!("~/agent/questions/{short}")).await;
    gone.expect(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn sweepers_at_once_mark_each_question_once() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let agent = api.agent("a").await;
    for _ in 0..40 {
        asked(&agent, 60).await;
    }
    clock.by_seconds(61);
    let (one, two) = (Sweeper::new(&api.app), Sweeper::new(&api.app));
    let (one, two) = tokio::join!(one.sweep(), two.sweep());
    assert_eq!(one.unwrap() + two.unwrap(), 40);
}

/// What closed in time stays closed, and is kept for longer.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_closed_does_not_expire() {
    let clock = Ahead::default();
    let api = Api::at(clock.clone()).await;
    let agent = api.agent("a").await;
    let id = asked(&agent, 60).await;
    let key = ask::model::QuestionKey::new(id);
    let close = |question: &mut ask::model::Question| {
        question.status = QuestionStatus::Closed;
        question.purge_at += 600_000;
    };
    let closed = api.ask.questions.items().update(&key, close).await.unwrap();
    clock.by_seconds(61);
    assert_eq!(Sweeper::new(&api.app).sweep().await.unwrap(), 0);
    let stored = api.ask.questions.question(id).await.unwrap().unwrap();
    assert_eq!(stored.data, closed.data);
}
