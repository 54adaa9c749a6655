//! One task: written down, read, changed, deleted.

use axum::extract::State;
use tablewright::{Once, Uuid};
use tablewright_service::{
    Claims, Created, IfMatch, Kind, NoContent, Path, Problem, Replayable, Routes, Tagged, Write,
    delete, get, post, put,
};

use super::UNDER;
use crate::assignments::{may_see, with_task};
use crate::model::{Idempotency, Task};
use crate::rules::{NewTask, TaskChange};
use crate::state::App;
use crate::tasks;
use crate::view::{AssignmentView, TaskDetail, TaskView, tag_of, tagged};
use crate::who::{Admin, Known};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Tasks", "What is to be done.")
        .route(
            post("/tasks", create_task)
                .summary("Write down a task")
                .about("For admins. It is `OPEN`, and assigned to nobody. What one admin writes at the same time waits for each other; a conflict says that it waited in vain, and `Retry-After` when to send it again.")
                .problem(Kind::CONFLICT),
        )
        .route(
            get("/tasks/{task_id}", read_task)
                .summary("A task, and who works on it")
                .about("Members see what is assigned to them. What is not theirs and what is not there are the same to them: 403.")
                .problem(Kind::NOT_FOUND),
        )
        .route(
            put("/tasks/{task_id}", change_task)
                .summary("Change what a task says")
                .about("For admins. What is not said stays; `null` removes the description. A closed task stays as it is.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
        .route(
            delete("/tasks/{task_id}", delete_task)
                .summary("Delete a task")
                .about("For admins. Its assignments go with it, a moment later; from now on nobody can be assigned.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
}

/// S1-19 to S1-25
async fn create_task(
    State(app): State<App>,
    Admin(admin): Admin,
    write: Write<NewTask>,
) -> Result<Replayable<Created<TaskView>>, Problem> {
    let (app, admin) = (&app, &admin);
    let edit = write.body.clone().checked()?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |task: &Task| claims.of(&created(task)?);
            match tasks::create(app, admin, edit, claim).await? {
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

/// S1-12, S1-14, S1-17
async fn read_task(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
) -> Result<Tagged<TaskDetail>, Problem> {
    may_see(&app, &known, task_id).await?;
    let together = with_task(&app, task_id).await?;
    let body = TaskDetail {
        task: TaskView::from(&together.task.data),
        assignments: together
            .assignments
            .iter()
            .map(AssignmentView::from)
            .collect(),
        more_assignments: together.more,
    };
    Ok(Tagged {
        etag: tag_of(&together.task)?,
        body,
    })
}

async fn change_task(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    meant: IfMatch,
    write: Write<TaskChange>,
) -> Result<Replayable<Tagged<TaskView>>, Problem> {
    let (app, admin, meant) = (&app, &admin, &meant);
    let edit = &write.body.clone().checked()?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let is_meant = |task: &Task| meant.check_tag(tag_of(task)?);
            let claim = |task: &Task| claims.of(&tagged(task)?);
            match tasks::edit(app, admin, task_id, edit, is_meant, claim).await? {
                Once::Done(task) => Ok(Once::Done(tagged(&task)?)),
                Once::Before(record) => Ok(Once::Before(record)),
            }
        })
        .await
}

/// C1-12, C1-19
async fn delete_task(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    meant: IfMatch,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let (app, admin, meant) = (&app, &admin, &meant);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let is_meant = |task: &Task| meant.check_tag(tag_of(task)?);
            let once = tasks::delete(app, admin, task_id, is_meant, claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await
}
