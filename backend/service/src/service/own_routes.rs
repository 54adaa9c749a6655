//! The routes every service has.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderName, header};

use crate::api::{BUNDLE, docs};
use crate::auth::Verifier;
use crate::health::{Health, health, live, ready};
use crate::numbers::metrics;
use crate::problem::{Kind, Problem, page, page_of};
use crate::settings::Settings;

/// What a page of ours may load: itself, and its style.
const PAGE: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What the page of the API may load: its bundle, its description, and answers of the service itself.
const DOCS: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

pub(super) fn own_routes(
    settings: &Settings,
    verifier: &Verifier,
    state: &Arc<Health>,
    kinds: &[Kind],
    document: String,
) -> Router {
    let title = settings.about.title;
    let list = page(title, kinds);
    let kinds = kinds.to_vec();
    let mut router = Router::new()
        .route("/health", get(health))
        .route("/health/ready", get(ready))
        .with_state(Arc::clone(state))
        .merge(signs_of_life(settings))
        .route("/openapi.json", get(async || json(document)))
        .route("/docs", get(async move || html(DOCS, docs(title))))
        .route("/docs/rapidoc-min.js", get(bundle))
        .route("/problems", get(async || html(PAGE, list)))
        .route(
            "/problems/{slug}",
            get(async move |Path(slug): Path<String>| {
                match kinds.iter().find(|kind| kind.slug == slug) {
                    Some(kind) => html(PAGE, page_of(kind)),
                    None => Problem::not_found("kind of problem").into_response(),
                }
            }),
        );
    if let Some(jwks) = verifier.development_jwks() {
        let jwks = jwks.to_owned();
        router = router.route("/.well-known/jwks.json", get(async || json(jwks)));
    }
    router
}

/// What every process shows, also one that serves nobody: that it lives, and its numbers.
pub(crate) fn signs_of_life(settings: &Settings) -> Router {
    let token = settings.metrics_token.clone().map(Arc::new);
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(token)
        .route("/health/live", get(live))
}

fn json(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn html(policy: &'static str, text: String) -> Response {
    let headers: [(HeaderName, &'static str); 1] = [(header::CONTENT_SECURITY_POLICY, policy)];
    (headers, Html(text)).into_response()
}

async fn bundle() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript"),
        // Every browser takes it so.
        (header::CONTENT_ENCODING, "gzip"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, BUNDLE).into_response()
}
