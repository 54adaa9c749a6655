//! Who works on a task.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Uuid;
use tablewright_service::{
    Claims, Cursor, Json, Kind, Limit, NoContent, Params, Path, Problem, Replayable, Routes, Write,
    delete, get, post,
};

use crate::assignments::{assign, may_see, there_is, unassign};
use crate::kinds::NOT_ASSIGNABLE;
use crate::model::{Assignment, Idempotency};
use crate::rules::Subject;
use crate::state::App;
use crate::view::{AssignmentView, Listed};
use crate::who::{Admin, Known};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Assignments", "Who works on what.")
        .route(
            post("/tasks/{task_id}/assign", assign_task)
                .summary("Assign a task to somebody")
                .about("For admins. The task must be `OPEN` or `IN_PROGRESS`, the user must be known and active. Several people can work on one task.")
                .problem(NOT_ASSIGNABLE)
                .problem(Kind::NOT_FOUND)
                .problem(Kind::EXISTS)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
        .route(
            get("/tasks/{task_id}/assignments", list_assignments)
                .summary("Who works on a task")
                .about("For admins, and for those who do.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            delete("/tasks/{task_id}/assignments/{user_id}", unassign_task)
                .summary("Take a task from somebody")
                .about("For admins.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
}

/// To whom a task is assigned.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Assign {
    /// The subject of their token.
    user_id: String,
}

/// S1-26 to S1-35
async fn assign_task(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    write: Write<Assign>,
) -> Result<Replayable<Json<AssignmentView>>, Problem> {
    let (app, admin, user_id) = (&app, &admin, write.body.user_id.as_str());
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let answer = |assignment: &Assignment| Json(AssignmentView::from(assignment));
            let claim = |assignment: &Assignment| claims.of(&answer(assignment));
            let once = assign(app, admin, task_id, user_id, claim).await?;
            Ok(once.map(|assignment| answer(&assignment)))
        })
        .await
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageParams {
    /// How many a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before.
    cursor: Option<Cursor>,
}

/// S1-14
async fn list_assignments(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
    Params(params): Params<PageParams>,
) -> Result<Json<Listed<AssignmentView>>, Problem> {
    may_see(&app, &known, task_id).await?;
    let query = app.tasks.assignments.assignments_of_task(task_id);
    let page = query
        .caller(known.id())
        .limit(params.limit.unwrap_or_default().get())
        .after(params.cursor.as_ref().map(Cursor::as_str))
        .page()
        .await?;
    let listed = Listed {
        items: page.items.iter().map(AssignmentView::from).collect(),
        next_cursor: page.next,
    };
    there_is(&app, task_id, &listed, params.cursor.is_none()).await?;
    Ok(Json(listed))
}

/// C1-12
async fn unassign_task(
    State(app): State<App>,
    Admin(admin): Admin,
    Path((task_id, Subject(user_id))): Path<(Uuid, Subject)>,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let (app, admin, user_id) = (&app, &admin, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = unassign(app, admin, task_id, user_id, claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await
}
