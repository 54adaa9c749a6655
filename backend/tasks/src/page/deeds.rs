//! What the buttons of a task do. A button that is pressed again, since nobody answered, does it once: it has its key as a form has.

use axum::extract::State;
use axum::response::Response;
use tablewright::Uuid;
use tablewright_service::{Claims, Form, NoContent, Path, Problem, Write};

use super::board::board;
use super::detail::detail;
use super::edit::as_it_is;
use crate::assignments;
use crate::model::{Assignment, Idempotency, Task};
use crate::rules::{Role, Subject, task_status};
use crate::state::App;
use crate::tasks;
use crate::who::{Admin, Known};

pub(super) async fn remove(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    write: Write<()>,
) -> Result<Response, Problem> {
    let (app, admin) = (&app, &admin);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = tasks::delete(app, admin, task_id, |_| Ok(()), claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await?;
    board(app, admin, None).await
}

/// `on` says where the button is, and so what is shown then.
pub(super) async fn change_status(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, known) = (&app, &known);
    let to = task_status(&write.body.text("status").into())?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let (any, claim) = (|_: &Task| Ok(()), |_: &Task| claims.of(&NoContent));
            let once = tasks::change_status(app, known, task_id, to, any, claim).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    match (write.body.text("on"), known.role) {
        (Some("board"), _) => board(app, known, None).await,
        (Some("edit"), Role::Admin) => as_it_is(app, task_id).await,
        _ => detail(app, known, task_id).await,
    }
}

pub(super) async fn close(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    write: Write<()>,
) -> Result<Response, Problem> {
    let (app, admin) = (&app, &admin);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let (any, claim) = (|_: &Task| Ok(()), |_: &Task| claims.of(&NoContent));
            let once = tasks::close(app, admin, task_id, any, claim).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    detail(app, admin, task_id).await
}

pub(super) async fn assign(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(task_id): Path<Uuid>,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, admin) = (&app, &admin);
    let user_id = write.body.text("user_id").unwrap_or_default();
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |_: &Assignment| claims.of(&NoContent);
            let once = assignments::assign(app, admin, task_id, user_id, claim).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    detail(app, admin, task_id).await
}

pub(super) async fn unassign(
    State(app): State<App>,
    Admin(admin): Admin,
    Path((task_id, Subject(user_id))): Path<(Uuid, Subject)>,
    write: Write<()>,
) -> Result<Response, Problem> {
    let (app, admin, user_id) = (&app, &admin, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = assignments::unassign(app, admin, task_id, user_id, claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await?;
    detail(app, admin, task_id).await
}
