//! The page of an agent: what it asked, with the answers as they come.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{StatusCode, Uri};
use tablewright_service::{Claims, Cursor, Form, Kind, Problem, Write};

use super::feed::is_cursor;
use super::html;
use super::words::{progress, time_left};
use crate::asking::{self, Wanted};
use crate::limits::{Counted, Limit};
use crate::listing::From;
use crate::model::{AgentRequest, Question, QuestionAudience, QuestionType};
use crate::rules::question::NewQuestion;
use crate::state::App;
use crate::view::{AnsweredQuestion, Votes, counts};
use crate::who::KnownAgent;

/// How many questions are shown, and how many answers in words of each.
const SHOWN: u32 = 10;
const TEXTS: usize = 20;

/// How long a question may take answers: the seconds, and how that is said.
const DEADLINES: [(i64, &str); 5] = [
    (300, "5 minutes"),
    (900, "15 minutes"),
    (3600, "an hour"),
    (14_400, "4 hours"),
    (86_400, "a day"),
];

pub(super) fn routes(app: &App) -> Router {
    Router::new()
        .route("/agent", get(shell))
        .route("/page/agent/questions", get(show).post(ask))
        .with_state(app.clone())
}

#[derive(Template)]
#[template(path = "agent.html")]
struct Shell {
    here: &'static str,
    audiences: Vec<&'static str>,
    deadlines: [(i64, &'static str); 5],
}

async fn shell() -> Result<Response, Problem> {
    let audiences = QuestionAudience::ALL.iter();
    html(&Shell {
        here: "agent",
        audiences: audiences.map(|tag| tag.as_str()).collect(),
        deadlines: DEADLINES,
    })
}

#[derive(Template)]
#[template(path = "agent_questions.html")]
struct Questions {
    questions: Vec<Row>,
    /// The cursor of the older ones, if there are some, and of these, if they are not the newest.
    older: Option<String>,
    at: Option<String>,
    /// What stands for what is shown: asked for again, it is sent again only when it is another.
    seen: String,
}

#[derive(Hash)]
struct Row {
    status: &'static str,
    progress: String,
    left: String,
    prompt: String,
    bars: Vec<Bar>,
    texts: Vec<String>,
    /// How many answers in words are not shown.
    unseen: usize,
    /// How many an admin has rejected.
    rejected: usize,
}

#[derive(Hash)]
struct Bar {
    text: String,
    votes: usize,
    percent: u32,
}

async fn show(State(app): State<App>, agent: KnownAgent, uri: Uri) -> Result<Response, Problem> {
    let most = agent.0.polls_per_hour.max(3600);
    let standing = Limit::hourly(Counted::PAGES, agent.id(), most)
        .take(&app)
        .await?;
    let said = Form::in_query(&uri);
    let at = said.text("cursor").filter(|at| is_cursor(at));
    let page = match shown(&app, &agent, at, said.text("seen")).await {
        // It is an old one: from the newest on.
        Err(problem) if problem.kind() == Kind::BAD_CURSOR => shown(&app, &agent, None, None).await,
        page => page,
    };
    Ok(standing.told_on(page?))
}

/// A form that is sent again, since nobody answered, asks once: by its key, and without taking of the quota twice (S2-21, C2-14).
async fn ask(
    State(app): State<App>,
    agent: KnownAgent,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, agent) = (&app, &agent);
    let new = new_question(&write.body)?.checked()?;
    let turn = asking::turn(app, agent).await;
    write
        .once(app.store(), |claims: Claims<AgentRequest>| async move {
            let once = asking::ask(app, agent, new, claims).await?;
            Ok(once.map(|(asked, _)| asked))
        })
        .await?;
    drop(turn);
    shown(app, agent, None, None).await
}

/// What the form says: options make it a choice.
fn new_question(said: &Form) -> Result<NewQuestion, Problem> {
    let options = said.text("options").unwrap_or_default().lines();
    let options = options.map(str::trim).filter(|line| !line.is_empty());
    let options: Vec<String> = options.map(str::to_owned).collect();
    let wrong = || Problem::invalid("min_responses", "it is a number from 1 to 50");
    let responses = said.text("min_responses").unwrap_or("5").parse();
    let seconds = said.text("timeout_seconds").unwrap_or("3600").parse();
    let no_time = || Problem::invalid("timeout_seconds", "it is a number of seconds");
    let chosen = |tag: &&QuestionAudience| said.text(&format!("for_{}", tag.as_str())).is_some();
    let mut audience: Vec<_> = QuestionAudience::ALL
        .iter()
        .filter(chosen)
        .copied()
        .collect();
    if audience.is_empty() {
        audience.push(QuestionAudience::General);
    }
    let is_choice = !options.is_empty();
    Ok(NewQuestion {
        prompt: said
            .text("prompt")
            .unwrap_or_default()
            .replace("\r\n", "\n"),
        r#type: if is_choice {
            QuestionType::MultipleChoice
        } else {
            QuestionType::Text
        },
        options: is_choice.then_some(options),
        audience,
        min_responses: responses.map_err(|_| wrong())?,
        timeout_seconds: seconds.map_err(|_| no_time())?,
    })
}

async fn shown(
    app: &App,
    agent: &KnownAgent,
    at: Option<&str>,
    seen: Option<&str>,
) -> Result<Response, Problem> {
    let now = app.now().seconds();
    let cursor = at.map(Cursor::new);
    let from = From::of(cursor.as_ref(), now)?;
    let wanted = Wanted {
        status: None,
        limit: SHOWN,
        from,
    };
    let page = asking::list(app, agent, &wanted).await?;
    let mut questions = Vec::new();
    for question in page.items {
        let answered = asking::with_answers(app, &question).await?;
        questions.push(row(&question, answered, now));
    }
    let mut hasher = DefaultHasher::new();
    questions.hash(&mut hasher);
    let now_seen = format!("{:x}", hasher.finish());
    if seen == Some(now_seen.as_str()) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    html(&Questions {
        questions,
        older: from.next(page.next),
        at: at.map(str::to_owned),
        seen: now_seen,
    })
}

fn row(question: &Question, answered: AnsweredQuestion, now: i64) -> Row {
    let bars = answered.summary.into_iter().flatten().map(bar);
    let (counted, rejected): (Vec<_>, Vec<_>) = answered
        .responses
        .into_iter()
        .partition(|response| counts(response.review));
    let texts = counted.into_iter().filter_map(|response| response.answer);
    let mut texts: Vec<String> = texts.collect();
    let unseen = texts.len().saturating_sub(TEXTS);
    texts.truncate(TEXTS);
    Row {
        status: answered.question.status.as_str(),
        progress: progress(question),
        left: time_left(question, now),
        prompt: question.prompt.clone(),
        bars: bars.collect(),
        texts,
        unseen,
        rejected: rejected.len(),
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 1"
)]
fn bar(votes: Votes) -> Bar {
    Bar {
        percent: (votes.share * 100.0).round() as u32,
        text: votes.text,
        votes: votes.votes,
    }
}
