//! Script and style, part of the program.

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header;

pub(super) fn routes() -> Router {
    Router::new()
        .route(
            "/page/htmx.min.js",
            get(async || asset("text/javascript", include_str!("../../assets/htmx.min.js"))),
        )
        .route(
            "/page/page.js",
            get(async || asset("text/javascript", include_str!("../../assets/page.js"))),
        )
        .route(
            "/page/page.css",
            get(async || asset("text/css", include_str!("../../assets/page.css"))),
        )
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    // Short: a new version of the program must not meet an old script.
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "public, max-age=60"),
        ],
        text,
    )
        .into_response()
}
