//! Many open questions, and many people with points.

use ask::model::{Question, QuestionAudience, QuestionStatus, QuestionType, UserStats};
use serde::Serialize;
use tablewright::{Date, Entity, Fields, Load, Store, Timestamp, Uuid};

pub(super) async fn fill(store: &Store, items: usize) -> anyhow::Result<()> {
    let now = Timestamp::now();
    let mut load = Load::into_store(store);
    for number in 0..items {
        load.add(Question::descriptor(), fields(&question(number, now)?)?)
            .await?;
        load.add(UserStats::descriptor(), fields(&person(number, now)?)?)
            .await?;
    }
    load.finish().await?;
    Ok(())
}

fn fields<T: Entity + Serialize>(entity: &T) -> anyhow::Result<Fields> {
    let mut fields = Fields::default();
    let value = serde_json::to_value(entity)?;
    for (name, value) in value.as_object().into_iter().flatten() {
        fields.insert(name, value).map_err(anyhow::Error::msg)?;
    }
    Ok(fields)
}

/// One of the last hours, which still accepts answers for some.
fn question(number: usize, now: Timestamp) -> anyhow::Result<Question> {
    let number = i64::try_from(number)?;
    let asked = Timestamp::from_millis(now.millis() - number * 100 - 3_600_000);
    let asked = asked.unwrap_or(now);
    let expires_at = now.seconds() + 20_000 + number % 50_000;
    let tags = QuestionAudience::ALL;
    Ok(Question {
        question_id: Uuid::now_v7(),
        status: QuestionStatus::Open,
        prompt: format!(
            "What do you think of number {number}, and of the {} before it?",
            number / 2
        ),
        r#type: QuestionType::Text,
        options: None,
        audience: vec![tags[usize::try_from(number)? % tags.len()]],
        required_responses: 1 + number % 50,
        current_responses: 0,
        responses_needed: 1 + number % 50,
        agent_id: format!("agent-{}", number % 1000),
        place: None,
        idempotency_key: None,
        created_at: asked,
        expires_at,
        catch_up_at: now.seconds() + 100_000,
        closed_at: None,
        purge_at: expires_at + 86_400,
    })
}

/// Somebody with some points, today too.
fn person(number: usize, now: Timestamp) -> anyhow::Result<UserStats> {
    let today: Date = now
        .to_string()
        .chars()
        .take(10)
        .collect::<String>()
        .parse()?;
    let points = i64::try_from(number)?;
    Ok(UserStats {
        fingerprint_hash: Uuid::now_v7().simple().to_string(),
        total_points: 100 + points % 50_000,
        total_answers: 10,
        daily_points: 30 + points % 400,
        daily_answers: 3,
        points_date: today,
        weekly_points: 30 + points % 2000,
        weekly_answers: 3,
        points_week: ask::rules::time_zone::monday(today),
        streak_days: 1,
        streak_last_date: today,
        time_zone: String::from("UTC"),
        badges: std::collections::BTreeMap::new(),
        answers_by_category: std::collections::BTreeMap::new(),
        early_answers: 0,
        night_answers: 0,
        fast_answers: 0,
        confident_answers: 0,
        banned_at: None,
        created_at: now,
        updated_at: now,
    })
}
