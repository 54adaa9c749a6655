//! What people can answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Only, Query, Timestamp, Uuid, Versioned};
use tablewright_service::{Listing, Problem};

use crate::listing::From;
use crate::model::{
    Question, QuestionAudience, QuestionRefined, QuestionStatus, QuestionType, ResponseKey,
};
use crate::opened::opened;
use crate::rules::life::{accepts, status_at};
use crate::state::App;
use crate::view::moment;
use crate::who::Human;

/// How often a page is filled up where somebody has answered much of what is there. After that it may be shorter, and its cursor goes on.
const ROUNDS: usize = 16;

/// Fewer than that are not worth a round.
const WORTH_IT: u32 = 25;

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// Those that lack most answers first.
    Neediest,
}

/// Which questions are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'r> {
    pub(crate) order: Order,
    pub(crate) audience: Option<QuestionAudience>,
    pub(crate) limit: u32,
    pub(crate) from: From<'r>,
}

/// A question, as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct OpenQuestion {
    /// Its id.
    pub(crate) question_id: Uuid,
    /// What is asked.
    pub(crate) prompt: String,
    /// In words, or one of `options`.
    pub(crate) r#type: QuestionType,
    /// What can be chosen.
    pub(crate) options: Option<Vec<String>>,
    /// For whom it is.
    pub(crate) audience: Vec<QuestionAudience>,
    /// With how many answers it closes.
    pub(crate) required_responses: i64,
    /// How many it lacks.
    pub(crate) responses_needed: i64,
    /// When it was asked.
    pub(crate) created_at: Timestamp,
    /// Until when it takes answers.
    pub(crate) expires_at: Timestamp,
}

/// A question that somebody opens.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct OpenedQuestion {
    #[serde(flatten)]
    pub(crate) question: OpenQuestion,
    /// How far it is. From its deadline on it is `EXPIRED`.
    pub(crate) status: QuestionStatus,
    /// Whether this person has answered it.
    pub(crate) answered: bool,
    /// Whether this person can answer it now.
    pub(crate) can_answer: bool,
    /// What is sent along with the answer; null where it cannot be answered.
    pub(crate) opened: Option<String>,
}

impl std::convert::From<&Question> for OpenQuestion {
    fn from(question: &Question) -> Self {
        OpenQuestion {
            question_id: question.question_id,
            prompt: question.prompt.clone(),
            r#type: question.r#type,
            options: question.options.clone(),
            audience: question.audience.clone(),
            required_responses: question.required_responses,
            responses_needed: question.responses_needed,
            created_at: question.created_at,
            expires_at: moment(question.expires_at),
        }
    }
}

/// What accepts answers and was not answered by this person (S2-13, C2-5, C2-6).
pub(crate) async fn page(
    app: &App,
    human: &Human,
    wanted: &Wanted<'_>,
) -> Result<Listing<OpenQuestion>, Problem> {
    let limit = wanted.limit as usize;
    let mut items = Vec::with_capacity(limit);
    let mut after = wanted.from.cursor.map(str::to_owned);
    // Few may be for an audience, and what a page costs must not grow with what is open: half of what the model says is looked at in the first round, half of
    // the rest in the second, and so on.
    let mut halved = 1;
    for round in 0..ROUNDS {
        let lacks = u32::try_from(limit - items.len()).unwrap_or(wanted.limit);
        let mut query = query(app, human, wanted).limit(lacks);
        if let (true, Some(looks_at)) = (wanted.audience.is_some(), query.looks_at()) {
            halved *= 2;
            if round > 0 && looks_at / halved < WORTH_IT {
                break;
            }
            query = query.looking_at(looks_at / halved);
        }
        let page = query.after(after.as_deref()).page().await?;
        let questions = page.items.into_iter().map(|question| question.data);
        items.extend(not_answered(app, human, questions.collect()).await?);
        after = page.next;
        if items.len() >= limit || after.is_none() {
            break;
        }
    }
    Ok(Listing {
        items: items.iter().map(OpenQuestion::from).collect(),
        next_cursor: wanted.from.next(after),
    })
}

fn query(app: &App, human: &Human, wanted: &Wanted<'_>) -> Query<Versioned<Question>> {
    let questions = &app.ask.questions;
    let query = match wanted.order {
        Order::Newest => questions.open_questions(wanted.from.moment),
        Order::Neediest => questions.neediest_questions(wanted.from.moment),
    };
    let audience = wanted.audience.map_or(Only::Any, Only::Is);
    let refined = QuestionRefined {
        audience,
        ..QuestionRefined::default()
    };
    query.refined(&refined).caller(&human.fingerprint_hash)
}

/// Those that this person can answer now. A later page is of the moment of the first: some have expired meanwhile.
async fn not_answered(
    app: &App,
    human: &Human,
    mut questions: Vec<Question>,
) -> Result<Vec<Question>, Problem> {
    let now = app.now().seconds();
    questions.retain(|question| accepts(question, now));
    let key = |question: &Question| ResponseKey::new(question.question_id, &human.fingerprint_hash);
    let keys: Vec<ResponseKey> = questions.iter().map(key).collect();
    let answers = app.ask.responses.responses_of_humans(&keys).await?;
    let open = questions.into_iter().zip(answers);
    let open = open.filter(|(_, answer)| answer.is_none());
    Ok(open.map(|(question, _)| question).collect())
}

/// One question, opened now (S2-12, S2-17).
pub(crate) async fn open(
    app: &App,
    human: &Human,
    question_id: Uuid,
) -> Result<OpenedQuestion, Problem> {
    let hash = &human.fingerprint_hash;
    let (question, response, stats) = tokio::try_join!(
        app.ask.questions.question(question_id),
        app.ask.responses.response(question_id, hash),
        app.ask.user_stats.stats(hash),
    )?;
    let question = question.ok_or_else(|| Problem::not_found("question"))?;
    let now = app.now();
    let banned = stats.is_some_and(|stats| stats.banned_at.is_some());
    let can_answer = accepts(&question, now.seconds()) && response.is_none() && !banned;
    Ok(OpenedQuestion {
        status: status_at(&question, now.seconds()),
        answered: response.is_some(),
        can_answer,
        opened: can_answer.then(|| opened(&app.signer, question_id, human, now)),
        question: OpenQuestion::from(&question.data),
    })
}
