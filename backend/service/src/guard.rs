//! What holds of every request: its headers are not too long, it ends in time, and its answer tells browsers to be careful.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use tokio::time::Instant;

use crate::problem::{Kind, Problem};
use crate::settings::Limits;

/// A request that came over a connection of ours, and not as an event of AWS Lambda.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OverHttp;

/// By when a request must be answered, whatever the settings say: then AWS Lambda kills the process.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "lambda"),
    allow(dead_code, reason = "nobody else says so")
)]
pub(crate) struct Deadline(pub(crate) Instant);

/// What [`guard`] is told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    pub(crate) limits: Limits,
    /// Whether browsers are told to come by https only.
    pub(crate) https_only: bool,
}

pub(crate) async fn guard(
    State(guard): State<Guard>,
    mut request: Request,
    next: Next,
) -> Response {
    let limits = guard.limits;
    let mut response = if let Some(refused) = refused(&request, limits) {
        refused.into_response()
    } else {
        request.extensions_mut().insert(limits);
        let patience = match request.extensions().get::<Deadline>() {
            Some(Deadline(end)) => {
                let left = end.saturating_duration_since(Instant::now());
                limits.request_timeout.min(left)
            }
            None => limits.request_timeout,
        };
        let answer = tokio::time::timeout(patience, next.run(request)).await;
        answer.unwrap_or_else(|_| {
            let cause = format!("no answer within {patience:?}");
            let wait = std::time::Duration::from_secs(1);
            let problem = Problem::new(Kind::TIMEOUT).retry_after(wait);
            problem.cause(cause).into_response()
        })
    };
    be_careful(response.headers_mut(), guard.https_only);
    response
}

/// What is wrong with a request before anybody looks at what it asks.
fn refused(request: &Request, limits: Limits) -> Option<Problem> {
    let address = request.uri().path_and_query();
    let address = address.map_or(0, |address| address.as_str().len());
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + 4);
    let detail = format!("address and headers have at most {} bytes", limits.header);
    if address > limits.header {
        return Some(Problem::new(Kind::ADDRESS_TOO_LONG).detail(detail));
    }
    if address + headers.sum::<usize>() > limits.header {
        return Some(Problem::new(Kind::HEADERS_TOO_LARGE).detail(detail));
    }
    let over_http = request.extensions().get::<OverHttp>().is_some();
    let hosts = request.headers().get_all(header::HOST).iter().count();
    // RFC 9112, 3.2: who does not say which host is meant, or says two, may mean another than a proxy before us thinks.
    let lacks_host = over_http && hosts == 0 && request.version() == Version::HTTP_11;
    if lacks_host || hosts > 1 {
        let why = match hosts {
            0 => "it is missing",
            _ => "it is there twice",
        };
        return Some(Problem::new(Kind::MALFORMED).field("Host", why));
    }
    None
}

/// The headers a careful service sends; pages may have said otherwise.
fn be_careful(headers: &mut HeaderMap, https_only: bool) {
    const NOTHING: &str =
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    let usual: [(HeaderName, &'static str); 5] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, NOTHING),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in usual {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if https_only {
        let year = HeaderValue::from_static("max-age=31536000");
        headers
            .entry(header::STRICT_TRANSPORT_SECURITY)
            .or_insert(year);
    }
}
