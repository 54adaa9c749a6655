//! Something done to many tasks, to each for itself: until all are done, or the time of the request is over.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Change, Error, Ulid, Versioned};
use tablewright_service::Problem;

use crate::begun::Begun;
use crate::model::{ChangeStatusInBulk, Task, TaskKey, TaskStatus};
use crate::rules::{Edit, Wanted, edited};
use crate::state::App;

/// How many tasks are begun before the time is looked at: as many as are changed at once.
const PORTION: usize = 8;

/// How many tasks are read at once.
const READ_AT_ONCE: usize = 100;

/// How often tasks are tried that others change at the same time. Each time a change is made once more to what another left.
const ROUNDS: u32 = 5;

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It has the status now.
    Changed,
    /// It had the status already.
    Unchanged,
    /// It no longer fits the filter.
    Skipped,
    /// There is no such task.
    NotFound,
    /// Others changed it at the same time, again and again. Send the request again, with another idempotency key.
    Conflict,
    /// There was no time for it. Send the request again, with another idempotency key.
    NotReached,
}

impl Outcome {
    /// Whether it is to be asked for again.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Outcome::Conflict | Outcome::NotReached)
    }
}

/// What is done.
pub(crate) enum Deed<'a> {
    /// They get a status, if they are wanted still.
    Status(TaskStatus, Option<&'a Wanted>),
    /// They are deleted, if they are completed still.
    DeleteCompleted,
}

/// The tasks of a request, in the order in which they are told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// Whether there were more than one request takes.
    pub(crate) more: bool,
    pub(crate) ids: Vec<Ulid>,
}

impl Chosen {
    /// What the request chose before it broke off, if it did.
    pub(crate) fn before(begun: &Begun<'_>) -> Option<Chosen> {
        // What cannot be read is chosen anew.
        serde_json::from_str(begun.chosen()?).ok()
    }

    /// Chosen now; kept for whoever takes the request up.
    pub(crate) async fn now(self, begun: &Begun<'_>) -> Result<Chosen, Problem> {
        let kept = serde_json::to_string(&self).map_err(Problem::internal)?;
        begun.choose(kept).await?;
        Ok(self)
    }
}

