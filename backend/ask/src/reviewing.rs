//! Answers for admins to look at: those that look like abuse wait for it, and any other can be decided on as well.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Change, Timestamp, Uuid, Versioned};
use tablewright_service::{Kind, Listing, Problem};

use crate::banning;
use crate::model::{
    Question, Response, ResponseFlagReason, ResponseKey, ResponseReview, ReviewResponse,
};
use crate::state::App;

/// What an admin decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Verdict {
    /// It is an answer as any other.
    Approved,
    /// It is not counted in the summary.
    Rejected,
    /// It is not counted, and its author answers no more, until the ban is ended.
    Banned,
}

/// A decision on one answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// To which question it is.
    pub(crate) question_id: Uuid,
    /// Whose it is.
    #[schemars(length(min = 1, max = 128))]
    pub(crate) fingerprint_hash: String,
    /// What it is.
    pub(crate) review: Verdict,
}

/// An answer, as an admin sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FlaggedAnswer {
    /// To which question it is.
    pub(crate) question_id: Uuid,
    /// Whose it is.
    pub(crate) fingerprint_hash: String,
    /// Its id.
    pub(crate) response_id: Uuid,
    /// What was asked; null once the question is gone.
    pub(crate) prompt: Option<String>,
    /// What was answered, in words.
    pub(crate) answer: Option<String>,
    /// What was chosen, by its number from 0.
    pub(crate) selected_option: Option<i64>,
    /// What that option says.
    pub(crate) selected_text: Option<String>,
    /// Why it was flagged; null if it was not.
    pub(crate) flag_reason: Option<ResponseFlagReason>,
    /// How long it took, in milliseconds.
    pub(crate) response_time_ms: Option<i64>,
    /// When it was given.
    pub(crate) created_at: Timestamp,
    /// What was decided; `pending` until then, also after the ban of its author was ended, and null if it never waited.
    pub(crate) review: Option<ResponseReview>,
}

impl FlaggedAnswer {
    fn new(response: &Response, question: Option<&Question>) -> Self {
        let chosen = response.selected_option.map(usize::try_from);
        let options = question.and_then(|question| question.options.as_ref());
        let selected_text = match (chosen, options) {
            (Some(Ok(chosen)), Some(options)) => options.get(chosen).cloned(),
            _ => None,
        };
        FlaggedAnswer {
            question_id: response.question_id,
            fingerprint_hash: response.fingerprint_hash.clone(),
            response_id: response.response_id,
            prompt: question.map(|question| question.prompt.clone()),
            answer: response.answer.clone(),
            selected_option: response.selected_option,
            selected_text,
            flag_reason: response.flag_reason,
            response_time_ms: response.response_time_ms,
            created_at: response.created_at,
            review: response.review,
        }
    }
}

/// Those that wait for an admin, the oldest first.
pub(crate) async fn waiting(
    app: &App,
    limit: u32,
    cursor: Option<&str>,
) -> Result<Listing<FlaggedAnswer>, Problem> {
    let query = app.ask.responses.responses_to_review();
    let page = query.limit(limit).after(cursor).page().await?;
    let ids: BTreeSet<Uuid> = page.items.iter().map(|found| found.question_id).collect();
    let questions = ids.into_iter().map(|id| app.ask.questions.question(id));
    let questions = try_join_all(questions).await?.into_iter().flatten();
    let questions: BTreeMap<Uuid, Question> = questions
        .map(|found| (found.question_id, found.data))
        .collect();
    Ok(Listing::of(page, |response| {
        FlaggedAnswer::new(&response, questions.get(&response.question_id))
    }))
}

/// All answers to a question, the oldest first.
///
/// # Errors
/// 404 when there is no such question.
pub(crate) async fn of_question(
    app: &App,
    question_id: Uuid,
) -> Result<Vec<FlaggedAnswer>, Problem> {
    let question = app.ask.questions.question(question_id).await?;
    let question = question.ok_or_else(|| Problem::not_found("question"))?;
    let answers = app.ask.responses.responses_of_question(question_id);
    let answers = answers.page().await?.items.into_iter();
    let mut answers: Vec<FlaggedAnswer> = answers
        .map(|answer| FlaggedAnswer::new(&answer, Some(&question)))
        .collect();
    answers.sort_by_key(|answer| (answer.created_at, answer.response_id));
    Ok(answers)
}

/// Decides on an answer that waits, or was never flagged. Only a ban comes after another decision, and nothing comes after a ban until it is ended: whatever is
/// decided at once, in the end an author who is banned has an answer that is.
/// The author is banned first, with all that waits of theirs: if only that was done, the answer can still be decided on.
///
/// # Errors
/// 404 when there is no such answer, 409 when something else was decided.
pub(crate) async fn decide(app: &App, decision: &Decision) -> Result<FlaggedAnswer, Problem> {
    let key = ResponseKey::new(decision.question_id, &decision.fingerprint_hash);
    let found = app.ask.responses.items().read_strong(&key).await?;
    let found = found.ok_or_else(|| Problem::not_found("answer"))?;
    let response = match decision.review {
        Verdict::Approved => decided(app, &key, found, ResponseReview::Approved).await?,
        Verdict::Rejected => decided(app, &key, found, ResponseReview::Rejected).await?,
        Verdict::Banned => {
            banning::ban(app, &decision.fingerprint_hash).await?;
            // Also over what it was when it was read: another admin may end a ban in the same moment.
            let may_be = |before: &Response| may_become(before, ResponseReview::Banned);
            let written = banning::ban_for(app, &key, may_be).await;
            written.map_err(|problem| match problem.kind() == Kind::NOT_FOUND {
                true => problem.detail("its author is banned; the answer is gone"),
                false => problem,
            })?
        }
    };
    let question = app.ask.questions.question(decision.question_id).await?;
    Ok(FlaggedAnswer::new(&response, question.as_deref()))
}

async fn decided(
    app: &App,
    key: &ResponseKey,
    found: Versioned<Response>,
    review: ResponseReview,
) -> Result<Versioned<Response>, Problem> {
    may_become(&found, review)?;
    match found.review == Some(review) {
        true => Ok(found),
        false => write_down(app, key, review).await,
    }
}

async fn write_down(
    app: &App,
    key: &ResponseKey,
    review: ResponseReview,
) -> Result<Versioned<Response>, Problem> {
    let decided = app.ask.responses.review_response(key, |before| {
        // Another admin may have been faster.
        may_become(before, review)?;
        Ok::<_, Problem>(ReviewResponse {
            review: Change::Set(Some(review)),
        })
    });
    decided.await
}

fn may_become(answer: &Response, review: ResponseReview) -> Result<(), Problem> {
    let why = match answer.review {
        None | Some(ResponseReview::Pending) => return Ok(()),
        // The same again, or something worse was found out.
        Some(before) if before == review || review == ResponseReview::Banned => return Ok(()),
        Some(ResponseReview::Banned) => "its author was banned for it: end the ban first",
        Some(_) => "something else was decided on this answer",
    };
    Err(Problem::new(Kind::REFUSED).detail(why))
}
