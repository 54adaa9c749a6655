//! What admins see of answers that look like abuse.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{
    Cursor, Json, Kind, Limit as PageLimit, Listing, Params, Problem, Routes, get, post,
};

use crate::reviewing::{self, Decision, FlaggedAnswer};
use crate::state::App;
use crate::who::Admin;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Admins", "Who may ask, and what looks like abuse.")
        .route(
            get("/admin/reviews", waiting)
                .summary("Answers that were flagged and wait for a decision, the oldest first")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            post("/admin/reviews", decide)
                .summary("Decide on an answer that was flagged")
                .about("`banned` bans its author: they answer no more, and leave the boards. The same decision again changes nothing; another is refused.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED),
        )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Waiting {
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

async fn waiting(
    State(app): State<App>,
    _: Admin,
    Params(params): Params<Waiting>,
) -> Result<Json<Listing<FlaggedAnswer>>, Problem> {
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let listing = reviewing::waiting(&app, params.limit.get(), cursor).await?;
    Ok(Json(listing))
}

async fn decide(
    State(app): State<App>,
    _: Admin,
    Json(decision): Json<Decision>,
) -> Result<Json<FlaggedAnswer>, Problem> {
    Ok(Json(reviewing::decide(&app, &decision).await?))
}
