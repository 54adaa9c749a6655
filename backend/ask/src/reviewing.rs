//! Answers for admins to look at: those that look like abuse wait for it, and any other can be decided on as well.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Change, Error, Timestamp, Uuid, Versioned};
use tablewright_service::{Kind, Listing, Problem};

use crate::model::{
    BanHuman, DeactivateSubscription, Question, Response, ResponseFlagReason, ResponseKey,
    ResponseReview, ReviewResponse, Subscription, SubscriptionKey, UserStatsKey,
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
    /// It is not counted, and its author answers no more.
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
    /// What was decided; `pending` until then, and null if it was never flagged.
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

/// Decides on an answer that waits, or was never flagged. Only a ban comes after another decision, and nothing comes after a ban: whatever is decided at once, in the end an author who is banned has an answer that is.
/// The author is banned first: if only that was done, the answer can still be decided on.
///
/// # Errors
/// 404 when there is no such answer, 409 when something else was decided.
pub(crate) async fn decide(app: &App, decision: &Decision) -> Result<FlaggedAnswer, Problem> {
    let key = ResponseKey::new(decision.question_id, &decision.fingerprint_hash);
    let found = app.ask.responses.items().read_strong(&key).await?;
    let found = found.ok_or_else(|| Problem::not_found("answer"))?;
    let review = match decision.review {
        Verdict::Approved => ResponseReview::Approved,
        Verdict::Rejected => ResponseReview::Rejected,
        Verdict::Banned => ResponseReview::Banned,
    };
    may_become(&found, review)?;
    if decision.review == Verdict::Banned {
        ban(app, &decision.fingerprint_hash).await?;
    }
    let response = match found.review == Some(review) {
        true => found,
        false => write_down(app, &key, review).await?,
    };
    if decision.review == Verdict::Banned {
        settle(app, &decision.fingerprint_hash).await?;
    }
    let question = app.ask.questions.question(decision.question_id).await?;
    Ok(FlaggedAnswer::new(&response, question.as_deref()))
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
    match answer.review {
        None | Some(ResponseReview::Pending) => Ok(()),
        // The same again, or something worse was found out.
        Some(before) if before == review || review == ResponseReview::Banned => Ok(()),
        Some(_) => {
            Err(Problem::new(Kind::REFUSED).detail("something else was decided on this answer"))
        }
    }
}

/// What else waits of somebody who was banned is decided with that: it is not counted either.
async fn settle(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let answers = app.ask.responses.answers_of_human(fingerprint_hash);
    let answers = answers.limit(100).all().collect().await?.into_iter();
    for answer in answers.filter(|answer| answer.review == Some(ResponseReview::Pending)) {
        let key = ResponseKey::new(answer.question_id, fingerprint_hash);
        match write_down(app, &key, ResponseReview::Banned).await {
            Ok(_) => {}
            // Decided on meanwhile, or gone.
            Err(problem) if [Kind::REFUSED, Kind::NOT_FOUND].contains(&problem.kind()) => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

/// From now on this person answers nothing, is on no board, and is told of nothing.
async fn ban(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let key = UserStatsKey::new(fingerprint_hash);
    let now = app.now();
    let banned = app.ask.user_stats.ban_human(&key, |_| {
        Ok::<_, Error>(BanHuman {
            banned_at: Change::Set(Some(now)),
            updated_at: Change::Set(now),
        })
    });
    match banned.await {
        // Banned before.
        Ok(_) | Err(Error::Refused { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    be_silent(app, fingerprint_hash).await
}

/// Who answers nothing is notified of nothing. A device they bring later is passed over by the dispatcher.
async fn be_silent(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let subscriptions = &app.ask.subscriptions;
    let devices = subscriptions.subscriptions_of_human(fingerprint_hash);
    let devices = devices.limit(100).all().collect().await?.into_iter();
    let now = app.now();
    for device in devices.filter(|device| device.active) {
        let key = SubscriptionKey::new(device.subscription_id);
        let silent = |_: &Versioned<Subscription>| {
            Ok::<_, Error>(DeactivateSubscription {
                active: Change::Set(false),
                updated_at: Change::Set(now),
            })
        };
        let written = subscriptions.deactivate_subscription(&key, &device.fcm_token, silent);
        match written.await {
            // Gone meanwhile, or with another token.
            Ok(_) | Err(Error::Refused { .. } | Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
