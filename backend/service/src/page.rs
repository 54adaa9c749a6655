//! What the pages of the services share: how they are sent, what they load, and how people sign in to them.

mod compressed;
mod form;
mod tokens;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use http::{HeaderName, header};

pub(crate) use self::compressed::compressed;
pub use self::form::Form;
use self::tokens::Tokens;
use crate::auth::{DevelopmentIssuer, IssuerError};
use crate::problem::{Kind, Problem};
use crate::settings::{Issuer, Settings};

/// A layer for pages that tell whoever sits at this machine what is nobody else's: a page of another site, whose name leads here, is refused.
pub async fn only_for_this_machine(request: Request, next: Next) -> Result<Response, Problem> {
    match tokens::is_this_machine(request.headers()) {
        true => Ok(next.run(request).await),
        false => Err(Problem::new(Kind::FORBIDDEN)
            .field("Host", "these pages are for who sits at this machine")),
    }
}

/// What a page may load: itself, scripts, styles and answers of the service, and nothing of anybody else; but for whom its script may ask.
const ASKS: &str = "connect-src 'self'";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// How people sign in to a page: what its template must know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageSignIn {
    /// By their name, since this is their machine.
    pub development: bool,
    /// Who signs their tokens otherwise.
    pub issuer: String,
    /// Whether they can be sent there. If not, they have a token already.
    pub signs_in: bool,
}

impl PageSignIn {
    /// As the settings say.
    pub fn of(settings: &Settings) -> Self {
        match &settings.issuer {
            Issuer::Development { .. } => PageSignIn {
                development: true,
                issuer: String::new(),
                signs_in: false,
            },
            Issuer::Published(published) => PageSignIn {
                development: false,
                issuer: published.issuer.clone(),
                signs_in: published.client.is_some(),
            },
        }
    }
}

/// A page, or a part of one, which may load what the service has and nothing else.
pub fn page_of_html(html: String) -> Response {
    page_that_asks(html, &[])
}

/// The same, whose script may also ask these origins, as `https://api.example.org`.
pub fn page_that_asks(html: String, origins: &[String]) -> Response {
    let asks = [&[ASKS.to_owned()], origins].concat().join(" ");
    let headers: [(HeaderName, String); 2] = [
        (header::CONTENT_SECURITY_POLICY, format!("{POLICY}; {asks}")),
        // Without any, a browser says that a form comes from nowhere, and nobody could tell ours from another's.
        (header::REFERRER_POLICY, String::from("same-origin")),
    ];
    (headers, Html(html)).into_response()
}

/// A script (`text/javascript`) or a style (`text/css`) that is part of the program.
pub fn page_asset(kind: &'static str, text: &'static str) -> Response {
    // Short: a new version of the program must not meet an old script.
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=60"),
    ];
    (headers, text).into_response()
}

/// What every page loads, `/page/htmx.min.js`, `/page/session.js`, `/page/answers.js`, `/page/forms.js` and `/page/kit.css`; and `/page/token`, where whoever sits at this machine gets a token by
/// a name and a group, with an address in `domain`, as long as the development issuer is in use.
///
/// # Errors
/// When there is no development issuer.
pub fn page_routes(settings: &Settings, domain: &str) -> Result<Router, IssuerError> {
    let issuer = match &settings.issuer {
        Issuer::Development { keys } => Some(DevelopmentIssuer::open(keys)?),
        Issuer::Published(_) => None,
    };
    let tokens = Tokens {
        issuer,
        domain: domain.to_owned(),
    };
    let script = |text| get(async move || page_asset("text/javascript", text));
    Ok(Router::new()
        .route("/page/token", post(tokens::token))
        .with_state(Arc::new(tokens))
        .route(
            "/page/htmx.min.js",
            script(include_str!("../vendor/htmx/htmx.min.js")),
        )
        .route("/page/session.js", script(include_str!("page/session.js")))
        .route("/page/answers.js", script(include_str!("page/answers.js")))
        .route("/page/forms.js", script(include_str!("page/forms.js")))
        .route(
            "/page/kit.css",
            get(async || page_asset("text/css", include_str!("page/kit.css"))),
        ))
}
