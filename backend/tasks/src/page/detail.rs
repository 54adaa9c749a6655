//! One task: what it says, who works on it, what has happened to it, and what can be done.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tablewright::Uuid;
use tablewright_service::{Caller, Path, Problem};

use super::others::{self, called};
use super::{html, words};
use crate::assignments::{may_see, with_task};
use crate::model::{Assignment, HistoryEntry, Task, TaskStatus, User, UserKey};
use crate::rules::is_handed_out;
use crate::state::App;
use crate::who::Known;

/// How much of the history is shown.
const SHOWN: u32 = 100;

#[derive(Template)]
#[template(path = "detail.html")]
struct Detail<'d> {
    known: &'d Known,
    task: &'d Task,
    status: &'static str,
    creator: String,
    created: String,
    closed: Option<String>,
    moves: Vec<(&'static str, &'static str)>,
    is_closed: bool,
    workers: Vec<Worker>,
    more_workers: bool,
    /// HTML of those who can be assigned, where somebody can.
    others: Option<String>,
    history: Vec<(String, String)>,
    more_history: bool,
}

/// Somebody who works on the task.
struct Worker {
    /// Their id, as a part of an address.
    in_path: String,
    name: String,
    since: String,
}

pub(super) async fn show(
    State(app): State<App>,
    known: Known,
    Path(task_id): Path<Uuid>,
) -> Result<Response, Problem> {
    detail(&app, &known, task_id).await
}

pub(super) async fn detail(app: &App, known: &Known, task_id: Uuid) -> Result<Response, Problem> {
    may_see(app, known, task_id).await?;
    let together = with_task(app, task_id).await?;
    let task = &together.task.data;
    let entries = app.tasks.history_entries.history_of_task(task_id);
    let page = entries.limit(SHOWN).page().await?;
    let (entries, more_history) = (page.items, page.next.is_some());
    let people = People::of(app, task, &together.assignments, &entries).await?;
    let workers: Vec<Worker> = together
        .assignments
        .iter()
        .map(|one| Worker {
            in_path: words::in_path(&one.user_id),
            name: people.in_full(&one.user_id),
            since: words::moment(one.assigned_at),
        })
        .collect();
    let others = match known.is_admin() && is_handed_out(task.status) {
        true => {
            let workers = together.assignments.iter().map(|one| one.user_id.clone());
            Some(others::text(app, task_id, workers.collect()).await?)
        }
        false => None,
    };
    let history = entries.iter().map(|entry| {
        let what = words::sentence(entry, |id| people.name(id));
        (words::moment(entry.happened_at), what)
    });
    let closed = task.closed_by.as_deref().zip(task.closed_at);
    let closed = closed.map(|(who, when)| format!("{}, {}", people.name(who), words::moment(when)));
    html(&Detail {
        known,
        task,
        status: words::status(task.status),
        creator: people.name(&task.created_by),
        created: words::moment(task.created_at),
        closed,
        moves: words::moves(task, known.role),
        is_closed: task.status == TaskStatus::Closed,
        more_workers: together.more,
        others,
        history: history.collect(),
        more_history,
        workers,
    })
}

/// Those a page speaks of, by their ids.
struct People(BTreeMap<String, User>);

impl People {
    /// All of them in one request.
    async fn of(
        app: &App,
        task: &Task,
        assignments: &[Assignment],
        entries: &[HistoryEntry],
    ) -> Result<Self, Problem> {
        let mut ids: BTreeSet<&str> = assignments.iter().map(|one| &*one.user_id).collect();
        ids.insert(&task.created_by);
        ids.extend(task.closed_by.as_deref());
        ids.extend(entries.iter().flat_map(words::people_in));
        let known = ids.into_iter().filter(|id| Caller::is_subject(id));
        let keys: Vec<UserKey> = known.map(UserKey::new).collect();
        let found = app.tasks.users.users_by_ids(&keys).await?;
        let found = found.into_iter().flatten();
        let people = found.map(|user| (user.user_id.clone(), user.data));
        Ok(People(people.collect()))
    }

    /// What somebody is called; who is not known, by their id.
    fn name(&self, id: &str) -> String {
        let user = self.0.get(id);
        let name = user.map(|user| user.name.as_ref().unwrap_or(&user.email));
        name.map_or(id, String::as_str).to_owned()
    }

    fn in_full(&self, id: &str) -> String {
        self.0.get(id).map_or_else(|| id.to_owned(), called)
    }
}
