//! A task as a form, and what it has become while somebody writes in that.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tablewright::{Uuid, Versioned};
use tablewright_service::{Claims, Form, Kind, NoContent, Path, Problem, Write};

use super::board::new_task;
use super::detail::detail;
use super::{html, words};
use crate::model::{Idempotency, Task, TaskPriority, TaskStatus};
use crate::rules::TaskChange;
use crate::state::App;
use crate::tasks;
use crate::view::tag_of;
use crate::who::Admin;

/// Why a form is not saved.
const CHANGED: &str =
    "it was changed since you opened it: look at what it is now, and save over it or leave it";

/// The same, where there is nothing to look at.
const DELETED: &str =
    "the task was deleted since you opened it: copy what you wrote, and go to the board";

#[derive(Template)]
#[template(path = "edit.html")]
struct Edit<'e> {
    task: &'e Task,
    version: String,
    description: &'e str,
    priorities: [TaskPriority; 3],
}

#[derive(Template)]
#[template(path = "now.html")]
struct Now<'n> {
    task: &'n Task,
    version: String,
    status: &'static str,
    is_closed: bool,
}

pub(super) async fn edit(
    State(app): State<App>,
    Admin(_): Admin,
    Path(task_id): Path<Uuid>,
) -> Result<Response, Problem> {
    let task = found(&app, task_id).await?;
    html(&Edit {
        version: tag_of(&task)?.to_string(),
        description: task.description.as_deref().unwrap_or_default(),
        task: &task,
        priorities: TaskPriority::ALL,
    })
}

pub(super) async fn now(
    State(app): State<App>,
    Admin(_): Admin,
    Path(task_id): Path<Uuid>,
) -> Result<Response, Problem> {
    as_it_is(&app, task_id).await
}

/// What a task is, to who edits what it was.
pub(super) async fn as_it_is(app: &App, task_id: Uuid) -> Result<Response, Problem> {
    let task = found(app, task_id).await?;
    html(&Now {
        version: tag_of(&task)?.to_string(),
        status: words::status(task.status),
        is_closed: task.status == TaskStatus::Closed,
        task: &task,
    })
}

async fn found(app: &App, task_id: Uuid) -> Result<Versioned<Task>, Problem> {
    let found = app.tasks.tasks.task(task_id).await?;
    found.ok_or_else(|| Problem::not_found("task"))
}

/// A form that is sent twice is done once, by its key.
pub(super) async fn save(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, admin, said) = (&app, &admin, &write.body);
    let whole = new_task(said);
    let edit = TaskChange {
        title: whole.title.into(),
        description: whole.description.into(),
        priority: whole.priority.into(),
    };
    // Somebody may have changed it since the form was opened.
    let is_meant = |task: &Task| match said.text("version") {
        Some(version) if version != tag_of(task)?.to_string() => {
            Err(Problem::new(Kind::PRECONDITION_FAILED).field("version", CHANGED))
        }
        _ => Ok(()),
    };
    let edit = &edit.checked()?;
    let saved = write.once(app.store(), |claims: Claims<Idempotency>| async move {
        let claim = |_: &Task| claims.of(&NoContent);
        let once = tasks::edit(app, admin, task_id, edit, is_meant, claim).await?;
        Ok(once.map(|_| NoContent))
    });
    saved.await.map_err(|problem| match problem.kind() {
        Kind::NOT_FOUND => problem.detail(DELETED),
        _ => problem,
    })?;
    detail(app, admin, task_id).await
}
