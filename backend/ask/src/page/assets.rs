//! What the pages load: part of the program.

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderName, HeaderValue, header};
use tablewright_service::page_asset;

pub(super) fn routes() -> Router {
    let asset = |kind, text| get(async move || page_asset(kind, text));
    Router::new()
        .route(
            "/page/page.css",
            asset("text/css", include_str!("../../assets/page.css")),
        )
        .route(
            "/page/agent.js",
            asset("text/javascript", include_str!("../../assets/agent.js")),
        )
        .route(
            "/page/admin.js",
            asset("text/javascript", include_str!("../../assets/admin.js")),
        )
        .route(
            "/page/page.js",
            asset("text/javascript", include_str!("../../assets/page.js")),
        )
        .route(
            "/page/notify.js",
            asset("text/javascript", include_str!("../../assets/notify.js")),
        )
        .route(
            "/page/icon.svg",
            asset("image/svg+xml", include_str!("../../assets/icon.svg")),
        )
        .route(
            "/manifest.webmanifest",
            asset(
                "application/manifest+json",
                include_str!("../../assets/manifest.webmanifest"),
            ),
        )
        .route("/sw.js", get(worker))
}

/// A service worker may load what it keeps from the service itself.
async fn worker() -> Response {
    let policy = HeaderValue::from_static("default-src 'none'; connect-src 'self'");
    let policy: [(HeaderName, HeaderValue); 1] = [(header::CONTENT_SECURITY_POLICY, policy)];
    let script = page_asset("text/javascript", include_str!("../../assets/sw.js"));
    (policy, script).into_response()
}
