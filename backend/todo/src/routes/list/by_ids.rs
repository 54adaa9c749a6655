//! The list of tasks that are named by their ids.

use tablewright::{Ulid, Versioned};
use tablewright_service::{Caller, Listing, Problem};

use super::ListParams;
use crate::model::{Task, TaskKey};
use crate::rules::{Wanted, in_order};
use crate::state::App;
use crate::view::ListedTask;

/// S0-43: those with these ids, in pages where that is asked for.
pub(super) async fn by_ids(
    app: &App,
    caller: &Caller,
    params: &ListParams,
    ids: &[Ulid],
    wanted: &Wanted,
) -> Result<Listing<ListedTask>, Problem> {
    let question = format!("tasks by ids {ids:?} {wanted:?} {}", params.ordered());
    let after = match params.after() {
        Some(cursor) => {
            let place = app.store().open_cursor(cursor, &question, &caller.sub)?;
            let id: Result<Ulid, _> = place.parse();
            Some(id.map_err(|_| tablewright::Error::BadCursor)?)
        }
        None => None,
    };
    let keys: Vec<TaskKey> = ids
        .iter()
        .map(|id| TaskKey::new(&caller.sub, *id))
        .collect();
    let found = app.todo.tasks.tasks_by_ids(&keys).await?;
    let found = found.into_iter().flatten().filter(|task| wanted.fits(task));
    let mut found: Vec<Versioned<Task>> = found.collect();
    let is_ordered = params.sort.is_some() || params.order.is_some();
    if is_ordered {
        found = in_order(found, wanted, params.sort, params.order);
    }
    if let Some(after) = after {
        let is_after = |task: &Versioned<Task>| task.task_id == after;
        let at = match is_ordered {
            // Where it is gone, nobody knows what came after it.
            true => found.iter().position(is_after).map(|at| at + 1),
            false => ids.iter().position(|id| *id == after).map(|at| {
                let passed = |task: &Versioned<Task>| ids[..=at].contains(&task.task_id);
                found.partition_point(passed)
            }),
        };
        found.drain(..at.ok_or(tablewright::Error::BadCursor)?);
    }
    let most = params
        .limit
        .map_or(found.len(), |limit| limit.get() as usize);
    let goes_on = found.len() > most;
    found.truncate(most);
    let last = found.last().filter(|_| goes_on);
    Ok(Listing {
        next_cursor: last.map(|task| {
            let place = task.task_id.to_string();
            app.store().seal_cursor(place, &question, &caller.sub)
        }),
        items: found
            .iter()
            .map(|task| ListedTask::of(task, params.fields()))
            .collect(),
    })
}
