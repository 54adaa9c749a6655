//! What admins see of answers, above all of those that look like abuse.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::Uuid;
use tablewright_service::{
    Cursor, Json, Kind, Limit as PageLimit, Listing, NoContent, Params, Path, Problem, Routes,
    delete, get, post,
};

use crate::banning::{self, Ban};
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
            get("/admin/questions/{question_id}/responses", of_question)
                .summary("All answers to a question, the oldest first")
                .about("Also those that were never flagged, with what is needed to decide on them.")
                .problem(Kind::NOT_FOUND),
        )
        .route(
            post("/admin/reviews", decide)
                .summary("Decide on an answer")
                .about("One that was flagged, or any other. `banned` bans its author: they answer no more, and leave the boards, and what else of theirs waits is decided so, too. The same decision again changes nothing; another is refused, but for `banned`, which may follow any other.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
        .route(
            get("/admin/bans", banned)
                .summary("Who is banned, the latest first")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            delete("/admin/bans/{fingerprint_hash}", end_ban)
                .summary("End a ban")
                .about("They answer again, are back on the boards with what they had, and their devices are told. What was not counted because of the ban waits for a decision of its own. A ban that was ended before is no problem.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT)
                .problem(Kind::INVALID),
        )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    /// How many a page has.
    #[serde(default)]
    limit: PageLimit,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

async fn waiting(
    State(app): State<App>,
    _: Admin,
    Params(params): Params<Page>,
) -> Result<Json<Listing<FlaggedAnswer>>, Problem> {
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let listing = reviewing::waiting(&app, params.limit.get(), cursor).await?;
    Ok(Json(listing))
}

/// The answers to a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Answers {
    items: Vec<FlaggedAnswer>,
}

async fn of_question(
    State(app): State<App>,
    _: Admin,
    Path(question_id): Path<Uuid>,
) -> Result<Json<Answers>, Problem> {
    let items = reviewing::of_question(&app, question_id).await?;
    Ok(Json(Answers { items }))
}

async fn decide(
    State(app): State<App>,
    _: Admin,
    Json(decision): Json<Decision>,
) -> Result<Json<FlaggedAnswer>, Problem> {
    Ok(Json(reviewing::decide(&app, &decision).await?))
}

async fn banned(
    State(app): State<App>,
    _: Admin,
    Params(params): Params<Page>,
) -> Result<Json<Listing<Ban>>, Problem> {
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let listing = banning::banned(&app, params.limit.get(), cursor).await?;
    Ok(Json(listing))
}

async fn end_ban(
    State(app): State<App>,
    _: Admin,
    Path(fingerprint_hash): Path<String>,
) -> Result<NoContent, Problem> {
    banning::end(&app, &fingerprint_hash).await?;
    Ok(NoContent)
}
