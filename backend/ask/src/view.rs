//! What agents see of a question.

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::{Timestamp, Uuid};

use crate::model::{
    Question, QuestionAudience, QuestionStatus, QuestionType, Response, ResponseReview,
};
use crate::rules::life::status_at;

/// A question that was asked just now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Asked {
    /// Its id.
    pub(crate) question_id: Uuid,
    /// `OPEN`.
    pub(crate) status: QuestionStatus,
    /// Where its answers are read.
    pub(crate) poll_url: String,
    /// Until when it takes answers.
    pub(crate) expires_at: Timestamp,
    /// When it was asked.
    pub(crate) created_at: Timestamp,
}

/// A question, without its answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct QuestionView {
    /// Its id.
    pub(crate) question_id: Uuid,
    /// How far it is. From its deadline on it is `EXPIRED`.
    pub(crate) status: QuestionStatus,
    /// What people are asked.
    pub(crate) prompt: String,
    /// In words, or one of `options`.
    pub(crate) r#type: QuestionType,
    /// What can be chosen.
    pub(crate) options: Option<Vec<String>>,
    /// For whom it is.
    pub(crate) audience: Vec<QuestionAudience>,
    /// With how many answers it closes.
    pub(crate) required_responses: i64,
    /// How many it has.
    pub(crate) current_responses: i64,
    /// When it was asked.
    pub(crate) created_at: Timestamp,
    /// Until when it takes answers.
    pub(crate) expires_at: Timestamp,
    /// When it got its last answer.
    pub(crate) closed_at: Option<Timestamp>,
}

/// A question with its answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct AnsweredQuestion {
    /// The question.
    #[serde(flatten)]
    pub(crate) question: QuestionView,
    /// Its answers, the oldest first.
    pub(crate) responses: Vec<ResponseView>,
    /// How many chose which option; null for a question in words.
    pub(crate) summary: Option<Vec<Votes>>,
}

/// What somebody answered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ResponseView {
    /// Its id.
    pub(crate) response_id: Uuid,
    /// In words.
    pub(crate) answer: Option<String>,
    /// The number of the option, from 0.
    pub(crate) selected_option: Option<i64>,
    /// How sure they are, 1 to 5.
    pub(crate) confidence: Option<i64>,
    /// When they answered.
    pub(crate) created_at: Timestamp,
    /// What became of it, if it looked like abuse.
    pub(crate) review: Option<ResponseReview>,
}

/// How many chose an option.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Votes {
    /// Its number, from 0.
    pub(crate) option: usize,
    /// What it says.
    pub(crate) text: String,
    /// How many chose it.
    pub(crate) votes: usize,
    /// Their share of all, from 0 to 1.
    pub(crate) share: f64,
}

impl QuestionView {
    /// As it is at a moment, in seconds since 1970.
    pub(crate) fn at(question: &Question, now: i64) -> Self {
        QuestionView {
            question_id: question.question_id,
            status: status_at(question, now),
            prompt: question.prompt.clone(),
            r#type: question.r#type,
            options: question.options.clone(),
            audience: question.audience.clone(),
            required_responses: question.required_responses,
            current_responses: question.current_responses,
            created_at: question.created_at,
            expires_at: moment(question.expires_at),
            closed_at: question.closed_at,
        }
    }
}

impl AnsweredQuestion {
    pub(crate) fn new(question: QuestionView, responses: &[Response]) -> Self {
        let summary = question.options.as_deref();
        let summary = summary.map(|options| votes(options, responses));
        AnsweredQuestion {
            question,
            responses: responses.iter().map(ResponseView::from).collect(),
            summary,
        }
    }
}

impl From<&Response> for ResponseView {
    fn from(response: &Response) -> Self {
        ResponseView {
            response_id: response.response_id,
            answer: response.answer.clone(),
            selected_option: response.selected_option,
            confidence: response.confidence,
            created_at: response.created_at,
            review: response.review,
        }
    }
}

/// Whether an answer counts: what was rejected does not.
pub(crate) fn counts(review: Option<ResponseReview>) -> bool {
    !matches!(
        review,
        Some(ResponseReview::Rejected | ResponseReview::Banned)
    )
}

fn votes(options: &[String], responses: &[Response]) -> Vec<Votes> {
    let counted: Vec<&Response> = responses
        .iter()
        .filter(|response| counts(response.review))
        .collect();
    let of = |option: usize| {
        let chose = |response: &&&Response| {
            response
                .selected_option
                .is_some_and(|chosen| usize::try_from(chosen) == Ok(option))
        };
        counted.iter().filter(chose).count()
    };
    let all = counted.len().max(1);
    let votes = options.iter().enumerate();
    votes
        .map(|(option, text)| Votes {
            option,
            text: text.clone(),
            votes: of(option),
            share: of(option) as f64 / all as f64,
        })
        .collect()
}

/// A moment that is kept in seconds.
pub(crate) fn moment(seconds: i64) -> Timestamp {
    let moment = Timestamp::from_millis(seconds.saturating_mul(1000));
    moment.expect("what is stored was within the times there are")
}
