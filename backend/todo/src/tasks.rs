//! What can be done to a task: what routes and the page share. `claim` makes the record of the request from the task as it will be, so that
//! both are written at once.

use tablewright::{Entity as _, Error, Failed, Once, Ulid, Versioned, Why};
use tablewright_service::{Kind, Problem};

use crate::model::{DeleteSeenTaskInput, DeleteSeenTaskRefused, Idempotency, Task, TaskKey};
use crate::record::about;
use crate::rules::{Edit, edited, patch_of};
use crate::state::App;

/// The record of a request, if it has a key.
pub(crate) type Claim = Result<Option<Idempotency>, Problem>;

/// S0-36, S0-44: a new task, with an id of this moment.
pub(crate) async fn write_down(
    app: &App,
    user_id: &str,
    edit: Edit,
    claim: impl FnOnce(&Task) -> Claim,
) -> Result<Once<Task, Idempotency>, Problem> {
    let id = Ulid::at(app.store().now_millis());
    let task = edit.into_task(user_id, id, app.now(), app.retention);
    let claim = about(claim(&task)?, &task.key());
    let once = app.todo.tasks.create_task(task.clone(), claim).await?;
    Ok(once.map(|_| task))
}

/// S0-36, S0-44, S0-46: the edit is made to what is there, and holds only if it still is when it is written. Once more to what another left.
pub(crate) async fn change(
    app: &App,
    key: &TaskKey,
    mut edit: impl FnMut(&Task) -> Result<Edit, Problem>,
    mut claim: impl FnMut(&Task) -> Claim,
) -> Result<Once<Task, Idempotency>, Problem> {
    let mut written = None;
    let change = |task: &Versioned<Task>| -> Result<_, NotChanged> {
        let after = edited(task, &edit(task)?, app.now(), app.retention);
        let claim = about(claim(&after)?, key);
        if after == task.data {
            return Err(NotChanged::AsItWas(Box::new((after, claim))));
        }
        let patch = patch_of(&after);
        written = Some(after);
        Ok((patch, claim))
    };
    let once = match app.todo.tasks.update_task(key, change).await {
        Ok(once) => once,
        Err(NotChanged::AsItWas(both)) => {
            let (task, claim) = *both;
            // The task is not written. A request with a key is remembered all the same, so that its repetition gets the same answer.
            if let Some(claim) = claim {
                app.todo.idempotencies.begin_request(claim).await?;
            }
            return Ok(Once::Done(task));
        }
        Err(NotChanged::Problem(problem)) => return Err(problem),
    };
    let written =
        written.ok_or_else(|| Problem::internal("a change was made that nobody asked for"))?;
    Ok(once.map(|_| written))
}

/// Why a task was not written.
enum NotChanged {
    /// It is what it is to become. With the record of the request, if it has a key.
    AsItWas(Box<(Task, Option<Idempotency>)>),
    Problem(Problem),
}

impl From<Problem> for NotChanged {
    fn from(problem: Problem) -> Self {
        NotChanged::Problem(problem)
    }
}

impl From<Error> for NotChanged {
    fn from(error: Error) -> Self {
        NotChanged::Problem(error.into())
    }
}

/// S0-37: the end of a task, whatever it is.
pub(crate) async fn delete(
    app: &App,
    key: &TaskKey,
    claim: Option<Idempotency>,
) -> Result<Once<(), Idempotency>, Problem> {
    let once = app.todo.tasks.delete_task(key, about(claim, key)).await?;
    Ok(once.map(drop))
}

/// S0-37, S0-44: the end of a task in the state that was meant.
pub(crate) async fn delete_if(
    app: &App,
    key: &TaskKey,
    is_meant: impl Fn(&Task) -> Result<(), Problem>,
    claim: Option<Idempotency>,
) -> Result<Once<(), Idempotency>, Problem> {
    let claim = about(claim, key);
    let once = app
        .todo
        .delete_seen_task(key, |seen| -> Result<_, NotDeleted> {
            is_meant(&seen.task)?;
            Ok(DeleteSeenTaskInput {
                claim: claim.clone(),
            })
        })
        .await;
    once.map_err(|NotDeleted(problem)| problem)
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
