//! What one has earned, and the boards.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{Address, Json, Kind, Limit as PageLimit, Params, Problem, Routes, get};

use crate::addresses;
use crate::boards::{self, Board, Period};
use crate::limits::Limited;
use crate::state::App;
use crate::statistics::{self, Stats};
use crate::who::Human;

pub(super) fn add_to(routes: Routes<App>) -> Routes<App> {
    routes
        .route(
            get("/human/stats", stats)
                .summary("What one has earned")
                .about("A streak is judged now: after a day without an answer it is 0.")
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            get("/human/leaderboard", leaderboard)
                .summary("Who has most points, and one's own rank")
                .about("Days and weeks are those of UTC. A rank is exact up to 1000; beyond, `your_rank` is null and `your_rank_over` is 1000.")
                .problem(Kind::RATE_LIMITED),
        )
}

/// S2-19
async fn stats(
    State(app): State<App>,
    human: Human,
    address: Address,
) -> Result<Limited<Json<Stats>>, Problem> {
    let standing = addresses::reads(&app, address).await?;
    Ok(Limited {
        answer: Json(statistics::stats(&app, &human).await?),
        standing: Some(standing),
    })
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Of today, of this week, or of all time.
    #[serde(default)]
    period: Period,
    /// How many entries it has.
    #[serde(default)]
    limit: PageLimit<10, 100>,
}

/// S2-20, C2-15
async fn leaderboard(
    State(app): State<App>,
    human: Human,
    address: Address,
    Params(params): Params<Which>,
) -> Result<Limited<Json<Board>>, Problem> {
    let standing = addresses::reads(&app, address).await?;
    let board = boards::board(&app, &human, params.period, params.limit.get()).await?;
    Ok(Limited {
        answer: Json(board),
        standing: Some(standing),
    })
}
