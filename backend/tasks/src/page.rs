//! The page at `/`, and of a task at `/tasks/{task_id}`: the board, a task, and people, in a browser. The server writes the HTML, htmx puts it in place.

mod assets;
mod board;
mod detail;
mod others;
mod people;
mod words;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get, post};
use tablewright_service::{IssuerError, PageSignIn, Problem, Settings, page_of_html, page_routes};

use crate::state::App;

pub(crate) fn routes(app: &App, settings: &Settings) -> Result<Router, IssuerError> {
    let task = "/page/tasks/{task_id}";
    let parts = Router::new()
        .route("/page/board", get(board::show))
        .route("/page/columns/{status}", get(board::more))
        .route("/page/tasks", post(board::add))
        .route(
            task,
            get(detail::show).post(detail::save).delete(detail::remove),
        )
        .route(&format!("{task}/edit"), get(detail::edit))
        .route(&format!("{task}/status"), post(detail::change_status))
        .route(&format!("{task}/close"), post(detail::close))
        .route(&format!("{task}/assign"), post(detail::assign))
        .route(&format!("{task}/others"), get(others::show))
        .route(
            &format!("{task}/assignments/{{user_id}}"),
            delete(detail::unassign),
        )
        .route("/page/people", get(people::show))
        .route("/page/people/{user_id}/status", post(people::change_status))
        .with_state(app.clone());
    Ok(Router::new()
        .route("/", get(shell))
        // Where mails lead to. The script opens the task once somebody has signed in.
        .route("/tasks/{task_id}", get(shell))
        .route("/people", get(shell))
        .with_state(PageSignIn::of(settings))
        .merge(parts)
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
    use tablewright_service::Sources;

    use super::*;

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
