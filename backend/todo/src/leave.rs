//! The end of a user, with all that is theirs. It can be taken up again wherever it broke off.

use tablewright::{Error, Failed, Why};
use tablewright_service::{Kind, Problem};

use crate::model::{DeleteUserRefused, IdempotencyKey, TaskCountsKey, UserKey};
use crate::routes::UNDER;
use crate::state::App;

/// C0-22: first the tasks, each with its counts and index entries, and the records of requests; then the rest in one transaction. Whether
/// there was anything of theirs.
pub(crate) async fn leave(app: &App, user_id: &str) -> Result<bool, Problem> {
    let tasks = app.todo.tasks.delete_user_tasks(user_id).await?;
    forget_requests(app, user_id).await?;
    let (user, counts) = (UserKey::new(user_id), TaskCountsKey::new(user_id));
    let ended = app.todo.delete_user(&user, &counts).await;
    let was_there = match ended.map_err(Stays::from) {
        Ok(()) => true,
        Err(Stays::WithoutCounts) => is_gone(app.todo.users.delete_user_alone(&user).await)?,
        // Who never said who they are has tasks all the same.
        Err(Stays::NotThere) => {
            is_gone(app.todo.task_counts.items().delete_now(&counts).await)? || tasks > 0
        }
        Err(Stays::Problem(problem)) => return Err(problem),
    };
    // What was written down while all this went on.
    app.todo.tasks.delete_user_tasks(user_id).await?;
    forget_requests(app, user_id).await?;
    Ok(was_there)
}

/// What was answered to their requests, but to those to leave: a repetition of these finds nothing else that tells what happened.
async fn forget_requests(app: &App, user_id: &str) -> Result<(), Problem> {
    let to_leave = format!("DELETE {UNDER}/users/me");
    let records = &app.todo.idempotencies;
    let mut cursor = None;
    loop {
        let found = records.user_records(user_id).after(cursor.as_deref());
        let page = found.page().await?;
        let keys: Vec<IdempotencyKey> = page
            .items
            .iter()
            .filter(|record| record.route != to_leave)
            .map(|record| IdempotencyKey::new(user_id, &record.route, &record.request_id))
            .collect();
        for forgotten in records.forget_records(&keys).await {
            is_gone(forgotten)?;
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// Whether it was there to be deleted.
fn is_gone<T>(deleted: Result<T, Error>) -> Result<bool, Error> {
    match deleted {
        Ok(_) => Ok(true),
        Err(Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Why the user is still there.
enum Stays {
    NotThere,
    /// Who never wrote down a task has no counts that could be deleted.
    WithoutCounts,
    Problem(Problem),
}

impl From<Failed<DeleteUserRefused>> for Stays {
    fn from(failed: Failed<DeleteUserRefused>) -> Self {
        match failed {
            Failed::Error(Error::NotFound { .. }) => Stays::NotThere,
            Failed::Error(error) => Stays::Problem(error.into()),
            Failed::Refused(refused) => {
                let user = refused.user.map(|user| user.why);
                let counts = refused.task_counts.map(|counts| counts.why);
                match (user, counts) {
                    (Some(Why::NotFound), _) => Stays::NotThere,
                    (None, Some(Why::NotFound)) => Stays::WithoutCounts,
                    _ => Stays::Problem(Problem::new(Kind::CONFLICT)),
                }
            }
        }
    }
}
