//! The routes under `/api/v1`, one file a group.

mod assignments;
pub(crate) mod bounces;
mod history;
mod list;
mod mail;
mod status;
mod tasks;
mod users;

use tablewright_service::Routes;

use crate::state::App;

/// Where they are.
pub(crate) const UNDER: &str = "/api/v1";

/// All of them.
pub(crate) fn all(app: &App) -> Vec<Routes> {
    let groups = [
        tasks::routes(),
        list::routes(),
        assignments::routes(),
        status::routes(),
        history::routes(),
        users::routes(),
        mail::routes(),
    ];
    let groups = groups.into_iter();
    groups
        .map(|routes| routes.with_state(app.clone()).under(UNDER))
        .collect()
}
