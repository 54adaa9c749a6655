//! Many tasks at once.

use std::collections::HashSet;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Once, Ulid};
use tablewright_service::{Caller, Claims, Json, Kind, Problem, Replayable, Routes, Write, post};

use crate::ask::{first_that_fit, goes_on};
use crate::begun::{Begun, begin};
use crate::many::{Chosen, Deed, Outcome};
use crate::model::{Idempotency, TaskPriority, TaskStatus};
use crate::rules::{Day, Filter, Wanted};
use crate::state::App;

/// The most tasks one request changes.
const MOST: u32 = 1000;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Many tasks", "Changes of many tasks at once.")
        .route(
            post("/tasks/bulk/status", change_statuses)
                .summary("Give many tasks a status")
                .about(
                    "Each task is changed for itself, on condition that nobody else changes it meanwhile: what others write at the same time is kept. A request that broke off can be sent again, and goes on. What there was no time for is told as `not_reached`, and `more` is true.",
                )
                .problem(Kind::CONFLICT),
        )
        .route(
            post("/tasks/bulk/delete-completed", delete_completed)
                .summary("Delete completed tasks")
                .about("Up to 1000, each only if it is still completed. A request that broke off can be sent again, and goes on; so can one that says there are more.")
                .problem(Kind::CONFLICT),
        )
}

/// Which tasks get which status: those with these ids, or those that fit a filter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{ "status": "completed", "filter": { "status": ["in_progress"] } }]))]
struct StatusOfMany {
    /// The status they get.
    status: TaskStatus,
    /// Their ids, 1 to 1000.
    #[schemars(length(min = 1, max = 1000), extend("uniqueItems" = true))]
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
    #[schemars(length(min = 1, max = 50))]
    category: Option<String>,
    /// Due on this day.
    due_on: Option<Day>,
    /// Due on this day or later.
    due_from: Option<Day>,
    /// Due on this day or earlier.
    due_to: Option<Day>,
    /// `true`: due before today, and pending or in progress. `false`: all others.
    overdue: Option<bool>,
    /// Whether there is a due date.
    has_due_date: Option<bool>,
    /// Where today is.
    #[schemars(length(min = 1, max = 50), extend("examples" = ["Europe/Berlin"]))]
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
    /// Whether there is more to do, for more tasks fit the filter, or some could not be changed in time: send the request again, with another idempotency key.
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

/// S0-33, C0-13
async fn change_statuses(
    State(app): State<App>,
    caller: Caller,
    write: Write<StatusOfMany>,
) -> Result<Replayable<Json<StatusesChanged>>, Problem> {
    let (app, caller, asked) = (&app, &caller, &write.body);
    let about = about(app, asked)?;
    let about = &about;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let begun = match begin(app, &claims).await? {
                Once::Done(begun) => begun,
                Once::Before(record) => return Ok(Once::Before(record)),
            };
            let work = change_all(app, &begun, caller, asked.status, about);
            let answer = begun.work(work).await?;
            begun.end(Json(answer)).await
        })
        .await
}

async fn change_all(
    app: &App,
    begun: &Begun<'_>,
    caller: &Caller,
    status: TaskStatus,
    about: &About,
) -> Result<StatusesChanged, Problem> {
    let (chosen, wanted) = match about {
        About::Ids(ids) => {
            let ids = ids.clone();
            (Chosen { more: false, ids }, None)
        }
        About::Fitting(wanted) => match Chosen::before(begun) {
            Some(chosen) => (chosen, Some(wanted)),
            None => {
                let (found, more) = first_that_fit(app, &caller.sub, wanted, MOST).await?;
                let ids = found.iter().map(|task| task.task_id).collect();
                let chosen = Chosen { more, ids };
                (chosen.now(begun).await?, Some(wanted))
            }
        },
    };
    let deed = Deed::Status(status, wanted);
    let outcomes = deed.to_all(app, begun, &caller.sub, &chosen.ids).await?;
    let changed = outcomes.iter().filter(|one| **one == Outcome::Changed);
    Ok(StatusesChanged {
        changed: changed.count(),
        more: chosen.more || outcomes.iter().any(|outcome| outcome.is_open()),
        results: chosen
            .ids
            .into_iter()
            .zip(outcomes)
            .map(|(task_id, result)| BulkResult { task_id, result })
            .collect(),
    })
}

/// The tasks a request is about.
enum About {
    Ids(Vec<Ulid>),
    Fitting(Wanted),
}

fn about(app: &App, asked: &StatusOfMany) -> Result<About, Problem> {
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
                None => Ok(About::Ids(ids.clone())),
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
            Ok(About::Fitting(filter.wanted(
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
            let answer = begun.work(delete_all(app, &begun, caller)).await?;
            begun.end(Json(answer)).await
        })
        .await
}

async fn delete_all(
    app: &App,
    begun: &Begun<'_>,
    caller: &Caller,
) -> Result<CompletedDeleted, Problem> {
    let chosen = match Chosen::before(begun) {
        Some(chosen) => chosen,
        None => {
            let completed = || app.todo.tasks.completed_tasks(&caller.sub);
            let page = completed().limit(MOST).page().await?;
            let more = goes_on(completed(), page.next.as_deref()).await?;
            let ids = page.items.iter().map(|task| task.task_id).collect();
            Chosen { more, ids }.now(begun).await?
        }
    };
    let deed = Deed::DeleteCompleted;
    let outcomes = deed.to_all(app, begun, &caller.sub, &chosen.ids).await?;
    let deleted = outcomes.iter().filter(|one| **one == Outcome::Changed);
    Ok(CompletedDeleted {
        deleted: deleted.count(),
        more: chosen.more || outcomes.iter().any(|outcome| outcome.is_open()),
    })
}
