//! Many tasks at once.

use std::collections::HashSet;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Change, Error, Once, Ulid, Versioned};
use tablewright_service::{Caller, Claims, Json, Kind, Problem, Replayable, Routes, Write, post};

use crate::ask::{first_that_fit, goes_on};
use crate::begun::begin;
use crate::model::{ChangeStatusInBulk, Idempotency, Task, TaskKey, TaskPriority, TaskStatus};
use crate::rules::{Day, Edit, Filter, Wanted, edited};
use crate::state::App;

/// The most tasks one request changes.
const MOST: u32 = 1000;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Many tasks", "Changes of many tasks at once.")
        .route(
            post("/tasks/bulk/status", change_statuses)
                .summary("Give many tasks a status")
                .about(
                    "Each task is changed for itself, on condition that nobody else changes it meanwhile: what others write at the same time is kept. A request that broke off can be sent again, and goes on.",
                ),
        )
        .route(
            post("/tasks/bulk/delete-completed", delete_completed)
                .summary("Delete completed tasks")
                .about("Up to 1000, each only if it is still completed. A request that broke off can be sent again, and goes on; so can one that says there are more."),
        )
}

/// Which tasks get which status: those with these ids, or those that fit a filter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatusOfMany {
    /// The status they get.
    status: TaskStatus,
    /// Their ids, 1 to 1000.
    #[schemars(length(min = 1, max = 1000))]
    ids: Option<Vec<Ulid>>,
    /// What they are now. Up to 1000 of them are changed.
    filter: Option<BulkFilter>,
}

/// What tasks are; all that is said holds.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct BulkFilter {
    /// One of these statuses.
    status: Option<Vec<TaskStatus>>,
    /// One of these priorities.
    priority: Option<Vec<TaskPriority>>,
    /// This category.
    category: Option<String>,
    /// Due on this day.
    due_on: Option<Day>,
    /// Due on this day or later.
    due_from: Option<Day>,
    /// Due on this day or earlier.
    due_to: Option<Day>,
    /// `true`: due before today, and pending or in progress.
    overdue: Option<bool>,
    /// Whether there is a due date.
    has_due_date: Option<bool>,
    /// Where today is.
    tz: Option<String>,
}

impl From<BulkFilter> for Filter {
    fn from(filter: BulkFilter) -> Self {
        let BulkFilter {
            status,
            priority,
            category,
            due_on,
            due_from,
            due_to,
            overdue,
            has_due_date,
            tz,
        } = filter;
        Filter {
            status,
            priority,
            category,
            due_on,
            due_from,
            due_to,
            overdue,
            has_due_date,
            tz,
        }
    }
}

/// What became of many tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct StatusesChanged {
    /// How many were changed.
    changed: usize,
    /// Whether more tasks fit the filter: send the request again, with another idempotency key.
    more: bool,
    /// What became of each.
    results: Vec<BulkResult>,
}

/// What became of one task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct BulkResult {
    /// Which.
    task_id: Ulid,
    /// What became of it.
    result: Outcome,
}

/// What can become of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It has the status now.
    Changed,
    /// It had the status already.
    Unchanged,
    /// It no longer fits the filter.
    Skipped,
    /// There is no such task.
    NotFound,
    /// Others changed it at the same time, again and again. Try once more.
    Conflict,
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

/// S0-33, C0-13
async fn change_statuses(
    State(app): State<App>,
    caller: Caller,
    write: Write<StatusOfMany>,
) -> Result<Replayable<Json<StatusesChanged>>, Problem> {
    let (app, caller, asked) = (&app, &caller, &write.body);
    let chosen = chosen(app, asked)?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let begun = match begin(app, &claims).await? {
                Once::Done(begun) => begun,
                Once::Before(record) => return Ok(Once::Before(record)),
            };
            let (keys, wanted, more) = match chosen {
                Chosen::Ids(ids) => (
                    ids.iter()
                        .map(|id| TaskKey::new(&caller.sub, *id))
                        .collect(),
                    None,
                    false,
                ),
                Chosen::Fitting(wanted) => {
                    let (found, more) = first_that_fit(app, &caller.sub, &wanted, MOST).await?;
                    let keys: Vec<TaskKey> = found
                        .iter()
                        .map(|task| TaskKey::new(&caller.sub, task.task_id))
                        .collect();
                    (keys, Some(wanted), more)
                }
            };
            let results = change_all(app, &keys, asked.status, wanted.as_ref()).await?;
            let changed = results
                .iter()
                .filter(|result| result.result == Outcome::Changed)
                .count();
            let answer = StatusesChanged {
                changed,
                more,
                results,
            };
            begun.end(Json(answer)).await
        })
        .await
}

