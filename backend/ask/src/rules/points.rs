//! What an answer is worth.

use crate::model::QuestionType;

/// The most points of one day.
pub const MOST_A_DAY: i64 = 500;

/// How soon after being notified an answer earns more, in milliseconds: 5 minutes.
pub const SOON: i64 = 5 * 60 * 1000;

/// From how many characters on a text earns more.
const LONG: usize = 100;

/// What points are earned by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earning {
    /// In words, or a choice.
    pub kind: QuestionType,
    /// How many characters the words have.
    pub length: usize,
    /// Whether it is said how sure one is.
    pub says_how_sure: bool,
    /// How long after one was notified of the question, in milliseconds, if one was.
    pub since_notice: Option<i64>,
    /// Whether the question had fewer than half of its answers.
    pub was_needed: bool,
}

/// The points of an answer by itself.
pub fn of_answer(earning: &Earning) -> i64 {
    let (base, long) = match earning.kind {
        QuestionType::Text => (10, earning.length > LONG),
        QuestionType::MultipleChoice => (5, false),
    };
    let soon = earning
        .since_notice
        .is_some_and(|waited| (0..=SOON).contains(&waited));
    let bonuses = [
        (long, 5),
        (earning.says_how_sure, 2),
        (soon, 3),
        (earning.was_needed, 5),
    ];
    let earned = bonuses.into_iter().filter(|(is_so, _)| *is_so);
    base + earned.map(|(_, points)| points).sum::<i64>()
}

/// The points of a streak that has got longer: only on the day it gets there.
pub fn of_streak(before: i64, after: i64) -> i64 {
    if after <= before {
        return 0;
    }
    match after {
        3 => 10,
        7 => 25,
        30 => 100,
        100 => 500,
        _ => 0,
    }
}

/// What of these points is given on a day that has brought so many already.
pub fn within_the_day(points: i64, so_far: i64) -> i64 {
    points.min(MOST_A_DAY - so_far).max(0)
}

#[cfg(test)]
mod tests {
    use QuestionType::{MultipleChoice, Text};

    use super::*;

    #[test]
    fn an_answer_is_worth_what_the_table_says() {
        let plain = Earning {
            kind: Text,
            length: 20,
            says_how_sure: false,
            since_notice: None,
            was_needed: false,
        };
        let choice = Earning {
            kind: MultipleChoice,
            length: 0,
            ..plain
        };
        let soon = |waited| Earning {
            since_notice: Some(waited),
            ..plain
        };
        let long = |length| Earning { length, ..plain };
        for (earning, points) in [
            (plain, 10),
            (choice, 5),
            (long(100), 10),
            (long(101), 15),
            (
                Earning {
                    length: 101,
                    ..choice
                },
                5,
            ),
            (
                Earning {
                    says_how_sure: true,
                    ..choice
                },
                7,
            ),
            (
                Earning {
                    was_needed: true,
                    ..choice
                },
                10,
            ),
            (soon(0), 13),
            (soon(SOON), 13),
            (soon(SOON + 1), 10),
            (soon(-1), 10),
            (
                Earning {
                    says_how_sure: true,
                    was_needed: true,
                    since_notice: Some(1),
                    ..long(5000)
                },
                25,
            ),
        ] {
            assert_eq!(of_answer(&earning), points, "{earning:?}");
        }
    }

    #[test]
    fn a_streak_is_rewarded_on_the_day_it_gets_there() {
        for (before, after, points) in [
            (0, 1, 0),
            (2, 3, 10),
            (3, 3, 0),
            (3, 4, 0),
            (6, 7, 25),
            (29, 30, 100),
            (99, 100, 500),
            (100, 101, 0),
            (7, 1, 0),
        ] {
            assert_eq!(of_streak(before, after), points, "{before} {after}");
        }
    }

    /// C2-17: the daily cap.
    #[test]
    fn a_day_has_a_cap() {
        for (points, so_far, given) in [
            (10, 0, 10),
            (10, 490, 10),
            (10, 491, 9),
            (10, 500, 0),
            (10, 700, 0),
            (510, 0, 500),
        ] {
            assert_eq!(within_the_day(points, so_far), given, "{points} {so_far}");
        }
    }
}
