//! What can be done to a task: what routes and the page share. `claim` makes the record of the request from the task as it will be, so that
//! both are written at once.

mod told;

use tablewright::{Change, Once, Uuid};
use tablewright_service::{Kind, Problem};

use crate::assignments;
use crate::model::{
    ChangeStatusAsAdminInput, ChangeStatusAsAdminTask, ChangeStatusInput, ChangeStatusTask,
    CloseTaskInput, CloseTaskTask, CreateTaskInput, DeleteTaskInput, Idempotency, SignTaskInput,
    SignTaskTask, Task, TaskKey, TaskStatus, UpdateTaskInput, UpdateTaskTask, UserKey,
};
use crate::record::Claim;
use crate::rules::{Edit, Role, may_become};
use crate::state::App;
use crate::who::Known;
use told::Told;

/// A task after a deed, or the record of the same deed done before.
pub(crate) type Done = Result<Once<Task, Idempotency>, Problem>;

/// How often a task is signed while others sign it too.
const SIGNED: u32 = 8;

/// S1-19 to S1-25: the id is made here, of this moment, after the input was checked (C1-24).
pub(crate) async fn create(
    app: &App,
    by: &Known,
    edit: Edit,
    claim: impl FnOnce(&Task) -> Claim,
) -> Done {
    let task = edit.into_task(Uuid::now_v7(), by.id(), app.now());
    let input = CreateTaskInput {
        claim: claim(&task)?,
        task,
    };
    let once = app
        .tasks
        .create_task(&UserKey::new(by.id()), &input)
        .await
        .map_err(|failed| Told::from(failed).0)?;
    Ok(once.map(|()| input.task))
}

/// The edit is made to what is there, and holds only if it still is when it is written. Once more to what another left.
pub(crate) async fn edit(
    app: &App,
    by: &Known,
    task_id: Uuid,
    edit: &Edit,
    is_meant: impl Fn(&Task) -> Result<(), Problem>,
    mut claim: impl FnMut(&Task) -> Claim,
) -> Done {
    let mut written = None;
    let mut change = |task: &Task| -> Result<_, Told> {
        is_meant(task)?;
        not_closed(task)?;
        let after = edit.made_to(task, by.id(), app.now());
        let claim = claim(&after)?;
        let task = UpdateTaskTask {
            title: Change::Set(after.title.clone()),
            description: Change::Set(after.description.clone()),
            priority: Change::Set(after.priority),
            updated_by: Change::Set(after.updated_by.clone()),
            updated_at: Change::Set(after.updated_at),
            revision: Change::Set(after.revision),
        };
        written = Some(after);
        Ok(UpdateTaskInput { task, claim })
    };
    let (user, task) = (UserKey::new(by.id()), TaskKey::new(task_id));
    let once = app
        .tasks
        .update_task(&user, &task, |seen| change(&seen.task))
        .await;
    finished(once.map_err(|Told(problem)| problem)?, written)
}

/// C1-19: from here on nobody can be assigned; the cleaner removes who is. Who deletes it signs it first, so that its event can name them; it is deleted
/// only as long as the name on it is theirs.
pub(crate) async fn delete(
    app: &App,
    by: &Known,
    task_id: Uuid,
    is_meant: impl Fn(&Task) -> Result<(), Problem>,
    claim: Option<Idempotency>,
) -> Result<Once<(), Idempotency>, Problem> {
    let (user, task) = (UserKey::new(by.id()), TaskKey::new(task_id));
    let mut attempts = 0;
    loop {
        attempts += 1;
        let signed = app.tasks.sign_task(&user, &task, |seen| {
            is_meant(&seen.task)?;
            let deleted_by = Change::Set(Some(by.id().to_owned()));
            let task = SignTaskTask { deleted_by };
            Ok(SignTaskInput { task })
        });
        let deleted = match signed.await {
            // Of one that is gone, this very request may have been the end: its record knows.
            Err(Told(problem)) if problem.kind() != Kind::NOT_FOUND => Err(Told(problem)),
            Ok(()) | Err(_) => {
                let delete = app.tasks.delete_task(&user, &task, |seen| {
                    is_meant(&seen.task)?;
                    match seen.task.deleted_by.as_deref() == Some(by.id()) {
                        true => Ok(DeleteTaskInput {
                            claim: claim.clone(),
                        }),
                        false => Err(Told(Problem::new(Kind::CONFLICT))),
                    }
                });
                delete.await
            }
        };
        match deleted {
            Err(Told(problem)) if problem.kind() == Kind::CONFLICT && attempts < SIGNED => {}
            Err(Told(problem)) => return Err(problem),
            Ok(once) => return Ok(once),
        }
    }
}

