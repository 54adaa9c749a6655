//! The routes, one file a group.

mod admin;
mod agent;
mod human;
mod reviews;

use tablewright_service::Routes;

use crate::state::App;

/// All of them. Who asks is found out by what each handler takes.
pub(crate) fn all(app: &App) -> Vec<Routes> {
    let groups = [
        agent::routes(),
        human::routes(),
        admin::routes(),
        reviews::routes(),
    ];
    let groups = groups.into_iter();
    groups
        .map(|routes| routes.with_state(app.clone()))
        .collect()
}
