//! Script and style, part of the program.

use axum::Router;
use axum::routing::get;
use tablewright_service::page_asset;

pub(super) fn routes() -> Router {
    Router::new()
        .route(
            "/page/page.js",
            get(async || page_asset("text/javascript", include_str!("../../assets/page.js"))),
        )
        .route(
            "/page/page.css",
            get(async || page_asset("text/css", include_str!("../../assets/page.css"))),
        )
}
