//! What the lake says of all tasks together.

use axum::extract::State;
use tablewright_service::{Caller, Json, Kind, Problem, Routes, get};

use crate::insights::{self, Insights};
use crate::state::App;

/// What is missing, and how to have it.
const NO_LAKE: &str = "this service has no lake, from which insights are computed; start it with the setting `lake`, a folder or s3://bucket/prefix, as TABLEWRIGHT_LAKE=lake";

pub(super) fn routes() -> Routes<App> {
    Routes::new("Insights", "What is known of all tasks together.").route(
        get("/insights", show)
            .summary("What the caller has created and completed, by day and by category")
            .about("It is computed from the data lake, about every minute, so that it costs the tables nothing. A service without a lake has none: 404, which says how to have one.")
            .problem(Kind::NOT_FOUND),
    )
}

async fn show(State(app): State<App>, caller: Caller) -> Result<Json<Insights>, Problem> {
    shown(&app, &caller).await.map(Json)
}

/// What gold says of the caller.
pub(crate) async fn shown(app: &App, caller: &Caller) -> Result<Insights, Problem> {
    let place = app.lake.as_ref();
    let place = place.ok_or_else(|| Problem::new(Kind::NOT_FOUND).detail(NO_LAKE))?;
    let insights = insights::of(place, &caller.sub).await;
    insights.map_err(Problem::internal)
}
