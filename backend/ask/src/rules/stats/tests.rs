use tablewright::Uuid;

use super::*;
use crate::model::{QuestionAudience, QuestionStatus};

/// Somebody who has not answered.
pub(crate) fn nobody() -> UserStats {
    let day = Date::constant(2026, 1, 1);
    first("somebody", &given("2026-01-01T12:00:00.000Z"), day)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn question(audience: &[QuestionAudience]) -> Question {
    Question {
        question_id: Uuid::nil(),
        status: QuestionStatus::Partial,
        prompt: String::from("What do you think?"),
        r#type: QuestionType::Text,
        options: None,
        audience: audience.to_vec(),
        required_responses: 10,
        current_responses: 5,
        responses_needed: 5,
        agent_id: String::from("agent"),
        place: None,
        idempotency_key: None,
        created_at: at("2026-01-01T00:00:00.000Z"),
        expires_at: i64::MAX,
        catch_up_at: 0,
        closed_at: None,
        purge_at: i64::MAX,
    }
}

fn given(moment: &str) -> Given {
    Given {
        length: 20,
        confidence: None,
        at: at(moment),
        response_time_ms: 60_000,
        notified_at: None,
        zone: None,
    }
}

fn general() -> Question {
    question(&[QuestionAudience::General])
}

/// Answers at these moments, one after the other.
fn after(moments: &[&str]) -> UserStats {
    let answers = moments
        .iter()
        .fold(None, |before: Option<UserStats>, moment| {
            let before = before.as_ref();
            Some(with_answer("ada", before, &general(), &given(moment)))
        });
    answers.unwrap()
}

#[test]
fn the_first_answer_begins_everything() {
    let stats = after(&["2026-11-15T12:00:00.000Z"]);
    assert_eq!(
        (stats.total_points, stats.daily_points, stats.weekly_points),
        (10, 10, 10)
    );
    assert_eq!(
        (
            stats.total_answers,
            stats.daily_answers,
            stats.weekly_answers
        ),
        (1, 1, 1)
    );
    assert_eq!(
        (
            stats.streak_days,
            stats.streak_last_date.to_string().as_str()
        ),
        (1, "2026-11-15")
    );
    assert_eq!(stats.points_week.to_string(), "2026-11-09");
    assert_eq!(stats.badges["first_steps"], at("2026-11-15T12:00:00.000Z"));
    assert_eq!(stats.badges.len(), 1);
    assert_eq!(stats.answers_by_category["general"], 1);
}

/// C2-18: the first tag counts, and the map is there from the beginning.
#[test]
fn the_first_tag_is_the_category() {
    let both = question(&[QuestionAudience::Ethics, QuestionAudience::General]);
    let stats = with_answer("ada", None, &both, &given("2026-11-15T12:00:00.000Z"));
    let counted: Vec<(&String, &i64)> = stats.answers_by_category.iter().collect();
    assert_eq!(counted, [(&String::from("ethics"), &1)]);
}

/// C2-17: a day counts once; days are those of the person; the boards' are those of UTC.
#[test]
fn days_and_weeks_follow_their_own_calendars() {
    let stats = after(&[
        "2026-11-14T23:00:00.000Z",
        "2026-11-15T01:00:00.000Z",
        "2026-11-15T02:00:00.000Z",
    ]);
    assert_eq!(
        (stats.streak_days, stats.daily_answers, stats.weekly_answers),
        (2, 2, 3)
    );
    // Monday begins another week.
    let stats = after(&["2026-11-15T23:00:00.000Z", "2026-11-16T01:00:00.000Z"]);
    assert_eq!(
        (stats.weekly_answers, stats.daily_points, stats.total_points),
        (1, 10, 20)
    );
    assert_eq!(stats.points_week.to_string(), "2026-11-16");

    // In Auckland both are on one day, in UTC on two.
    let auckland = |moment: &str| Given {
        zone: Zone::of("Pacific/Auckland"),
        ..given(moment)
    };
    let stats = with_answer(
        "ada",
        None,
        &general(),
        &auckland("2026-11-14T20:00:00.000Z"),
    );
    let stats = with_answer(
        "ada",
        Some(&stats),
        &general(),
        &given("2026-11-15T02:00:00.000Z"),
    );
    assert_eq!((stats.streak_days, stats.daily_answers), (1, 1));
    assert_eq!(
        stats.time_zone, "Pacific/Auckland",
        "what was said once is kept"
    );
    assert_eq!(
        streak_at(&stats, at("2026-11-16T10:00:00.000Z")),
        1,
        "the 16th, there too"
    );
    assert_eq!(
        streak_at(&stats, at("2026-11-16T12:00:00.000Z")),
        0,
        "the 17th, there"
    );
}

/// C2-17: what comes late, by a clock that is behind, moves no date back.
#[test]
fn an_older_answer_moves_nothing_back() {
    let before = after(&["2026-11-16T00:00:01.000Z"]);
    let stats = with_answer(
        "ada",
        Some(&before),
        &general(),
        &given("2026-11-15T23:59:59.000Z"),
    );
    assert_eq!(stats.points_date, before.points_date);
    assert_eq!(stats.points_week, before.points_week);
    assert_eq!(stats.streak_last_date, before.streak_last_date);
    assert_eq!(
        (stats.streak_days, stats.daily_answers, stats.weekly_answers),
        (1, 2, 2)
    );
    assert_eq!(stats.updated_at, before.updated_at);
}

/// C2-16: a badge has the date of the first time, and is there once.
#[test]
fn a_badge_keeps_its_date() {
    let stats = after(&[
        "2026-11-13T12:00:00.000Z",
        "2026-11-14T12:00:00.000Z",
        "2026-11-15T12:00:00.000Z",
    ]);
    assert_eq!(stats.total_points, 30 + 10, "with the bonus of three days");
    assert_eq!(stats.badges["first_steps"], at("2026-11-13T12:00:00.000Z"));
    assert_eq!(stats.badges["on_a_roll"], at("2026-11-15T12:00:00.000Z"));
    let later = with_answer(
        "ada",
        Some(&stats),
        &general(),
        &given("2026-12-24T12:00:00.000Z"),
    );
    assert_eq!((later.streak_days, later.badges.len()), (1, 2));
    assert_eq!(later.badges["on_a_roll"], stats.badges["on_a_roll"]);
}

/// C2-17: the cap of a day holds for points alone.
#[test]
fn answers_beyond_the_cap_count_without_points() {
    let mut stats = after(&["2026-11-15T12:00:00.000Z"]);
    for _ in 0..60 {
        stats = with_answer(
            "ada",
            Some(&stats),
            &general(),
            &given("2026-11-15T12:00:00.000Z"),
        );
    }
    assert_eq!(
        (stats.daily_points, stats.total_points, stats.total_answers),
        (500, 500, 61)
    );
    let next = with_answer(
        "ada",
        Some(&stats),
        &general(),
        &given("2026-11-16T00:00:00.000Z"),
    );
    assert_eq!((next.daily_points, next.total_points), (10, 510));
}

#[test]
fn what_badges_count_is_counted() {
    let asked = Question {
        created_at: at("2026-11-15T04:58:00.000Z"),
        ..general()
    };
    let fast = Given {
        response_time_ms: 30_000,
        confidence: Some(5),
        ..given("2026-11-15T05:00:00.000Z")
    };
    let stats = with_answer("ada", None, &asked, &fast);
    let counted = (
        stats.early_answers,
        stats.night_answers,
        stats.fast_answers,
        stats.confident_answers,
    );
    assert_eq!(counted, (1, 1, 1, 1));
    assert!(stats.badges.contains_key("early_bird"));
    let slow = Given {
        response_time_ms: 30_001,
        confidence: Some(4),
        ..given("2026-11-15T06:00:00.000Z")
    };
    let stats = with_answer("ada", None, &asked, &slow);
    let counted = (
        stats.early_answers,
        stats.night_answers,
        stats.fast_answers,
        stats.confident_answers,
    );
    assert_eq!(counted, (0, 0, 0, 0));
}

/// A question with fewer than half of its answers is worth more; notices count for five minutes.
#[test]
fn a_question_that_lacks_answers_is_worth_more() {
    for (current, required, points) in
        [(0, 1, 15), (4, 10, 15), (5, 10, 10), (2, 5, 15), (3, 5, 10)]
    {
        let asked = Question {
            current_responses: current,
            required_responses: required,
            ..general()
        };
        let stats = with_answer("ada", None, &asked, &given("2026-11-15T12:00:00.000Z"));
        assert_eq!(stats.total_points, points, "{current} of {required}");
    }
    let told = Given {
        notified_at: Some(at("2026-11-15T11:55:00.000Z")),
        ..given("2026-11-15T12:00:00.000Z")
    };
    assert_eq!(with_answer("ada", None, &general(), &told).total_points, 13);
}

/// C2-17: another zone holds from the next day on. However many one names, a day of the calendar counts once, and who travels loses nothing.
#[test]
fn naming_time_zones_makes_no_days() {
    let said = |stats: Option<&UserStats>, moment: &str, zone: &str| {
        let given = Given {
            zone: Zone::of(zone),
            ..given(moment)
        };
        with_answer("ada", stats, &general(), &given)
    };
    // Between 10 and 11 o'clock, UTC, it is three dates at once.
    let mut stats = said(None, "2026-11-15T10:30:00.000Z", "Pacific/Niue");
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Niue", "Europe/Berlin"] {
        stats = said(Some(&stats), "2026-11-15T10:30:05.000Z", zone);
        assert_eq!(
            (stats.streak_days, stats.time_zone.as_str()),
            (1, "Pacific/Niue"),
            "{zone}"
        );
    }
    assert_eq!(
        stats.night_answers, 0,
        "where one has said one is, it is not night"
    );

    // The next day there: one more, and from now on it is that of Kiritimati.
    let stats = said(
        Some(&stats),
        "2026-11-15T11:00:00.000Z",
        "Pacific/Kiritimati",
    );
    assert_eq!(
        (stats.streak_days, stats.time_zone.as_str()),
        (2, "Pacific/Kiritimati")
    );
    let same = said(
        Some(&stats),
        "2026-11-15T11:00:05.000Z",
        "Pacific/Kiritimati",
    );
    assert_eq!(same.streak_days, 2);
    // Back and forth at every midnight of either: a day each day, and not two.
    let mut there_and_back = same;
    let mut days = Vec::new();
    for day in 16..20 {
        for (hour, zone) in [(10, "Pacific/Niue"), (11, "Pacific/Kiritimati")] {
            let moment = format!("2026-11-{day}T{hour}:00:01.000Z");
            there_and_back = said(Some(&there_and_back), &moment, zone);
        }
        days.push(there_and_back.streak_days);
    }
    assert!(
        days.iter().zip(3..).all(|(days, most)| *days <= most),
        "{days:?}"
    );

    // From Berlin to Los Angeles and on to Auckland, an answer a day: the streak goes on.
    let mut traveller = said(None, "2026-11-15T20:00:00.000Z", "Europe/Berlin");
    for (day, zone) in [
        ("16", "America/Los_Angeles"),
        ("17", "America/Los_Angeles"),
        ("18", "Pacific/Auckland"),
        ("19", "Pacific/Auckland"),
    ] {
        let moment = format!("2026-11-{day}T20:00:00.000Z");
        traveller = said(Some(&traveller), &moment, zone);
        assert!(streak_at(&traveller, at(&moment)) > 1, "{day}");
    }
    assert_eq!(traveller.streak_days, 5);
    assert_eq!(traveller.time_zone, "Pacific/Auckland");
}