/// The tasks a request is about.
enum Chosen {
    Ids(Vec<Ulid>),
    Fitting(Wanted),
}

fn chosen(app: &App, asked: &StatusOfMany) -> Result<Chosen, Problem> {
    match (&asked.ids, &asked.filter) {
        (Some(ids), None) => {
            if !(1..=MOST as usize).contains(&ids.len()) {
                return Err(Problem::invalid(
                    "ids",
                    format!("there are 1 to {MOST}, and these are {}", ids.len()),
                ));
            }
            let mut seen = HashSet::new();
            match ids.iter().find(|id| !seen.insert(**id)) {
                Some(twice) => Err(Problem::invalid("ids", format!("{twice} is there twice"))),
                None => Ok(Chosen::Ids(ids.clone())),
            }
        }
        (None, Some(filter)) => {
            let mut filter = Filter::from(filter.clone());
            // Those that have the status already need no change.
            let others = TaskStatus::ALL
                .into_iter()
                .filter(|status| *status != asked.status);
            filter.status = Some(match filter.status.take() {
                None => others.collect(),
                Some(statuses) => statuses
                    .into_iter()
                    .filter(|status| *status != asked.status)
                    .collect(),
            });
            Ok(Chosen::Fitting(filter.wanted(
                app.store().now_millis(),
                Kind::INVALID,
                "filter.",
            )?))
        }
        _ => Err(
            Problem::invalid("ids", "either `ids` or `filter` is needed")
                .field("filter", "either `ids` or `filter` is needed"),
        ),
    }
}

async fn change_all(
    app: &App,
    keys: &[TaskKey],
    status: TaskStatus,
    wanted: Option<&Wanted>,
) -> Result<Vec<BulkResult>, Problem> {
    let edit = Edit::of_status(status);
    let change = |task: &Versioned<Task>| -> Result<ChangeStatusInBulk, Left> {
        if task.status == status {
            return Err(Left::As(Outcome::Unchanged));
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
    let mut results = Vec::with_capacity(keys.len());
    for (key, done) in keys.iter().zip(done) {
        let result = match done {
            Ok(_) => Outcome::Changed,
            Err(Left::As(outcome)) => outcome,
            // What was done stays done; the request can be sent again.
            Err(Left::Failed(error)) => return Err(error.into()),
        };
        results.push(BulkResult {
            task_id: key.task_id,
            result,
        });
    }
    Ok(results)
}

/// What became of the completed tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CompletedDeleted {
    /// How many were deleted.
    deleted: usize,
    /// Whether there are more: send the request again, with another idempotency key.
    more: bool,
}

/// S0-34
async fn delete_completed(
    State(app): State<App>,
    caller: Caller,
    write: Write<()>,
) -> Result<Replayable<Json<CompletedDeleted>>, Problem> {
    let (app, caller) = (&app, &caller);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let begun = match begin(app, &claims).await? {
                Once::Done(begun) => begun,
                Once::Before(record) => return Ok(Once::Before(record)),
            };
            let completed = || app.todo.tasks.completed_tasks(&caller.sub);
            let page = completed().limit(MOST).page().await?;
            let more = goes_on(completed(), page.next.as_deref()).await?;
            let keys: Vec<TaskKey> = page
                .items
                .iter()
                .map(|task| TaskKey::new(&caller.sub, task.task_id))
                .collect();
            let mut deleted = 0;
            for done in app.todo.tasks.delete_completed_in_bulk(&keys).await {
                match done {
                    Ok(_) => deleted += 1,
                    // Reopened, changed or deleted by somebody else meanwhile.
                    Err(
                        Error::NotFound { .. } | Error::Refused { .. } | Error::Conflict { .. },
                    ) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            begun.end(Json(CompletedDeleted { deleted, more })).await
        })
        .await
}
