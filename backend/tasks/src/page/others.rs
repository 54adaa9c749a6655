//! Whom a task can be assigned to: whoever is looked for, among all there are.

use std::collections::BTreeSet;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use tablewright::{Only, Uuid};
use tablewright_service::{Form, Path, Problem};

use super::html;
use crate::assignments::with_task;
use crate::model::{User, UserRefined, UserStatus};
use crate::people;
use crate::state::App;
use crate::who::Admin;

/// How many are offered at once.
const SHOWN: usize = 8;

#[derive(Template)]
#[template(path = "others.html")]
struct Others {
    task_id: Uuid,
    people: Vec<Offered>,
    /// Whether somebody is looked for.
    asked: bool,
    /// Whether there are more than these.
    more: bool,
}

/// Somebody who can be assigned.
struct Offered {
    user_id: String,
    name: String,
}

pub(super) async fn show(
    State(app): State<App>,
    Admin(_): Admin,
    Path(task_id): Path<Uuid>,
    uri: Uri,
) -> Result<Response, Problem> {
    let said = Form::in_query(&uri);
    let together = with_task(&app, task_id).await?;
    let workers = together.assignments.into_iter().map(|one| one.user_id);
    html(&others(&app, task_id, workers.collect(), said.text("who")).await?)
}

/// The same as a part of the page of the task.
pub(super) async fn text(
    app: &App,
    task_id: Uuid,
    workers: BTreeSet<String>,
) -> Result<String, Problem> {
    let others = others(app, task_id, workers, None).await?;
    others.render().map_err(Problem::internal)
}

/// Active people who do not work on it yet, by address.
async fn others(
    app: &App,
    task_id: Uuid,
    workers: BTreeSet<String>,
    who: Option<&str>,
) -> Result<Others, Problem> {
    let words = who.unwrap_or_default();
    let active = UserRefined {
        user_status: Only::Is(UserStatus::Active),
    };
    let (found, more) = people::find(app, words, &active, &workers, SHOWN).await?;
    let people = found.into_iter().map(|user| Offered {
        name: called(&user),
        user_id: user.user_id,
    });
    Ok(Others {
        task_id,
        people: people.collect(),
        asked: !words.trim().is_empty(),
        more,
    })
}

/// What somebody is called, so that no other is meant.
pub(super) fn called(user: &User) -> String {
    match &user.name {
        Some(name) => format!("{name} ({})", user.email),
        None => user.email.clone(),
    }
}
