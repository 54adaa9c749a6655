//! What can be answered.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Uuid;
use tablewright_service::{
    Address, Cursor, Json, Kind, Limit as PageLimit, Listing, Params, Path, Problem, Routes, get,
};

use crate::addresses;
use crate::feed::{self, OpenQuestion, OpenedQuestion, Order, Wanted};
use crate::limits::Limited;
use crate::listing::From;
use crate::model::QuestionAudience;
use crate::state::App;
use crate::who::Human;

pub(super) fn add_to(routes: Routes<App>) -> Routes<App> {
    routes
        .route(
            get("/human/questions", list)
                .summary("What accepts answers and was not answered by oneself")
                .about("The pages of one list are of the moment of its first page. Who has answered much of what is there may get a page that is not full and has a next; so may who asks for an audience that few are for.")
                .problem(Kind::BAD_CURSOR)
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            get("/human/questions/{question_id}", open)
                .summary("Open a question")
                .about("`opened` is sent along with the answer: how long one took is counted from here.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::RATE_LIMITED),
        )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Feed {
    /// The newest first, or those that lack most answers.
    #[serde(default)]
    order: Order,
    /// Only what is for these.
    audience: Option<QuestionAudience>,
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit<20, 50>,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

/// S2-13, C2-5, C2-6
async fn list(
    State(app): State<App>,
    human: Human,
    address: Address,
    Params(params): Params<Feed>,
) -> Result<Limited<Json<Listing<OpenQuestion>>>, Problem> {
    let from = From::of(params.cursor.as_ref(), app.now().seconds())?;
    let standing = addresses::reads(&app, address).await?;
    let wanted = Wanted {
        order: params.order,
        audience: params.audience,
        limit: params.limit.get(),
        from,
    };
    let listing = feed::page(&app, &human, &wanted).await?;
    Ok(Limited {
        answer: Json(listing),
        standing: Some(standing),
    })
}

/// S2-12, S2-17
async fn open(
    State(app): State<App>,
    human: Human,
    address: Address,
    Path(question_id): Path<Uuid>,
) -> Result<Limited<Json<OpenedQuestion>>, Problem> {
    let standing = addresses::reads(&app, address).await?;
    let question = feed::open(&app, &human, question_id).await?;
    Ok(Limited {
        answer: Json(question),
        standing: Some(standing),
    })
}
