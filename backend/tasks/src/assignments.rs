//! Who works on what.

use tablewright::{Change, Failed, Once, Uuid, Versioned, Why};
use tablewright_service::{Caller, Kind, Problem};

use crate::kinds::{DEACTIVATED, NOT_ASSIGNABLE};
use crate::model::{
    AssignTaskInput, AssignTaskRefused, Assignment, AssignmentKey, Idempotency,
    SignAssignmentAssignment, SignAssignmentInput, TakeTaskInput, TakeTaskRefused, Task, TaskKey,
    TaskWithAssignments, UnassignTaskInput, UserKey,
};
use crate::record::Claim;
use crate::state::App;
use crate::view::Listed;
use crate::who::Known;

/// How many people are shown with a task. The task is one item more of the same query (S1-17).
const SHOWN: u32 = 100;

/// Refuses a member without an assignment (S1-38).
pub(crate) fn not_assigned() -> Problem {
    Problem::new(Kind::FORBIDDEN).detail("the task is not assigned to the caller")
}

/// The caller's assignment to a task, read strongly (S1-18, S1-47). That there is no such task is not told either.
pub(crate) async fn of_caller(
    app: &App,
    caller: &Known,
    task_id: Uuid,
) -> Result<AssignmentKey, Problem> {
    let found = app
        .tasks
        .assignments
        .assignment(task_id, caller.id())
        .await?;
    match found {
        Some(_) => Ok(AssignmentKey::new(task_id, caller.id())),
        None => Err(not_assigned()),
    }
}

/// Refuses who may not see a task: a member sees what is assigned to them.
pub(crate) async fn may_see(app: &App, caller: &Known, task_id: Uuid) -> Result<(), Problem> {
    if !caller.is_admin() {
        of_caller(app, caller, task_id).await?;
    }
    Ok(())
}

/// Refuses where there is nothing to list since there is no such task. What a list has shows that there is, or was, one.
pub(crate) async fn there_is<T>(
    app: &App,
    task_id: Uuid,
    listed: &Listed<T>,
    is_first: bool,
) -> Result<(), Problem> {
    if is_first && listed.items.is_empty() && app.tasks.tasks.task(task_id).await?.is_none() {
        return Err(Problem::not_found("task"));
    }
    Ok(())
}

/// A task and who works on it.
pub(crate) struct Together {
    pub(crate) task: Versioned<Task>,
    pub(crate) assignments: Vec<Assignment>,
    /// Whether more people work on it.
    pub(crate) more: bool,
}

/// S1-12, S1-14, S1-17, C1-14: in one query, whose first item is the task however many people work on it.
pub(crate) async fn with_task(app: &App, task_id: Uuid) -> Result<Together, Problem> {
    let query = app.tasks.tasks.task_with_assignments(task_id);
    let page = query.limit(SHOWN + 1).page().await?;
    let more = page.next.is_some();
    let mut together = TaskWithAssignments::from(page.items);
    // The query goes backwards.
    together.assignments.reverse();
    match together.task {
        Some(task) => Ok(Together {
            task,
            assignments: together.assignments,
            more,
        }),
        // It was deleted, and the cleaner has not been here yet.
        None => Err(Problem::not_found("task")),
    }
}

/// S1-26 to S1-35: one transaction, so that nothing changes between what is checked and what is written (C1-5). Each failure has its own answer.
pub(crate) async fn assign(
    app: &App,
    by: &Known,
    task_id: Uuid,
    user_id: &str,
    claim: impl FnOnce(&Assignment) -> Claim,
) -> Result<Once<Assignment, Idempotency>, Problem> {
    if !Caller::is_subject(user_id) {
        return Err(nobody());
    }
    let assignment = Assignment {
        task_id,
        user_id: user_id.to_owned(),
        assigned_by: by.id().to_owned(),
        assigned_at: app.now(),
        removed_by: None,
    };
    let claim = claim(&assignment)?;
    let (task, caller) = (TaskKey::new(task_id), UserKey::new(by.id()));
    let done = if user_id == by.id() {
        let input = TakeTaskInput {
            claim,
            assignment: assignment.clone(),
        };
        let taken = app.tasks.take_task(&task, &caller, &input).await;
        taken.map_err(as_assigned)
    } else {
        let input = AssignTaskInput {
            claim,
            assignment: assignment.clone(),
        };
        let user = UserKey::new(user_id);
        app.tasks.assign_task(&task, &user, &caller, &input).await
    };
    match done {
        Ok(once) => Ok(once.map(|()| assignment)),
        Err(Failed::Error(error)) => Err(error.into()),
        Err(Failed::Refused(refused)) => Err(why_not(*refused)),
    }
}