impl Deed<'_> {
    /// Does it to each of these tasks; what became of each, in their order.
    pub(crate) async fn to_all(
        &self,
        app: &App,
        begun: &Begun<'_>,
        user_id: &str,
        ids: &[Ulid],
    ) -> Result<Vec<Outcome>, Problem> {
        let mut outcomes = self.done_before(app, begun, user_id, ids).await?;
        let mut open: Vec<usize> = (0..ids.len()).collect();
        open.retain(|at| outcomes[*at].is_open());
        for round in 0..ROUNDS {
            if round > 0 {
                tokio::time::sleep(Duration::from_millis(25) * 2_u32.pow(round)).await;
            }
            for portion in open.chunks(PORTION) {
                if Instant::now() >= begun.until() {
                    return Ok(outcomes);
                }
                let keys = portion.iter().map(|at| TaskKey::new(user_id, ids[*at]));
                let keys: Vec<TaskKey> = keys.collect();
                let done = self.to_each(app, begun.taken_up_since(), &keys).await;
                for (at, outcome) in portion.iter().zip(done.map_err(partly)?) {
                    outcomes[*at] = outcome;
                }
            }
            open.retain(|at| outcomes[*at] == Outcome::Conflict);
            if open.is_empty() {
                break;
            }
        }
        Ok(outcomes)
    }

    /// What became of those that have their status already: they are read together, so that the time is there for the others, however often a request is sent again.
    async fn done_before(
        &self,
        app: &App,
        begun: &Begun<'_>,
        user_id: &str,
        ids: &[Ulid],
    ) -> Result<Vec<Outcome>, Problem> {
        let mut outcomes = vec![Outcome::NotReached; ids.len()];
        let status = match self {
            Deed::Status(status, None) => *status,
            Deed::Status(status, Some(_)) if begun.is_taken_up() => *status,
            // What was just found by a filter has another status.
            Deed::Status(..) | Deed::DeleteCompleted => return Ok(outcomes),
        };
        for (told, ids) in outcomes
            .chunks_mut(READ_AT_ONCE)
            .zip(ids.chunks(READ_AT_ONCE))
        {
            if Instant::now() >= begun.until() {
                break;
            }
            let keys = ids.iter().map(|id| TaskKey::new(user_id, *id));
            let keys: Vec<TaskKey> = keys.collect();
            let found = app
                .todo
                .tasks
                .tasks_as_of_now(&keys)
                .await
                .map_err(partly)?;
            for (told, task) in told.iter_mut().zip(found) {
                let task = task.filter(|task| task.status == status);
                if let Some(task) = task {
                    *told = had_status(&task, begun.taken_up_since());
                }
            }
        }
        Ok(outcomes)
    }

    async fn to_each(
        &self,
        app: &App,
        taken_up_since: Option<i64>,
        keys: &[TaskKey],
    ) -> Result<Vec<Outcome>, Error> {
        match self {
            Deed::Status(status, wanted) => {
                change_each(app, keys, *status, *wanted, taken_up_since).await
            }
            Deed::DeleteCompleted => {
                let done = app.todo.tasks.delete_completed_in_bulk(keys).await;
                let deleted = done.into_iter().map(|done| match done {
                    Ok(_) => Ok(Outcome::Changed),
                    // It was there when the request began.
                    Err(Error::NotFound { .. }) if taken_up_since.is_some() => Ok(Outcome::Changed),
                    Err(Error::NotFound { .. }) => Ok(Outcome::NotFound),
                    // Reopened meanwhile.
                    Err(Error::Refused { .. }) => Ok(Outcome::Skipped),
                    Err(Error::Conflict { .. }) => Ok(Outcome::Conflict),
                    Err(error) => Err(error),
                });
                deleted.collect()
            }
        }
    }
}

/// What was done stays done.
fn partly(error: Error) -> Problem {
    Problem::from(error).detail("A part of it may be done. Send the request again, and it goes on.")
}

/// Why a task is left as it is.
enum Left {
    As(Outcome),
    Failed(Error),
}

impl From<Error> for Left {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => Left::As(Outcome::NotFound),
            Error::Conflict { .. } => Left::As(Outcome::Conflict),
            error => Left::Failed(error),
        }
    }
}

/// What became of a task that has its status: of a request that was taken up, what has it since that began got it from there.
fn had_status(task: &Task, taken_up_since: Option<i64>) -> Outcome {
    match taken_up_since.is_some_and(|since| task.updated_at >= since) {
        true => Outcome::Changed,
        false => Outcome::Unchanged,
    }
}

async fn change_each(
    app: &App,
    keys: &[TaskKey],
    status: TaskStatus,
    wanted: Option<&Wanted>,
    taken_up_since: Option<i64>,
) -> Result<Vec<Outcome>, Error> {
    let edit = Edit::of_status(status);
    let change = |task: &Versioned<Task>| -> Result<ChangeStatusInBulk, Left> {
        if task.status == status {
            return Err(Left::As(had_status(task, taken_up_since)));
        }
        if wanted.is_some_and(|wanted| !wanted.fits(task)) {
            return Err(Left::As(Outcome::Skipped));
        }
        let after = edited(task, &edit, app.now(), app.retention);
        Ok(ChangeStatusInBulk {
            status: Change::Set(after.status),
            updated_at: Change::Set(after.updated_at),
            completed_at: Change::Set(after.completed_at),
            ttl: Change::Set(after.ttl),
            revision: Change::Set(after.revision),
        })
    };
    let done = app.todo.tasks.change_status_in_bulk(keys, change).await;
    let outcomes = done.into_iter().map(|done| match done {
        Ok(_) => Ok(Outcome::Changed),
        Err(Left::As(outcome)) => Ok(outcome),
        Err(Left::Failed(error)) => Err(error),
    });
    outcomes.collect()
}
