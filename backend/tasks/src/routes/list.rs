//! Tasks as lists.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{Cursor, Json, Kind, Limit, Params, Path, Problem, Routes, get};

use crate::lists::{Order, Part, Wanted, Whose, page};
use crate::model::{TaskPriority, TaskStatus};
use crate::rules::Subject;
use crate::state::App;
use crate::view::{Listed, TaskView};
use crate::who::Known;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Lists", "Tasks as lists, in pages.")
        .route(
            get("/tasks", list_tasks)
                .summary("Tasks")
                .about(
                    "For admins all of them: with a `status` in order of creation, of one creator or one priority the newest first, else the most urgent and then the newest first. \
                     For members those that are assigned to them, in order of creation. All parameters can be combined, and a page is full unless it is the last. Lists are eventually consistent.",
                )
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            get("/users/{user_id}/tasks", list_tasks_of_user)
                .summary("The tasks that are assigned to somebody")
                .about("For admins, and for oneself.")
                .problem(Kind::BAD_CURSOR)
                .problem(Kind::NOT_FOUND),
        )
}

/// What can be asked of a list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListParams {
    /// In this status.
    status: Option<TaskStatus>,
    /// Of this priority.
    priority: Option<TaskPriority>,
    /// Written down by this user.
    created_by: Option<Subject>,
    /// `asc` has the oldest first, `desc` the newest. The whole list of an admin is by urgency: `asc` turns it round, the least urgent and then the oldest first.
    order: Option<Order>,
    /// How many tasks a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before, with the same parameters.
    cursor: Option<Cursor>,
}

/// S1-15, S1-16, S1-48
async fn list_tasks(
    State(app): State<App>,
    known: Known,
    Params(params): Params<ListParams>,
) -> Result<Json<Listed<TaskView>>, Problem> {
    let whose = match known.is_admin() {
        true => Whose::All,
        false => Whose::AssignedTo(known.id()),
    };
    listed(&app, &known, &whose, params).await
}

async fn list_tasks_of_user(
    State(app): State<App>,
    known: Known,
    Path(Subject(user_id)): Path<Subject>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listed<TaskView>>, Problem> {
    if user_id != known.id() {
        if !known.is_admin() {
            return Err(Problem::new(Kind::FORBIDDEN).detail("only an admin sees this"));
        }
        let found = app.tasks.users.user(&user_id).await?;
        found.ok_or_else(|| Problem::not_found("user"))?;
    }
    listed(&app, &known, &Whose::AssignedTo(&user_id), params).await
}

async fn listed(
    app: &App,
    known: &Known,
    whose: &Whose<'_>,
    params: ListParams,
) -> Result<Json<Listed<TaskView>>, Problem> {
    let wanted = Wanted {
        status: params.status,
        priority: params.priority,
        created_by: params.created_by.map(|Subject(id)| id),
    };
    let part = Part {
        caller: known.id(),
        order: params.order,
        limit: params.limit.unwrap_or_default().get(),
        cursor: params.cursor.as_ref().map(Cursor::as_str),
    };
    let (tasks, next_cursor) = page(app, whose, &wanted, &part).await?;
    Ok(Json(Listed {
        items: tasks.iter().map(TaskView::from).collect(),
        next_cursor,
    }))
}
