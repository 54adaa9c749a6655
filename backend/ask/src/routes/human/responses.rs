//! Answers.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{
    Address, Created, Cursor, Json, Kind, Limit as PageLimit, Listing, Params, Problem, Routes,
    get, post,
};

use crate::addresses;
use crate::answering::{self, Receipt};
use crate::kinds::{ALREADY_ANSWERED, BANNED, QUESTION_OVER};
use crate::limits::Limited;
use crate::rules::answer::NewAnswer;
use crate::state::App;
use crate::statistics::{self, OwnAnswer};
use crate::who::Human;

pub(super) fn add_to(routes: Routes<App>) -> Routes<App> {
    routes
        .route(
            post("/human/responses", answer)
                .summary("Answer a question")
                .about("Once each. `opened` is what came with the question when it was opened.")
                .problem(Kind::NOT_FOUND)
                .problem(BANNED)
                .problem(ALREADY_ANSWERED)
                .problem(QUESTION_OVER)
                .problem(Kind::RATE_LIMITED)
                .problem(Kind::OVERLOADED),
        )
        .route(
            get("/human/responses", list)
                .summary("What one has answered, the latest first")
                .problem(Kind::BAD_CURSOR)
                .problem(Kind::RATE_LIMITED),
        )
}

/// S2-22, S2-23, S2-24
async fn answer(
    State(app): State<App>,
    human: Human,
    address: Address,
    Json(said): Json<NewAnswer>,
) -> Result<Limited<Created<Receipt>>, Problem> {
    addresses::answers(&app, address).await?;
    let (receipt, standing) = answering::answer(&app, &human, said).await?;
    Ok(Limited {
        answer: Created::new(receipt, "/human/responses"),
        standing: Some(standing),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Own {
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit<20, 50>,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

/// S2-16
async fn list(
    State(app): State<App>,
    human: Human,
    address: Address,
    Params(params): Params<Own>,
) -> Result<Limited<Json<Listing<OwnAnswer>>>, Problem> {
    let standing = addresses::reads(&app, address).await?;
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let page = statistics::answers(&app, &human, params.limit.get(), cursor).await?;
    let listing = Listing::of(page, |response| OwnAnswer::from(&response.data));
    Ok(Limited {
        answer: Json(listing),
        standing: Some(standing),
    })
}
