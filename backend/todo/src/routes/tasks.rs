//! One task: written down, read, changed, deleted.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use tablewright::{Entity as _, Failed, Ulid, Why};
use tablewright_service::{
    Caller, Claims, Created, IfMatch, IfNoneMatch, Kind, NoContent, Path, Problem, Replayable,
    Routes, Tagged, Write, delete, get, patch, post, put,
};

use super::UNDER;
use crate::model::{DeleteSeenTaskInput, DeleteSeenTaskRefused, Idempotency, TaskKey};
use crate::record::about;
use crate::rules::{Edit, TaskInput, TaskPatch, edited, patch_of};
use crate::state::{App, told};
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

/// S0-36, S0-38, S0-44
async fn create_task(
    State(app): State<App>,
    caller: Caller,
    write: Write<TaskInput>,
) -> Result<Replayable<Created<TaskView>>, Problem> {
    let (app, caller) = (&app, &caller);
    let edit = write.body.clone().checked()?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let id = Ulid::at(app.store().now_millis());
            let task = edit.into_task(&caller.sub, id, app.now(), app.retention);
            let created = Created::new(TaskView::from(&task), format!("{UNDER}/tasks/{id}"))
                .etag(tag_of(&task)?);
            let claim = about(claims.of(&created)?, &task.key());
            Ok(told(app.todo.tasks.create_task(task, claim).await?, |_| {
                created
            }))
        })
        .await
}

/// S0-16, S0-45
async fn read_task(
    State(app): State<App>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    has: IfNoneMatch,
) -> Result<Response, Problem> {
    let found = app.todo.tasks.task(&caller.sub, task_id).await?;
    let task = found.ok_or_else(|| Problem::not_found("task"))?;
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

/// S0-36, S0-44, S0-46: the answer is computed from what is there, and holds only if it still is when it is written.
async fn change<T>(
    app: &App,
    key: &TaskKey,
    meant: &IfMatch,
    write: &Write<T>,
    edit: &Edit,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let mut answer = None;
            let once = app
                .todo
                .tasks
                .update_task(key, |task| -> Result<_, Problem> {
                    meant.check_tag(tag_of(task)?)?;
                    let after = edited(task, edit, app.now(), app.retention);
                    let tagged = tagged(&after)?;
                    let claim = about(claims.of(&tagged)?, key);
                    answer = Some(tagged);
                    Ok((patch_of(&after), claim))
                })
                .await?;
            let answer = answer
                .ok_or_else(|| Problem::internal("a change was made that nobody asked for"))?;
            Ok(told(once, |_| answer))
        })
        .await
}

/// S0-37
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
            let claim = about(claims.of(&NoContent)?, key);
            if !meant.is_given() {
                return Ok(told(app.todo.tasks.delete_task(key, claim).await?, |_| {
                    NoContent
                }));
            }
            let once = app
                .todo
                .delete_seen_task(key, |seen| -> Result<_, NotDeleted> {
                    meant.check_tag(tag_of(&seen.task)?)?;
                    Ok(DeleteSeenTaskInput {
                        claim: claim.clone(),
                    })
                })
                .await;
            Ok(told(once.map_err(|NotDeleted(problem)| problem)?, |()| {
                NoContent
            }))
        })
        .await
}

/// Why a task was not deleted, as the caller is told.
struct NotDeleted(Problem);

impl From<Problem> for NotDeleted {
    fn from(problem: Problem) -> Self {
        NotDeleted(problem)
    }
}

impl From<Failed<DeleteSeenTaskRefused>> for NotDeleted {
    fn from(failed: Failed<DeleteSeenTaskRefused>) -> Self {
        NotDeleted(match failed {
            Failed::Error(error) => error.into(),
            Failed::Refused(refused) => match refused.task.map(|task| task.why) {
                Some(Why::NotFound) => Problem::not_found("task"),
                _ => Problem::new(Kind::CONFLICT),
            },
        })
    }
}
