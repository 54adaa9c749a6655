//! The page at `/`, and of a task at `/tasks/{task_id}`: the board, a task, and people, in a browser. The server writes the HTML, htmx puts it in place.

mod assets;
mod board;
mod deeds;
mod detail;
mod edit;
mod others;
mod people;
mod words;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};
use http::Method;
use tablewright_service::{IssuerError, PageSignIn, Problem, Settings, page_of_html, page_routes};

use crate::state::App;

/// A part of the page: how it is asked for, where, and what answers.
type Part = (Method, &'static str, fn() -> MethodRouter<App>);

/// All that is asked for by somebody who has signed in. What everybody is answered is in `tests/tasks/matrix.rs`, which fails without it.
const PARTS: [Part; 17] = [
    (Method::GET, "/page/board", || get(board::show)),
    (Method::GET, "/page/columns/{status}", || get(board::more)),
    (Method::POST, "/page/tasks", || post(board::add)),
    (Method::GET, "/page/tasks/{task_id}", || get(detail::show)),
    (Method::POST, "/page/tasks/{task_id}", || post(edit::save)),
    (Method::DELETE, "/page/tasks/{task_id}", || {
        delete(deeds::remove)
    }),
    (Method::GET, "/page/tasks/{task_id}/edit", || {
        get(edit::edit)
    }),
    (Method::GET, "/page/tasks/{task_id}/now", || get(edit::now)),
    (Method::POST, "/page/tasks/{task_id}/status", || {
        post(deeds::change_status)
    }),
    (Method::POST, "/page/tasks/{task_id}/close", || {
        post(deeds::close)
    }),
    (Method::POST, "/page/tasks/{task_id}/assign", || {
        post(deeds::assign)
    }),
    (Method::GET, "/page/tasks/{task_id}/others", || {
        get(others::show)
    }),
    (
        Method::DELETE,
        "/page/tasks/{task_id}/assignments/{user_id}",
        || delete(deeds::unassign),
    ),
    (Method::GET, "/page/people", || get(people::show)),
    (Method::DELETE, "/page/people/{user_id}/email", || {
        delete(people::free_address)
    }),
    (Method::POST, "/page/people/{user_id}/status", || {
        post(people::change_status)
    }),
    (Method::POST, "/page/mail/{event_id}/{user_id}/send", || {
        post(people::send_mail_again)
    }),
];

/// Where the page begins, and where mails lead to. The script opens the task once somebody has signed in. A gateway before the service has them from `infrastructure/models/tasks.pages.json`.
const SHELLS: [&str; 3] = ["/", "/tasks/{task_id}", "/people"];

/// How each part of the page is asked for, and where.
pub fn page_parts() -> impl Iterator<Item = (Method, &'static str)> {
    let parts = PARTS.into_iter().map(|(method, path, _)| (method, path));
    parts.chain(SHELLS.map(|path| (Method::GET, path)))
}

pub(crate) fn routes(app: &App, settings: &Settings) -> Result<Router, IssuerError> {
    let parts = PARTS
        .into_iter()
        .fold(Router::new(), |router, (_, path, answer)| {
            router.route(path, answer())
        });
    let shells = SHELLS
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path, get(shell)));
    Ok(shells
        .with_state(PageSignIn::of(settings))
        .merge(parts.with_state(app.clone()))
        .merge(page_routes(settings, app.domains.any())?)
        .merge(assets::routes()))
}

/// What is there before anybody has signed in.
#[derive(Template)]
#[template(path = "index.html")]
struct Shell {
    sign_in: PageSignIn,
}

async fn shell(State(sign_in): State<PageSignIn>) -> Result<Response, Problem> {
    html(&Shell { sign_in })
}

fn html(template: &impl Template) -> Result<Response, Problem> {
    Ok(page_of_html(template.render().map_err(Problem::internal)?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tablewright_service::Sources;

    use super::*;

    /// Whoever reloads a page finds it behind a gateway as well.
    #[test]
    fn the_gateway_knows_where_pages_begin() {
        let list = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../infrastructure/models/tasks.pages.json");
        let text = serde_json::to_string_pretty(&SHELLS).unwrap() + "\n";
        if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
            std::fs::write(&list, &text).unwrap();
        }
        let known = std::fs::read_to_string(&list).unwrap_or_default();
        assert_eq!(known, text, "bless with TABLEWRIGHT_BLESS=1");
        // Whatever else the page asks for is under `/page/`, which a gateway lets through whole.
        for (_, path) in page_parts() {
            assert!(
                SHELLS.contains(&path) || path.starts_with("/page/"),
                "{path}"
            );
        }
    }

    #[test]
    fn one_signs_in_by_name_and_role_on_ones_own_machine() {
        let sources = Sources::none().variable("TABLEWRIGHT_ENDPOINT", "temporary");
        let settings = Settings::from_sources(&crate::ABOUT, crate::SETTINGS, &sources).unwrap();
        let sign_in = PageSignIn::of(&settings);
        let text = Shell { sign_in }.render().unwrap();
        for part in ["name=\"name\"", "name=\"group\""] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("name=\"token\""));
    }
}
