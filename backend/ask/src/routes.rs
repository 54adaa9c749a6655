//! The routes, one file a group.

mod admin;
mod agent;
mod human;
mod reviews;

use tablewright_service::Routes;

use crate::limits::everywhere;
use crate::state::App;

/// All of them. Who asks is found out by what each handler takes, and whatever is answered where there is a limit says where one stands.
pub(crate) fn all(app: &App) -> Vec<Routes> {
    let groups = [
        agent::routes(),
        human::routes(),
        admin::routes(),
        reviews::routes(),
    ];
    let groups = groups.into_iter();
    let limited = |routes: Routes<App>| {
        let told = app.clone();
        routes
            .with_state(app.clone())
            .around(move |request, next| everywhere(told.clone(), request, next))
    };
    groups.map(limited).collect()
}
