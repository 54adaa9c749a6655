//! What has happened to a task.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Uuid;
use tablewright_service::{Cursor, Json, Kind, Limit, Params, Path, Problem, Routes, get};

use crate::assignments::{may_see, there_is};
use crate::state::App;
use crate::view::{HistoryView, Listed};
use crate::who::Known;

pub(super) fn routes() -> Routes<App> {
    Routes::new("History", "What has happened.").route(
        get("/tasks/{task_id}/history", history_of_task)
            .summary("What has happened to a task, the latest first")
            .about("For admins, and for those it is assigned to. It is written down from the events, a moment after they happen, and kept for a year, also when the task is deleted.")
            .problem(Kind::NOT_FOUND)
            .problem(Kind::BAD_CURSOR),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryParams {
    /// How many entries a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before.
    cursor: Option<Cursor>,
}

async fn history_of_task(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
    Params(params): Params<HistoryParams>,
) -> Result<Json<Listed<HistoryView>>, Problem> {
    may_see(&app, &known, task_id).await?;
    let query = app.tasks.history_entries.history_of_task(task_id);
    let page = query
        .caller(known.id())
        .limit(params.limit.unwrap_or_default().get())
        .after(params.cursor.as_ref().map(Cursor::as_str))
        .page()
        .await?;
    let listed = Listed {
        items: page.items.iter().map(HistoryView::from).collect(),
        next_cursor: page.next,
    };
    there_is(&app, task_id, &listed, params.cursor.is_none()).await?;
    Ok(Json(listed))
}
