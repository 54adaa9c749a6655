//! Asking, and waiting for answers.

use std::time::Duration;

use tablewright::{Once, Only, Page, Uuid, Versioned};
use tablewright_service::{Claims, Created, Ending, Problem};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use crate::limits::Standing;
use crate::listing::From;
use crate::model::{AgentRequest, Question, QuestionRefined, QuestionStatus, Response};
use crate::places;
use crate::rules::life::{accepts, status_at};
use crate::rules::question::NewQuestion;
use crate::state::App;
use crate::turns::OnesTurn;
use crate::view::{AnsweredQuestion, Asked, QuestionView, moment};
use crate::who::KnownAgent;

/// How often a question is read again while somebody waits for it: for answers that other processes take.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The turn of an agent to ask. Whoever asks with an idempotency key waits for it before it is looked whether that was asked already: then what is sent many times at once takes one of the quota.
pub(crate) async fn turn(app: &App, agent: &KnownAgent) -> OnesTurn {
    app.asking.of(agent.id().to_owned()).await
}

/// Asks once for each idempotency key, in the turn of the agent. What is sent again takes nothing of the quota.
pub(crate) async fn ask(
    app: &App,
    agent: &KnownAgent,
    new: NewQuestion,
    claims: Claims<AgentRequest>,
) -> Result<Once<(Created<Asked>, Standing), AgentRequest>, Problem> {
    let most = places::one_is_free(app, agent).await?;
    let standing = agent.questions().take(app).await?;
    let key = claims.claimed().map(|claimed| claimed.key.clone());
    let question = new.asked(Uuid::now_v7(), agent.id(), key, app.now());
    let answer = asked(&question);
    let claim = claims.of(&answer)?;
    let once = places::ask(app, most, question, claim).await?;
    Ok(once.map(|()| (answer, standing)))
}

fn asked(question: &Question) -> Created<Asked> {
    let poll_url = format!("/agent/questions/{}", question.question_id);
    let asked = Asked {
        question_id: question.question_id,
        status: question.status,
        poll_url: poll_url.clone(),
        expires_at: moment(question.expires_at),
        created_at: question.created_at,
    };
    Created::new(asked, poll_url)
}

/// A question of this agent with its answers. What is another's is not there.
pub(crate) async fn read(
    app: &App,
    agent: &KnownAgent,
    question_id: Uuid,
) -> Result<AnsweredQuestion, Problem> {
    let question = own(app, agent, question_id).await?;
    with_answers(app, &question).await
}

/// The same, as soon as it has another answer or another status, and at the latest after so long, or when the service ends. What is over
/// already is given at once.
pub(crate) async fn wait_for(
    app: &App,
    agent: &KnownAgent,
    question_id: Uuid,
    wait: Duration,
    mut ending: Ending,
) -> Result<AnsweredQuestion, Problem> {
    let until = Instant::now() + wait;
    let mut news = app.news.subscribe();
    let first = own(app, agent, question_id).await?;
    let was = (
        first.current_responses,
        status_at(&first, app.now().seconds()),
    );
    let mut question = first;
    while accepts(&question, app.now().seconds()) && Instant::now() < until {
        let again = tokio::time::sleep_until(until.min(Instant::now() + LOOK_AGAIN));
        let heard = async {
            loop {
                match news.recv().await {
                    Ok(id) if id == question_id => return,
                    Ok(_) => {}
                    // Some were missed: perhaps this one.
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        tokio::select! {
            () = again => {}
            () = heard => {}
            () = ending.begun() => break,
        }
        question = own(app, agent, question_id).await?;
        if (
            question.current_responses,
            status_at(&question, app.now().seconds()),
        ) != was
        {
            break;
        }
    }
    with_answers(app, &question).await
}

async fn own(
    app: &App,
    agent: &KnownAgent,
    question_id: Uuid,
) -> Result<Versioned<Question>, Problem> {
    let found = app.ask.questions.question(question_id).await?;
    let own = found.filter(|question| question.agent_id == agent.id());
    own.ok_or_else(|| Problem::not_found("question"))
}

/// A question with its answers, the oldest first.
pub(crate) async fn with_answers(
    app: &App,
    question: &Question,
) -> Result<AnsweredQuestion, Problem> {
    let responses = app
        .ask
        .responses
        .responses_of_question(question.question_id);
    let responses = responses.page().await?.items.into_iter();
    let mut responses: Vec<Response> = responses.map(|response| response.data).collect();
    responses.sort_by_key(|response| (response.created_at, response.response_id));
    let view = QuestionView::at(question, app.now().seconds());
    Ok(AnsweredQuestion::new(view, &responses))
}

/// Which of an agent's questions are wanted.
pub(crate) struct Wanted<'r> {
    pub(crate) status: Option<QuestionStatus>,
    pub(crate) limit: u32,
    pub(crate) from: From<'r>,
}

/// What an agent has asked, the newest first (S2-14).
pub(crate) async fn list(
    app: &App,
    agent: &KnownAgent,
    wanted: &Wanted<'_>,
) -> Result<Page<Versioned<Question>>, Problem> {
    let query = app.ask.questions.questions_of_agent(agent.id());
    let query = query.refined(&with_status(wanted.status, wanted.from.moment));
    let query = query.caller(agent.id()).limit(wanted.limit);
    Ok(query.after(wanted.from.cursor).page().await?)
}

/// By what is stored, those that have a status now.
fn with_status(status: Option<QuestionStatus>, now: i64) -> QuestionRefined {
    use QuestionStatus::{Closed, Expired, Open, Partial};
    let (status, expires_at) = match status {
        None => (Only::Any, Only::Any),
        Some(status @ (Open | Partial)) => (Only::Is(status), Only::From(now + 1)),
        Some(Closed) => (Only::Is(Closed), Only::Any),
        Some(Expired) => (Only::OneOf(vec![Open, Partial, Expired]), Only::Until(now)),
    };
    QuestionRefined {
        status,
        expires_at,
        ..QuestionRefined::default()
    }
}
