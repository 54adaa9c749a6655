//! The list of tasks that are named by their ids.

use tablewright::{Error, Ulid};
use tablewright_service::{Caller, Listing, Problem};

use super::ListParams;
use crate::model::TaskKey;
use crate::rules::{Ordering, Place, Wanted};
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
    let places = Places {
        app,
        question: format!("tasks by ids {ids:?} {wanted:?} {}", params.ordered()),
        caller: &caller.sub,
    };
    let after = params.after().map(|cursor| places.open(cursor));
    let after = after.transpose()?;
    let keys: Vec<TaskKey> = ids
        .iter()
        .map(|id| TaskKey::new(&caller.sub, *id))
        .collect();
    let found = app.todo.tasks.tasks_by_ids(&keys).await?;
    let found = found.into_iter().flatten().filter(|task| wanted.fits(task));
    let ordering = Ordering::of(ids, wanted, params.sort, params.order);
    let mut found = ordering.apply(found.collect(), after.as_ref());
    let most = params
        .limit
        .map_or(found.len(), |limit| limit.get() as usize);
    let goes_on = found.len() > most;
    found.truncate(most);
    let last = found.last().filter(|_| goes_on);
    let next_cursor = last.map(|(place, _)| places.seal(place)).transpose()?;
    let items = found.iter();
    Ok(Listing {
        next_cursor,
        items: items
            .map(|(_, task)| ListedTask::of(task, params.fields()))
            .collect(),
    })
}

/// Places in the list that answers one question of one caller, and their cursors.
struct Places<'a> {
    app: &'a App,
    question: String,
    caller: &'a str,
}

impl Places<'_> {
    fn seal(&self, place: &Place) -> Result<String, Problem> {
        let place = serde_json::to_string(place).map_err(Problem::internal)?;
        let store = self.app.store();
        Ok(store.seal_cursor(place, &self.question, self.caller))
    }

    fn open(&self, cursor: &str) -> Result<Place, Error> {
        let store = self.app.store();
        let place = store.open_cursor(cursor, &self.question, self.caller)?;
        serde_json::from_str(&place).map_err(|_| Error::BadCursor)
    }
}