/// S1-36 to S1-41. A member needs an assignment (S1-38), an admin does not (C1-16). That the caller is active, the assignment and the status it
/// follows hold in the transaction that changes it (C1-17, C1-18).
pub(crate) async fn change_status(
    app: &App,
    by: &Known,
    task_id: Uuid,
    to: TaskStatus,
    is_meant: impl Fn(&Task) -> Result<(), Problem>,
    mut claim: impl FnMut(&Task) -> Claim,
) -> Done {
    let mut written = None;
    let mut change = |task: &Task| -> Result<_, Problem> {
        is_meant(task)?;
        let after = with_status(task, to, by, app.now())?;
        let claim = claim(&after)?;
        written = Some(after.clone());
        Ok((after, claim))
    };
    let (user, task) = (UserKey::new(by.id()), TaskKey::new(task_id));
    let once = match by.role {
        Role::Admin => {
            let change = |task: &Task| -> Result<_, Told> {
                let (after, claim) = change(task)?;
                let task = ChangeStatusAsAdminTask {
                    status: Change::Set(after.status),
                    updated_by: Change::Set(after.updated_by),
                    updated_at: Change::Set(after.updated_at),
                    revision: Change::Set(after.revision),
                    closed_by: Change::Set(after.closed_by),
                    closed_at: Change::Set(after.closed_at),
                };
                Ok(ChangeStatusAsAdminInput { task, claim })
            };
            let mut change = change;
            app.tasks
                .change_status_as_admin(&user, &task, |seen| change(&seen.task))
                .await
        }
        Role::Member => {
            // Told before anything of the task is; the transaction asks again.
            let assignment = assignments::of_caller(app, by, task_id).await?;
            let change = |task: &Task| -> Result<_, Told> {
                let (after, claim) = change(task)?;
                let task = ChangeStatusTask {
                    status: Change::Set(after.status),
                    updated_by: Change::Set(after.updated_by),
                    updated_at: Change::Set(after.updated_at),
                    revision: Change::Set(after.revision),
                };
                Ok(ChangeStatusInput { task, claim })
            };
            let mut change = change;
            app.tasks
                .change_status(&user, &assignment, &task, |seen| change(&seen.task))
                .await
        }
    };
    finished(once.map_err(|Told(problem)| problem)?, written)
}

/// The task with another status, if it may have it (C1-15).
fn with_status(task: &Task, to: TaskStatus, by: &Known, now: i64) -> Result<Task, Problem> {
    if !may_become(task.status, to, by.role) {
        return Err(Problem::new(Kind::REFUSED)
            .detail(format!("it is {}, and cannot become {to}", task.status)));
    }
    let mut after = task.clone();
    if to != task.status {
        after.status = to;
        after.updated_by = Some(by.id().to_owned());
        after.updated_at = now.max(task.updated_at);
        after.revision = task.revision.saturating_add(1);
        (after.closed_by, after.closed_at) = (None, None);
    }
    Ok(after)
}

/// C1-12, C1-15: the end of the work on a task.
pub(crate) async fn close(
    app: &App,
    by: &Known,
    task_id: Uuid,
    is_meant: impl Fn(&Task) -> Result<(), Problem>,
    mut claim: impl FnMut(&Task) -> Claim,
) -> Done {
    let mut written = None;
    let mut change = |task: &Task| -> Result<_, Told> {
        is_meant(task)?;
        not_closed(task)?;
        let now = app.now().max(task.updated_at);
        let after = Task {
            status: TaskStatus::Closed,
            updated_by: Some(by.id().to_owned()),
            updated_at: now,
            closed_by: Some(by.id().to_owned()),
            closed_at: Some(now),
            revision: task.revision.saturating_add(1),
            ..task.clone()
        };
        let claim = claim(&after)?;
        let task = CloseTaskTask {
            status: Change::Set(after.status),
            updated_by: Change::Set(after.updated_by.clone()),
            updated_at: Change::Set(after.updated_at),
            revision: Change::Set(after.revision),
            closed_by: Change::Set(after.closed_by.clone()),
            closed_at: Change::Set(after.closed_at),
        };
        written = Some(after);
        Ok(CloseTaskInput { task, claim })
    };
    let (user, task) = (UserKey::new(by.id()), TaskKey::new(task_id));
    let once = app
        .tasks
        .close_task(&user, &task, |seen| change(&seen.task))
        .await;
    finished(once.map_err(|Told(problem)| problem)?, written)
}

fn not_closed(task: &Task) -> Result<(), Problem> {
    match task.status {
        TaskStatus::Closed => Err(Problem::new(Kind::REFUSED).detail("the task is closed")),
        _ => Ok(()),
    }
}

fn finished(once: Once<(), Idempotency>, written: Option<Task>) -> Done {
    match (once, written) {
        (Once::Before(record), _) => Ok(Once::Before(record)),
        (Once::Done(()), Some(task)) => Ok(Once::Done(task)),
        (Once::Done(()), None) => Err(Problem::internal("a change was made that nobody asked for")),
    }
}
