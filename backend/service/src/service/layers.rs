//! The layers around routes. The last one added is the first a request meets.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, Method, header};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::auth::{Verifier, identify, require};
use crate::guard::{Guard, guard};
use crate::idempotency::{KEY_HEADER, REPLAYED_HEADER};
use crate::observe::{HEADER, observe};
use crate::problem::{Kind, Problem};
use crate::rate::{Hops, RateLimits, limit};
use crate::settings::Settings;

/// How long a browser may remember what it may do.
const REMEMBERED: Duration = Duration::from_secs(600);

pub(super) fn for_callers_only(router: Router) -> Router {
    router.layer(from_fn(require))
}

/// Who asks is found out first, since that says whose requests are counted.
pub(super) fn who_and_how_often(
    router: Router,
    settings: &Settings,
    verifier: Arc<Verifier>,
) -> Router {
    let router = match settings.rate {
        Some(rate) => {
            let limits = RateLimits::new(rate, settings.forwarded_hops, settings.about.name);
            router.layer(from_fn_with_state(Arc::new(limits), limit))
        }
        None => router,
    };
    let hops = Extension(Hops(settings.forwarded_hops));
    router
        .layer(from_fn_with_state(verifier, identify))
        .layer(hops)
}

pub(super) fn around_everything(router: Router, settings: &Settings) -> Router {
    let around = Guard {
        limits: settings.limits,
        https_only: !settings.is_development(),
    };
    let router = router
        .fallback(async || {
            let why = "there is nothing at this address";
            Problem::new(Kind::NOT_FOUND).detail(why).field("path", why)
        })
        .layer(CatchPanicLayer::custom(broke_off))
        .layer(DefaultBodyLimit::max(settings.limits.body))
        .layer(from_fn_with_state(around, guard));
    let router = match cors(&settings.cors_origins) {
        Some(cors) => router.layer(cors),
        None => router,
    };
    router.layer(from_fn_with_state(settings.about, observe))
}

/// A handler panicked: that is our mistake, and no reason to let others wait.
fn broke_off(panic: Box<dyn Any + Send>) -> Response {
    metrics::counter!("service_panics_total").increment(1);
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("without a message");
    Problem::internal(format!("a handler panicked: {text}")).into_response()
}

fn cors(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let allowed = match origins.iter().any(|origin| origin == "*") {
        true => AllowOrigin::any(),
        false => AllowOrigin::list(
            origins
                .iter()
                .filter_map(|origin| HeaderValue::try_from(origin).ok()),
        ),
    };
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    let sent = [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::IF_MATCH,
        header::IF_NONE_MATCH,
        KEY_HEADER,
        HEADER,
    ];
    let read = [
        header::ETAG,
        header::LOCATION,
        header::RETRY_AFTER,
        header::WWW_AUTHENTICATE,
        REPLAYED_HEADER,
        HEADER,
        HeaderName::from_static("ratelimit"),
        HeaderName::from_static("ratelimit-policy"),
        HeaderName::from_static("ratelimit-limit"),
        HeaderName::from_static("ratelimit-remaining"),
        HeaderName::from_static("ratelimit-reset"),
        HeaderName::from_static("x-ratelimit-limit"),
        HeaderName::from_static("x-ratelimit-remaining"),
        HeaderName::from_static("x-ratelimit-reset"),
    ];
    let cors = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods(methods);
    let cors = cors.allow_headers(sent).expose_headers(read);
    Some(cors.max_age(REMEMBERED))
}
