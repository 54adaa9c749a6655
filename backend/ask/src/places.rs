//! How many questions of an agent accept answers at a time. Each has a place: it is taken in the transaction that asks, on the condition that one is free, and given
//! back in that of the last answer or of the end of its time. So the quota is exact for all processes together, and a place is given back once.

use tablewright::{Failed, Once, Why};
use tablewright_service::Problem;

use crate::agents::known;
use crate::kinds::QUOTA_EXCEEDED;
use crate::model::{Agent, AgentKey, AgentRequest, AskQuestionInput, Question};
use crate::state::App;
use crate::sweeper::mark;
use crate::who::KnownAgent;

/// How many places are given back for whoever asks and finds none: one suffices, and others ask as well.
const GIVEN_BACK: u32 = 20;

/// Goes on if the agent may ask one more; gives how many it may have. A question whose time is over holds no place, whether that was written down yet or not.
///
/// # Errors
/// 403 when all are taken.
pub(crate) async fn one_is_free(app: &App, agent: &KnownAgent) -> Result<i64, Problem> {
    if let Ok(most) = free(&*known(&app.ask, agent.id()).await?) {
        return Ok(most);
    }
    let now = app.now().seconds();
    let overdue = app.ask.questions.overdue_of_agent(agent.id(), now);
    for question in overdue.limit(GIVEN_BACK).page().await?.items {
        mark(app, question.question_id, now).await?;
    }
    free(&*known(&app.ask, agent.id()).await?)
}

fn free(agent: &Agent) -> Result<i64, Problem> {
    match agent.places_taken < agent.open_questions {
        true => Ok(agent.open_questions),
        false => Err(full(agent.open_questions)),
    }
}

/// Asks, and takes the place.
///
/// # Errors
/// 403 when somebody else has taken the last one in the same moment.
pub(crate) async fn ask(
    app: &App,
    most: i64,
    question: Question,
    claim: Option<AgentRequest>,
) -> Result<Once<(), AgentRequest>, Problem> {
    let agent = AgentKey::new(&question.agent_id);
    let input = AskQuestionInput { question, claim };
    match app.ask.ask_question(&agent, most, &input).await {
        Ok(once) => Ok(once),
        Err(Failed::Error(error)) => Err(error.into()),
        Err(Failed::Refused(refused)) => match refused.agent {
            Some(agent) if agent.why == Why::Condition => Err(full(most)),
            _ => Err(Problem::internal(
                "a question has no agent, or the id of another",
            )),
        },
    }
}

fn full(most: i64) -> Problem {
    let detail = format!("as many questions of this agent accept answers as it may have: {most}");
    Problem::new(QUOTA_EXCEEDED).detail(detail)
}
