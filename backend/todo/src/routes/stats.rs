//! How many tasks there are.

use axum::extract::State;
use tablewright_service::{Caller, Json, Problem, Routes, get};

use crate::state::App;
use crate::view::TaskStatistics;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Counts", "How many tasks there are.").route(
        get("/stats/tasks", count_tasks)
            .summary("How many tasks the caller has, by status and by priority")
            .about("The counts are kept in the transaction that writes a task, so that reading them costs the same however many there are."),
    )
}

/// S0-31, S0-32
async fn count_tasks(
    State(app): State<App>,
    caller: Caller,
) -> Result<Json<TaskStatistics>, Problem> {
    let counts = app.todo.task_counts.task_counts(&caller.sub).await?;
    Ok(Json(
        counts
            .as_ref()
            .map_or(TaskStatistics::NONE, TaskStatistics::from),
    ))
}
