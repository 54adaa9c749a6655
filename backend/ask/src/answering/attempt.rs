//! One attempt to store an answer.

use tablewright::{Change, Error, Failed, Timestamp};
use tablewright_service::Problem;

use super::receipt::Receipt;
use super::{Answer, Seen};
use crate::model::{
    AnswerInput, AnswerQuestion, FirstAnswerInput, FirstAnswerQuestion, Question, QuestionKey,
    QuestionPlace, QuestionStatus, Response, ResponseReview, UserStats, UserStatsKey,
};
use crate::rules::life::{KEPT_CLOSED, KEPT_RESPONSE, status_with_one_more};
use crate::rules::stats::{Given, changes, with_answer};
use crate::state::App;

/// Why an attempt ended.
pub(super) enum Stop {
    /// Somebody else was faster, or it is not known whether it was stored: whoever looks again knows.
    Again(Error),
    /// Something is wrong.
    Ended(Problem),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            error if error.is_transient() => Stop::Again(error),
            Error::Uncertain { .. } => Stop::Again(error),
            error => Stop::Ended(error.into()),
        }
    }
}

impl<R> From<Failed<R>> for Stop {
    fn from(failed: Failed<R>) -> Self {
        match failed {
            Failed::Refused(_) => faster(),
            Failed::Error(error) => error.into(),
        }
    }
}

/// What was seen is so no longer. Why, is told by looking again.
fn faster() -> Stop {
    Stop::Again(conflict())
}

/// Others were faster.
pub(super) fn conflict() -> Error {
    Error::Conflict {
        entity: String::from("Question"),
    }
}

/// What becomes of a question with one answer more. The status holds for the count it was computed from (C2-12).
struct Next {
    status: QuestionStatus,
    place: Change<Option<QuestionPlace>>,
    closed_at: Change<Option<Timestamp>>,
    purge_at: Change<i64>,
}

impl Next {
    fn of(question: &Question, at: Timestamp) -> Self {
        let status = status_with_one_more(question);
        let (place, closed_at, purge_at) = match status {
            QuestionStatus::Closed => (
                Change::Set(None),
                Change::Set(Some(at)),
                Change::Set(at.seconds() + KEPT_CLOSED),
            ),
            _ => (Change::Keep, Change::Keep, Change::Keep),
        };
        Next {
            status,
            place,
            closed_at,
            purge_at,
        }
    }
}

impl Answer<'_> {
    /// Stores it, if question and person are still as they were seen.
    pub(super) async fn attempt(&self, app: &App, seen: &Seen) -> Result<Receipt, Stop> {
        match &seen.stats {
            Some(stats) => self.one_more(app, &seen.question, stats).await,
            None => self.the_first(app, &seen.question).await,
        }
    }

    async fn one_more(
        &self,
        app: &App,
        question: &Question,
        stats: &UserStats,
    ) -> Result<Receipt, Stop> {
        let at = app.now();
        let (count, now) = (question.current_responses, at.seconds());
        let key = QuestionKey::new(question.question_id);
        let person = UserStatsKey::new(&stats.fingerprint_hash);
        let mut receipt = None;
        let ask = &app.ask;
        ask.answer(&key, &person, count, now, |seen| {
            if seen.question.current_responses != count {
                return Err(faster());
            }
            let before = &seen.user_stats;
            let after = self.stats_after(Some(before), &seen.question, at);
            let response = self.response(before.total_points, &after, at);
            let next = Next::of(&seen.question, at);
            receipt = Some(Receipt::new(&response, Some(before), &after));
            Ok(AnswerInput {
                question: AnswerQuestion {
                    status: Change::Set(next.status),
                    place: next.place,
                    closed_at: next.closed_at,
                    purge_at: next.purge_at,
                    add_current_responses: 1,
                    add_responses_needed: -1,
                },
                user_stats: changes(before, &after),
                response,
            })
        })
        .await?;
        receipt.ok_or_else(faster)
    }

    async fn the_first(&self, app: &App, question: &Question) -> Result<Receipt, Stop> {
        let at = app.now();
        let (count, now) = (question.current_responses, at.seconds());
        let key = QuestionKey::new(question.question_id);
        let mut receipt = None;
        let ask = &app.ask;
        ask.first_answer(&key, count, now, |seen| {
            if seen.question.current_responses != count {
                return Err(faster());
            }
            let after = self.stats_after(None, &seen.question, at);
            let response = self.response(0, &after, at);
            let next = Next::of(&seen.question, at);
            receipt = Some(Receipt::new(&response, None, &after));
            Ok(FirstAnswerInput {
                question: FirstAnswerQuestion {
                    status: Change::Set(next.status),
                    place: next.place,
                    closed_at: next.closed_at,
                    purge_at: next.purge_at,
                    add_current_responses: 1,
                    add_responses_needed: -1,
                },
                user_stats: after,
                response,
            })
        })
        .await?;
        receipt.ok_or_else(faster)
    }

    /// What the person is told if an attempt stored it whose reply was lost.
    pub(super) fn was_stored(&self, app: &App, seen: &Seen) -> Option<Receipt> {
        let stored = seen.response.as_ref();
        let own = stored.filter(|response| response.response_id == self.response_id)?;
        Some(Receipt::found(own, seen.stats.as_ref()?, app.now()))
    }

    fn stats_after(
        &self,
        before: Option<&UserStats>,
        question: &Question,
        at: Timestamp,
    ) -> UserStats {
        let given = Given {
            length: self.said.length(),
            confidence: self.said.confidence,
            at,
            response_time_ms: self.response_time_ms,
            notified_at: self.notified_at,
            zone: self.zone.clone(),
        };
        with_answer(&self.human.fingerprint_hash, before, question, &given)
    }

    fn response(&self, points_before: i64, after: &UserStats, at: Timestamp) -> Response {
        Response {
            question_id: self.said.question_id,
            fingerprint_hash: self.human.fingerprint_hash.clone(),
            response_id: self.response_id,
            answer: self.said.answer.clone(),
            selected_option: self.said.selected_option,
            confidence: self.said.confidence,
            points_earned: after.total_points - points_before,
            created_at: at,
            response_time_ms: Some(self.response_time_ms),
            flag_reason: self.flag_reason,
            review: self.flag_reason.map(|_| ResponseReview::Pending),
            purge_at: at.seconds() + KEPT_RESPONSE,
        }
    }
}
