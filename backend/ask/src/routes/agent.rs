//! What agents do: ask, read, wait.

use std::time::Duration;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Uuid;
use tablewright_service::{
    Claims, Created, Cursor, Ending, Json, Kind, Limit as PageLimit, Listing, Params, Path,
    Problem, Replayable, Routes, Write, get, post,
};

use crate::asking::{self, Wanted};
use crate::kinds::QUOTA_EXCEEDED;
use crate::limits::Limited;
use crate::listing::From;
use crate::model::{AgentRequest, QuestionStatus};
use crate::rules::question::NewQuestion;
use crate::state::App;
use crate::view::{AnsweredQuestion, Asked, QuestionView};
use crate::who::KnownAgent;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Agents", "Software asks, and waits for answers.")
        .route(
            post("/agent/questions", ask_question)
                .summary("Ask people something")
                .about("It closes with `min_responses` answers, or expires after `timeout_seconds`.")
                .problem(QUOTA_EXCEEDED)
                .problem(Kind::CONFLICT)
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            get("/agent/questions/{question_id}", read_question)
                .summary("A question with its answers")
                .about("With `wait` the answer comes as soon as the question has another answer or status, and at the latest after so many seconds. What is over is given at once.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            get("/agent/questions", list_questions)
                .summary("The agent's own questions, the newest first")
                .about("The pages of one list are of the moment of its first page.")
                .problem(Kind::BAD_CURSOR)
                .problem(Kind::RATE_LIMITED),
        )
}

/// S2-2, S2-21
async fn ask_question(
    State(app): State<App>,
    agent: KnownAgent,
    write: Write<NewQuestion>,
) -> Result<Limited<Replayable<Created<Asked>>>, Problem> {
    let new = write.body.clone().checked()?;
    let mut standing = None;
    let _turn = asking::turn(&app, &agent).await;
    let (app, agent, told) = (&app, &agent, &mut standing);
    let answer = write
        .once(app.store(), |claims: Claims<AgentRequest>| async move {
            let once = asking::ask(app, agent, new, claims).await?;
            Ok(once.map(|(answer, standing)| {
                *told = Some(standing);
                answer
            }))
        })
        .await?;
    Ok(Limited { answer, standing })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Waiting {
    /// For how many seconds to wait for something new.
    wait: Option<PageLimit<1, 30>>,
}

/// S2-12, S2-15
async fn read_question(
    State(app): State<App>,
    agent: KnownAgent,
    ending: Ending,
    Path(question_id): Path<Uuid>,
    Params(params): Params<Waiting>,
) -> Result<Limited<Json<AnsweredQuestion>>, Problem> {
    let standing = agent.polls().take(&app).await?;
    let question = match params.wait {
        None => asking::read(&app, &agent, question_id).await?,
        Some(wait) => {
            let wait = Duration::from_secs(wait.get().into());
            asking::wait_for(&app, &agent, question_id, wait, ending).await?
        }
    };
    Ok(Limited {
        answer: Json(question),
        standing: Some(standing),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Own {
    /// Only those that are so now.
    status: Option<QuestionStatus>,
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

/// S2-14
async fn list_questions(
    State(app): State<App>,
    agent: KnownAgent,
    Params(params): Params<Own>,
) -> Result<Limited<Json<Listing<QuestionView>>>, Problem> {
    let now = app.now().seconds();
    let from = From::of(params.cursor.as_ref(), now)?;
    let standing = agent.polls().take(&app).await?;
    let wanted = Wanted {
        status: params.status,
        limit: params.limit.get(),
        from,
    };
    let page = asking::list(&app, &agent, &wanted).await?;
    let items = page.items.iter();
    let listing = Listing {
        items: items
            .map(|question| QuestionView::at(question, now))
            .collect(),
        next_cursor: from.next(page.next),
    };
    Ok(Limited {
        answer: Json(listing),
        standing: Some(standing),
    })
}
