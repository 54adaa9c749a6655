//! The pages for people, agents and admins. The server writes the HTML; most of it works without a script.

mod admin;
mod agent;
mod assets;
mod board;
mod feed;
mod me;
mod question;
mod settings;
mod visitor;
mod words;

use askama::Template;
use axum::Router;
use axum::middleware::from_fn;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tablewright_service::{IssuerError, Kind, Problem, Settings, page_of_html, page_routes};

use crate::limits::everywhere;
use crate::state::App;

/// In which domain people have their addresses who sign in as admins on their own machine.
const DOMAIN: &str = "example.org";

pub(crate) fn routes(app: &App, settings: &Settings) -> Result<Router, IssuerError> {
    let people = Router::new()
        .route("/", get(feed::show))
        .route("/skip", get(question::skip))
        .route("/thanks", get(question::thank))
        .route(
            "/questions/{question_id}",
            get(question::show).post(question::answer),
        )
        .route("/leaderboard", get(board::show))
        .route("/me", get(me::show))
        .with_state(app.clone());
    let limited = people
        .merge(settings::routes(app))
        .merge(agent::routes(app));
    let (told, known) = (app.clone(), app.clone());
    let limited = limited.layer(from_fn(move |request, next| {
        everywhere(told.clone(), request, next)
    }));
    let limited = limited.layer(from_fn(move |request, next| {
        visitor::remembered(known.clone(), request, next)
    }));
    Ok(limited
        .route("/offline", get(offline))
        .merge(admin::routes(app, settings))
        .merge(page_routes(settings, DOMAIN)?)
        .merge(assets::routes()))
}

#[derive(Template)]
#[template(path = "offline.html")]
struct Offline {
    here: &'static str,
}

async fn offline() -> Result<Response, Problem> {
    html(&Offline { here: "" })
}

/// Something that a person is told instead of what they asked for.
#[derive(Template)]
#[template(path = "notice.html")]
struct Notice {
    here: &'static str,
    title: String,
    text: String,
    /// What they wrote, which is not lost.
    written: String,
}

fn html(template: &impl Template) -> Result<Response, Problem> {
    Ok(page_of_html(template.render().map_err(Problem::internal)?))
}

/// The page that says what went wrong, with its status and headers. It is still the problem for the log.
fn sorry(problem: Problem) -> Result<Response, Problem> {
    sorry_for(problem, "")
}

/// The same, with what somebody wrote that could not be sent.
fn sorry_for(problem: Problem, written: &str) -> Result<Response, Problem> {
    let body = problem.body();
    let text = body.detail.unwrap_or_else(|| usual(problem.kind()));
    let page = html(&Notice {
        here: "",
        title: body.title,
        text: capital(&text),
        written: written.to_owned(),
    })?;
    Ok(told_by(problem, page))
}

/// What is told where nothing else is known. That nothing was done is not said where nobody knows.
fn usual(kind: Kind) -> String {
    let unknown = [Kind::UNCERTAIN, Kind::TIMEOUT, Kind::INTERNAL].contains(&kind);
    String::from(match unknown {
        true => "It is not known whether it was done: look before you send it again.",
        false => "Nothing was done.",
    })
}

/// A page in the place of the JSON of a problem.
fn told_by(problem: Problem, page: Response) -> Response {
    let mut response = problem.into_response();
    let (parts, body) = page.into_parts();
    response.headers_mut().extend(parts.headers);
    *response.body_mut() = body;
    response
}

/// A problem in one line.
fn told(problem: &Problem) -> String {
    let body = problem.body();
    // Of a limit all is said in words; that it is found out by a header is for programs.
    let for_people = problem.kind() != Kind::RATE_LIMITED;
    let errors = body.errors.into_iter().filter(|_| for_people);
    let errors = errors.map(|error| format!("{}: {}", error.field, error.reason));
    let mut parts: Vec<String> = body.detail.into_iter().chain(errors).collect();
    if parts.is_empty() {
        parts.push(body.title);
    }
    capital(&parts.join("; "))
}

/// A sentence begins with a capital letter and ends with a full stop.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .map(|letter| letter.to_uppercase().collect())
        .unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{first}{}{end}", letters.as_str())
}
