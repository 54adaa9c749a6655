//! One task: written down, read, changed, deleted.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use tablewright::{Once, Ulid};
use tablewright_service::{
    Caller, Claims, Created, IfMatch, IfNoneMatch, Kind, NoContent, Path, Problem, Replayable,
    Routes, Tagged, Write, delete, get, patch, post, put,
};

use super::UNDER;
use crate::model::{Idempotency, Task, TaskKey};
use crate::named::of_task;
use crate::rules::{Edit, TaskInput, TaskPatch};
use crate::state::App;
use crate::tasks;
use crate::view::{TaskView, tag_of, tagged};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Tasks", "What the caller wants done.")
        .route(post("/tasks", create_task).summary("Write down a task"))
        .route(get("/tasks/{task_id}", read_task).summary("A task").problem(Kind::NOT_FOUND).answers::<TaskView>(200, "The task, with its `ETag`"))
        .route(
            put("/tasks/{task_id}", replace_task)
                .summary("Write a whole task anew")
                .about("What is not said it has not afterwards.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
        .route(
            patch("/tasks/{task_id}", change_task)
                .summary("Change a part of a task")
                .about("What is not said stays; `null` removes a value. A change that meets another is made again to what the other left, once.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
        .route(delete("/tasks/{task_id}", delete_task).summary("Delete a task").problem(Kind::NOT_FOUND).problem(Kind::CONFLICT))
}

/// S0-36, S0-38
async fn create_task(
    State(app): State<App>,
    caller: Caller,
    write: Write<TaskInput>,
) -> Result<Replayable<Created<TaskView>>, Problem> {
    let (app, caller) = (&app, &caller);
    let edit = write.body.clone().checked()?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |task: &Task| claims.of(&created(task)?);
            match tasks::write_down(app, &caller.sub, edit, claim).await? {
                Once::Done(task) => Ok(Once::Done(created(&task)?)),
                Once::Before(record) => Ok(Once::Before(record)),
            }
        })
        .await
}

fn created(task: &Task) -> Result<Created<TaskView>, Problem> {
    let Tagged { body, etag } = tagged(task)?;
    let location = format!("{UNDER}/tasks/{}", task.task_id);
    Ok(Created::new(body, location).etag(etag))
}

/// S0-16, S0-45
async fn read_task(
    State(app): State<App>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    has: IfNoneMatch,
) -> Result<Response, Problem> {
    let found = app.todo.tasks.task(&caller.sub, task_id).await?;
    let task = found.ok_or_else(|| of_task(Problem::not_found("task")))?;
    let tagged = tagged(&task)?;
    if has.has_tag(tagged.etag) {
        let etag = [(header::ETAG, tagged.etag.to_string())];
        return Ok((StatusCode::NOT_MODIFIED, etag).into_response());
    }
    Ok(tagged.into_response())
}

async fn replace_task(
    State(app): State<App>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    meant: IfMatch,
    write: Write<TaskInput>,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    let edit = write.body.clone().checked()?;
    change(
        &app,
        &TaskKey::new(caller.sub, task_id),
        &meant,
        &write,
        &edit,
    )
    .await
}

async fn change_task(
    State(app): State<App>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    meant: IfMatch,
    write: Write<TaskPatch>,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    let edit = write.body.clone().checked()?;
    change(
        &app,
        &TaskKey::new(caller.sub, task_id),
        &meant,
        &write,
        &edit,
    )
    .await
}

/// S0-36, S0-38
async fn change<T>(
    app: &App,
    key: &TaskKey,
    meant: &IfMatch,
    write: &Write<T>,
    edit: &Edit,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let edit = |task: &Task| {
                meant.check_tag(tag_of(task)?)?;
                Ok(edit.clone())
            };
            let claim = |task: &Task| claims.of(&tagged(task)?);
            match tasks::change(app, key, edit, claim).await? {
                Once::Done(task) => Ok(Once::Done(tagged(&task)?)),
                Once::Before(record) => Ok(Once::Before(record)),
            }
        })
        .await
        .map_err(of_task)
}

/// S0-37, S0-38
async fn delete_task(
    State(app): State<App>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    meant: IfMatch,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let (app, meant, key) = (&app, &meant, &TaskKey::new(caller.sub, task_id));
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = if meant.is_given() {
                let is_meant = |task: &Task| meant.check_tag(tag_of(task)?);
                tasks::delete_if(app, key, is_meant, claim).await?
            } else {
                tasks::delete(app, key, claim).await?
            };
            Ok(once.map(|()| NoContent))
        })
        .await
        .map_err(of_task)
}
