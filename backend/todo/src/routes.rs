//! The routes under `/api/v1`, one file a group. All are for the caller in the token.

mod bulk;
pub(crate) mod insights;
mod list;
mod search;
mod several;
mod stats;
mod tasks;
mod users;

use tablewright_service::Routes;

use crate::state::App;

/// Where they are.
pub(crate) const UNDER: &str = "/api/v1";

/// All of them.
pub(crate) fn all(app: App) -> Vec<Routes> {
    let groups = [
        users::routes(),
        tasks::routes(),
        list::routes(),
        bulk::routes(),
        search::routes(),
        stats::routes(),
        insights::routes(),
    ];
    let groups = groups.into_iter();
    groups
        .map(|routes| routes.with_state(app.clone()).under(UNDER))
        .collect()
}
