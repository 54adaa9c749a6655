//! What a person is told who has answered.

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::{Timestamp, Uuid};

use crate::model::{Response, UserStats};
use crate::rules::stats::streak_at;
use crate::statistics::EarnedBadge;

/// An answer that was stored, and what it has earned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Receipt {
    /// The id of the answer.
    pub(crate) response_id: Uuid,
    /// What it has earned.
    pub(crate) points_earned: i64,
    /// The badges it has earned.
    pub(crate) new_badges: Vec<EarnedBadge>,
    /// All points of the person.
    pub(crate) total_points: i64,
    /// How many days in a row the person has answered.
    pub(crate) streak_days: i64,
}

impl Receipt {
    /// Of an answer that was stored just now.
    pub(super) fn new(response: &Response, before: Option<&UserStats>, after: &UserStats) -> Self {
        let had = |badge: &EarnedBadge| {
            before.is_some_and(|before| before.badges.contains_key(&badge.badge))
        };
        let new_badges = EarnedBadge::all(after).into_iter();
        Receipt {
            new_badges: new_badges.filter(|badge| !had(badge)).collect(),
            ..Receipt::found(response, after, response.created_at)
        }
    }

    /// Of an answer that is there, with the statistics there are.
    pub(super) fn found(response: &Response, stats: &UserStats, now: Timestamp) -> Self {
        let badges = EarnedBadge::all(stats).into_iter();
        Receipt {
            response_id: response.response_id,
            points_earned: response.points_earned,
            // A badge has the date of the answer that has earned it.
            new_badges: badges
                .filter(|badge| badge.earned_at == response.created_at)
                .collect(),
            total_points: stats.total_points,
            streak_days: streak_at(stats, now),
        }
    }
}
