//! What a person has earned, before and after an answer.

use std::collections::BTreeMap;

use tablewright::{Change, Date, Timestamp};

use super::badges::BADGES;
use super::points::{self, Earning};
use super::streak::Streak;
use super::time_zone::{Zone, monday};
use crate::model::{AnswerUserStats, Question, QuestionType, UserStats};

/// How soon after the question an answer is early, how soon after opening it is fast, in milliseconds.
const EARLY: i64 = 2 * 60 * 1000;
const FAST: i64 = 30 * 1000;

/// Until which hour it is night.
const NIGHT_ENDS: i8 = 6;

/// The most points a person can have: what a board has room for.
const MOST_POINTS: i64 = 999_999_999;

/// What of an answer counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// How many characters its words have; 0 of a choice.
    pub length: usize,
    /// How sure the person is.
    pub confidence: Option<i64>,
    /// When it was given.
    pub at: Timestamp,
    /// How long after the question was opened, in milliseconds.
    pub response_time_ms: i64,
    /// When the person was notified of the question, if they were.
    pub notified_at: Option<Timestamp>,
    /// Where the person says they are.
    pub zone: Option<Zone>,
}

/// What a person has earned with one answer more. `question` is as it was before.
pub fn with_answer(
    fingerprint_hash: &str,
    before: Option<&UserStats>,
    question: &Question,
    given: &Given,
) -> UserStats {
    let today = Zone::utc().at(given.at).date;
    let mut stats = match before {
        Some(before) => before.clone(),
        None => first(fingerprint_hash, given, today),
    };
    let (zone, streak) = day_of(&stats, given);
    let here = zone.at(given.at);
    let earned = points::of_answer(&earning(question, given))
        + points::of_streak(stats.streak_days, streak.days);
    turn_the_page(&mut stats, today);
    let earned = points::within_the_day(earned, stats.daily_points);
    stats.total_points = (stats.total_points + earned).min(MOST_POINTS);
    stats.daily_points += earned;
    stats.weekly_points += earned;
    stats.total_answers += 1;
    stats.daily_answers += 1;
    stats.weekly_answers += 1;
    stats.streak_days = streak.days;
    stats.streak_last_date = streak.last;
    zone.name().clone_into(&mut stats.time_zone);
    if let Some(category) = question.audience.first() {
        let category = category.as_str().to_owned();
        *stats.answers_by_category.entry(category).or_default() += 1;
    }
    let after_asking = given.at.millis() - question.created_at.millis();
    stats.early_answers += i64::from(after_asking <= EARLY);
    stats.night_answers += i64::from(here.hour < NIGHT_ENDS);
    stats.fast_answers += i64::from(given.response_time_ms <= FAST);
    stats.confident_answers += i64::from(given.confidence == Some(5));
    stats.updated_at = given.at.max(stats.updated_at);
    let earned = BADGES.iter().filter(|badge| badge.is_earned(&stats));
    let earned: Vec<&str> = earned.map(|badge| badge.id).collect();
    for id in earned {
        // What was earned before keeps its date (C2-16).
        stats.badges.entry(id.to_owned()).or_insert(given.at);
    }
    stats
}

/// By which zone an answer counts, and the streak with it (C2-17).
///
/// Another zone than before holds from the next day on: with the first answer of a day that is new where the person was. That day counts as it would have there,
/// and is written down as the later of both dates. So every day of the calendar counts once at most, wherever one says one is, and nobody loses a streak by
/// travelling.
fn day_of(stats: &UserStats, given: &Given) -> (Zone, Streak) {
    let stored = Zone::stored(&stats.time_zone);
    let before = streak_of(stats);
    let day = stored.at(given.at).date;
    let mut streak = before.with(day);
    match &given.zone {
        Some(zone) if *zone != stored && day > before.last => {
            streak.last = streak.last.max(zone.at(given.at).date);
            (zone.clone(), streak)
        }
        _ => (stored, streak),
    }
}

/// The streak as it is stored.
pub fn streak_of(stats: &UserStats) -> Streak {
    Streak {
        days: stats.streak_days,
        last: stats.streak_last_date,
    }
}

/// The streak as it is at a moment (C2-17).
pub fn streak_at(stats: &UserStats, now: Timestamp) -> i64 {
    let today = Zone::stored(&stats.time_zone).at(now).date;
    streak_of(stats).on(today)
}

/// What changes between two states of a person, for the transaction of an answer.
pub fn changes(before: &UserStats, after: &UserStats) -> AnswerUserStats {
    AnswerUserStats {
        daily_points: Change::Set(after.daily_points),
        daily_answers: Change::Set(after.daily_answers),
        points_date: Change::Set(after.points_date),
        weekly_points: Change::Set(after.weekly_points),
        weekly_answers: Change::Set(after.weekly_answers),
        points_week: Change::Set(after.points_week),
        streak_days: Change::Set(after.streak_days),
        streak_last_date: Change::Set(after.streak_last_date),
        time_zone: Change::Set(after.time_zone.clone()),
        badges: Change::Set(after.badges.clone()),
        answers_by_category: Change::Set(after.answers_by_category.clone()),
        updated_at: Change::Set(after.updated_at),
        add_total_points: after.total_points - before.total_points,
        add_total_answers: after.total_answers - before.total_answers,
        add_early_answers: after.early_answers - before.early_answers,
        add_night_answers: after.night_answers - before.night_answers,
        add_fast_answers: after.fast_answers - before.fast_answers,
        add_confident_answers: after.confident_answers - before.confident_answers,
    }
}

/// Another day or week has begun: its points are none yet. A clock that is behind begins none (C2-17).
fn turn_the_page(stats: &mut UserStats, today: Date) {
    if today > stats.points_date {
        stats.points_date = today;
        stats.daily_points = 0;
        stats.daily_answers = 0;
    }
    let week = monday(today);
    if week > stats.points_week {
        stats.points_week = week;
        stats.weekly_points = 0;
        stats.weekly_answers = 0;
    }
}

fn earning(question: &Question, given: &Given) -> Earning {
    let since = |notified: Timestamp| given.at.millis() - notified.millis();
    Earning {
        kind: question.r#type,
        length: match question.r#type {
            QuestionType::Text => given.length,
            QuestionType::MultipleChoice => 0,
        },
        says_how_sure: given.confidence.is_some(),
        since_notice: given.notified_at.map(since),
        was_needed: question.current_responses * 2 < question.required_responses,
    }
}

/// Nothing yet, with a streak that ended the day before: the answer that follows begins it.
fn first(fingerprint_hash: &str, given: &Given, today: Date) -> UserStats {
    let zone = given.zone.clone().unwrap_or_else(Zone::utc);
    let (at, here) = (given.at, zone.at(given.at).date);
    UserStats {
        fingerprint_hash: fingerprint_hash.to_owned(),
        total_points: 0,
        total_answers: 0,
        daily_points: 0,
        daily_answers: 0,
        points_date: today,
        weekly_points: 0,
        weekly_answers: 0,
        points_week: monday(today),
        streak_days: 0,
        streak_last_date: here.yesterday().unwrap_or(here),
        time_zone: zone.name().to_owned(),
        badges: BTreeMap::new(),
        answers_by_category: BTreeMap::new(),
        early_answers: 0,
        night_answers: 0,
        fast_answers: 0,
        confident_answers: 0,
        banned_at: None,
        created_at: at,
        updated_at: at,
    }
}

#[cfg(test)]
pub(crate) mod tests;
