//! The life of a question: what it is at a moment, and how long it is kept.

use crate::model::{Question, QuestionStatus};

/// How long a closed question is kept, in seconds: 7 days.
pub const KEPT_CLOSED: i64 = 7 * 86_400;

/// How long an expired question is kept, in seconds: a day.
pub const KEPT_EXPIRED: i64 = 86_400;

/// How long an answer is kept, in seconds: 30 days (C2-9).
pub const KEPT_RESPONSE: i64 = 30 * 86_400;

/// How long after it was asked people are told of a question again, in seconds.
pub const FIRST_CATCH_UP: i64 = 15 * 60;

/// How long after that, each time, in seconds.
pub const NEXT_CATCH_UP: i64 = 30 * 60;

/// What a question is at a moment, in seconds since 1970: from its deadline on it has expired, whether that was written down or not (C2-7,
/// C2-8).
pub fn status_at(question: &Question, now: i64) -> QuestionStatus {
    match question.status {
        QuestionStatus::Open | QuestionStatus::Partial if question.expires_at <= now => {
            QuestionStatus::Expired
        }
        status => status,
    }
}

/// Whether it takes answers at a moment.
pub fn accepts(question: &Question, now: i64) -> bool {
    matches!(
        status_at(question, now),
        QuestionStatus::Open | QuestionStatus::Partial
    )
}

/// What it is with one answer more (C2-12).
pub fn status_with_one_more(question: &Question) -> QuestionStatus {
    match question.current_responses + 1 >= question.required_responses {
        true => QuestionStatus::Closed,
        false => QuestionStatus::Partial,
    }
}
