//! How far a task is.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tablewright::{Once, Uuid};
use tablewright_service::{
    Claims, IfMatch, Kind, Path, Problem, Replayable, Routes, Tagged, Write, post, put,
};

use crate::model::{Idempotency, Task};
use crate::rules::task_status;
use crate::state::App;
use crate::tasks;
use crate::view::{TaskView, tag_of, tagged};
use crate::who::{Admin, Known};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Status", "How far a task is.")
        .route(
            put("/tasks/{task_id}/status", change_status)
                .summary("Change the status of a task")
                .about(
                    "For those it is assigned to, and for admins. A member goes forwards, or one step back, and leaves alone what is closed; an admin may also take up again what is finished or closed.",
                )
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
        .route(
            post("/tasks/{task_id}/close", close_task)
                .summary("Close a task")
                .about("For admins.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
}

/// What a task becomes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewStatus {
    /// `OPEN`, `IN_PROGRESS` or `COMPLETED`. A task is closed by `POST …/close`.
    #[schemars(with = "String", extend("enum" = ["OPEN", "IN_PROGRESS", "COMPLETED"]))]
    status: Value,
}

/// S1-36 to S1-41
async fn change_status(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
    meant: IfMatch,
    write: Write<NewStatus>,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    let (app, known, meant) = (&app, &known, &meant);
    let to = task_status(&write.body.status)?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let is_meant = |task: &Task| meant.check_tag(tag_of(task)?);
            let claim = |task: &Task| claims.of(&tagged(task)?);
            match tasks::change_status(app, known, task_id, to, is_meant, claim).await? {
                Once::Done(task) => Ok(Once::Done(tagged(&task)?)),
                Once::Before(record) => Ok(Once::Before(record)),
            }
        })
        .await
}

/// C1-12, C1-15
async fn close_task(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    meant: IfMatch,
    write: Write<()>,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    let (app, admin, meant) = (&app, &admin, &meant);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let is_meant = |task: &Task| meant.check_tag(tag_of(task)?);
            let claim = |task: &Task| claims.of(&tagged(task)?);
            match tasks::close(app, admin, task_id, is_meant, claim).await? {
                Once::Done(task) => Ok(Once::Done(tagged(&task)?)),
                Once::Before(record) => Ok(Once::Before(record)),
            }
        })
        .await
}
