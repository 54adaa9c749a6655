//! What a person has earned, and what they have answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::{Page, Timestamp, Uuid, Versioned};
use tablewright_service::Problem;

use crate::boards::{Period, Rank, rank};
use crate::model::{Response, UserStats};
use crate::rules::badges::Badge;
use crate::rules::stats::streak_at;
use crate::rules::time_zone::{Zone, monday};
use crate::state::App;
use crate::who::Human;

/// A badge, and when it was earned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct EarnedBadge {
    /// Which.
    pub(crate) badge: String,
    /// What people call it.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) about: String,
    /// When it was earned.
    pub(crate) earned_at: Timestamp,
}

impl EarnedBadge {
    /// Those of a person, the latest first.
    pub(crate) fn all(stats: &UserStats) -> Vec<EarnedBadge> {
        let earned = stats.badges.iter().filter_map(|(id, earned_at)| {
            let badge = Badge::of(id)?;
            Some(EarnedBadge {
                badge: id.clone(),
                name: badge.name.to_owned(),
                about: badge.about.to_owned(),
                earned_at: *earned_at,
            })
        });
        let mut earned: Vec<EarnedBadge> = earned.collect();
        earned.sort_by_key(|badge| std::cmp::Reverse(badge.earned_at));
        earned
    }
}

/// What a person has earned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub(crate) struct Stats {
    /// All points.
    pub(crate) total_points: i64,
    /// All answers.
    pub(crate) total_answers: i64,
    /// The points of today, UTC.
    pub(crate) daily_points: i64,
    /// The points of this week, UTC.
    pub(crate) weekly_points: i64,
    /// How many days in a row, where the person is.
    pub(crate) streak_days: i64,
    /// By whose days streaks are counted.
    pub(crate) time_zone: String,
    /// The badges, the latest first.
    pub(crate) badges: Vec<EarnedBadge>,
    /// How many answers in each category.
    pub(crate) answers_by_category: BTreeMap<String, i64>,
    /// The rank among all, of all time: 1 for who has most points. Null without an answer, and beyond 1000.
    pub(crate) rank: Option<u64>,
    /// 1000 if the rank is beyond it, which is not counted; else null.
    pub(crate) rank_over: Option<u64>,
    /// Whether this person was banned: then they answer no more, and are on no board.
    pub(crate) banned: bool,
}

/// What this person has earned, as it is now (S2-19, C2-17).
pub(crate) async fn stats(app: &App, human: &Human) -> Result<Stats, Problem> {
    let found = app.ask.user_stats.stats(&human.fingerprint_hash).await?;
    let Some(stats) = found else {
        return Ok(Stats {
            time_zone: String::from("UTC"),
            ..Stats::default()
        });
    };
    let now = app.now();
    let Rank { rank, over } = rank(app, Period::AllTime, &stats, now).await?;
    Ok(Stats {
        total_points: stats.total_points,
        total_answers: stats.total_answers,
        daily_points: points_of_day(&stats, now),
        weekly_points: points_of_week(&stats, now),
        streak_days: streak_at(&stats, now),
        time_zone: stats.time_zone.clone(),
        badges: EarnedBadge::all(&stats),
        answers_by_category: stats.answers_by_category.clone(),
        rank,
        rank_over: over,
        banned: stats.banned_at.is_some(),
    })
}

/// The points of the day that a moment is on: those of another day are not today's.
pub(crate) fn points_of_day(stats: &UserStats, now: Timestamp) -> i64 {
    match stats.points_date == Zone::utc().at(now).date {
        true => stats.daily_points,
        false => 0,
    }
}

/// The points of the week that a moment is in.
pub(crate) fn points_of_week(stats: &UserStats, now: Timestamp) -> i64 {
    match stats.points_week == monday(Zone::utc().at(now).date) {
        true => stats.weekly_points,
        false => 0,
    }
}

/// An answer of one's own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct OwnAnswer {
    /// Its id.
    pub(crate) response_id: Uuid,
    /// To which question.
    pub(crate) question_id: Uuid,
    /// In words.
    pub(crate) answer: Option<String>,
    /// The number of the option, from 0.
    pub(crate) selected_option: Option<i64>,
    /// How sure one was.
    pub(crate) confidence: Option<i64>,
    /// What it has earned.
    pub(crate) points_earned: i64,
    /// When.
    pub(crate) created_at: Timestamp,
}

impl From<&Response> for OwnAnswer {
    fn from(response: &Response) -> Self {
        OwnAnswer {
            response_id: response.response_id,
            question_id: response.question_id,
            answer: response.answer.clone(),
            selected_option: response.selected_option,
            confidence: response.confidence,
            points_earned: response.points_earned,
            created_at: response.created_at,
        }
    }
}

/// What this person has answered, the latest first (S2-16).
pub(crate) async fn answers(
    app: &App,
    human: &Human,
    limit: u32,
    cursor: Option<&str>,
) -> Result<Page<Versioned<Response>>, Problem> {
    let hash = &human.fingerprint_hash;
    let query = app.ask.responses.answers_of_human(hash);
    let query = query.caller(hash).limit(limit).after(cursor);
    Ok(query.page().await?)
}
