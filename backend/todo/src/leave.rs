//! The end of a user, with all that is theirs. It can be taken up again wherever it broke off.

use tablewright::{Error, Failed, Why};
use tablewright_service::{Kind, Problem};

use crate::model::{DeleteUserRefused, IdempotencyKey, TaskCountsKey, UserKey};
use crate::routes::UNDER;
use crate::state::App;

/// How often the end is begun anew for what is written down meanwhile.
const ROUNDS: usize = 10;

/// C0-22: first the tasks, each with its counts and index entries, and the records of requests; then the rest in one transaction. Whether
/// there was anything of theirs. The counts go only as they were before no task was found: one that was written down since is counted in
/// them, and goes first. So they are right wherever this breaks off.
pub(crate) async fn leave(app: &App, user_id: &str) -> Result<bool, Problem> {
    let mut had_tasks = false;
    for _ in 0..ROUNDS {
        let counts = app.todo.task_counts.counts_that_go(user_id).await?;
        if app.todo.tasks.delete_user_tasks(user_id).await? > 0 {
            had_tasks = true;
            continue;
        }
        forget_requests(app, user_id).await?;
        if let Some(was_there) = end(app, user_id, counts.map(|counts| counts.total)).await? {
            forget_requests(app, user_id).await?;
            return Ok(was_there || had_tasks);
        }
    }
    // Somebody who writes on does not leave.
    let why = "tasks are being written down; sent again, it goes on";
    Err(Problem::new(Kind::CONFLICT)
        .detail(why)
        .field("Authorization", why))
}

/// The user and the counts in one transaction. Whether one of them was there; nothing when something was counted since.
async fn end(app: &App, user_id: &str, seen: Option<i64>) -> Result<Option<bool>, Problem> {
    let (user, counts) = (UserKey::new(user_id), TaskCountsKey::new(user_id));
    let Some(seen) = seen else {
        // Who never wrote down a task has no counts that could be deleted.
        return Ok(Some(is_gone(
            app.todo.users.delete_user_alone(&user).await,
        )?));
    };
    match app
        .todo
        .delete_user(&user, &counts, seen)
        .await
        .map_err(Stays::from)
    {
        Ok(()) => Ok(Some(true)),
        // Who never said who they are has tasks all the same.
        Err(Stays::NotThere) => match app.todo.delete_counts_alone(&counts, seen).await {
            Ok(()) => Ok(Some(true)),
            Err(Failed::Refused(_)) => Ok(None),
            Err(Failed::Error(error)) => Err(error.into()),
        },
        Err(Stays::Counted) => Ok(None),
        Err(Stays::Problem(problem)) => Err(problem),
    }
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
    /// The counts are not what they were.
    Counted,
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
                    (None, Some(Why::NotFound | Why::Condition)) => Stays::Counted,
                    _ => Stays::Problem(Problem::new(Kind::CONFLICT)),
                }
            }
        }
    }
}