/// Who takes a task and is not active is the caller.
fn as_assigned(failed: Failed<TakeTaskRefused>) -> Failed<AssignTaskRefused> {
    match failed {
        Failed::Error(error) => Failed::Error(error),
        Failed::Refused(refused) => Failed::Refused(Box::new(AssignTaskRefused {
            task: refused.task,
            user: None,
            caller: refused.user,
            assignment: refused.assignment,
        })),
    }
}

fn nobody() -> Problem {
    Problem::new(NOT_ASSIGNABLE)
        .detail("there is no such user")
        .field("userId", "nobody is known by it")
}

fn why_not(refused: AssignTaskRefused) -> Problem {
    let AssignTaskRefused {
        task,
        user,
        caller,
        assignment,
    } = refused;
    if caller.is_some() {
        return Problem::new(DEACTIVATED);
    }
    match (task, user, assignment) {
        (Some(task), _, _) if task.why == Why::NotFound => Problem::not_found("task"),
        (_, Some(user), _) if user.why == Why::NotFound => nobody(),
        (_, Some(_), _) => Problem::new(NOT_ASSIGNABLE)
            .detail("the user is not active")
            .field("userId", "an admin has deactivated them"),
        (Some(task), _, _) => {
            let status = task.seen.map(|task| task.status.to_string());
            let status = status.unwrap_or_else(|| String::from("no longer open"));
            Problem::new(Kind::REFUSED)
                .detail(format!("the task is {status}, and is not handed out"))
        }
        (None, None, _) => {
            Problem::new(Kind::EXISTS).detail("the task is assigned to this user already")
        }
    }
}

/// How often an assignment is signed while others sign it too.
const SIGNED: u32 = 8;

/// C1-12: an assignment ends. Who ends it signs it first, so that its event can name them; it ends only as long as the name on it is theirs.
pub(crate) async fn unassign(
    app: &App,
    by: &Known,
    task_id: Uuid,
    user_id: &str,
    claim: Option<Idempotency>,
) -> Result<Once<(), Idempotency>, Problem> {
    let key = AssignmentKey::new(task_id, user_id);
    let caller = UserKey::new(by.id());
    let (name, input) = (by.id().to_owned(), UnassignTaskInput { claim });
    let assignment = SignAssignmentAssignment {
        removed_by: Change::Set(Some(name.clone())),
    };
    let signature = SignAssignmentInput { assignment };
    for _ in 0..SIGNED {
        match app.tasks.sign_assignment(&caller, &key, &signature).await {
            Err(Failed::Refused(refused)) if refused.user.is_some() => {
                return Err(Problem::new(DEACTIVATED));
            }
            // Of one that is gone, this very request may have been the end: its record knows.
            Ok(()) | Err(Failed::Refused(_)) => {}
            Err(Failed::Error(error)) => return Err(error.into()),
        }
        match app.tasks.unassign_task(&caller, &key, &name, &input).await {
            Ok(once) => return Ok(once),
            Err(Failed::Error(error)) => return Err(error.into()),
            Err(Failed::Refused(refused)) => match (refused.user, refused.assignment) {
                (Some(_), _) => return Err(Problem::new(DEACTIVATED)),
                // Another has signed it meanwhile.
                (None, Some(one)) if one.why == Why::Condition => {}
                (None, _) => return Err(not_working()),
            },
        }
    }
    Err(Problem::new(Kind::CONFLICT))
}

/// 404: nobody can be taken off a task they do not work on.
fn not_working() -> Problem {
    Problem::new(Kind::NOT_FOUND).detail("the task is not assigned to this user")
}
