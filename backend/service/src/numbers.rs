//! The numbers of a process, for Prometheus.

use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, header};
use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::problem::{Kind, Problem};
use crate::settings::Secret;

static NUMBERS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
static KEPT: Once = Once::new();

/// Seconds, from what a table answers in to what a caller gives up after.
const SECONDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// Capacity units, from one small read to a whole transaction.
const UNITS: &[f64] = &[
    0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0,
];

/// Where the numbers are read; none when the process has given them to another recorder. The numbers are of the whole process.
fn numbers() -> Option<&'static PrometheusHandle> {
    let begin = || {
        let seconds = Matcher::Suffix(String::from("_seconds"));
        let units = Matcher::Suffix(String::from("_units"));
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(seconds, SECONDS)
            .and_then(|builder| builder.set_buckets_for_metric(units, UNITS))
            .expect("there are buckets");
        let handle = builder.install_recorder().ok()?;
        describe();
        begin_at_zero();
        Some(handle)
    };
    NUMBERS.get_or_init(begin).as_ref()
}

/// Begins to count.
pub(crate) fn start() {
    let Some(numbers) = numbers() else { return };
    KEPT.call_once(|| {
        // What is recorded waits to be counted, and would wait for ever where nobody reads the numbers.
        std::thread::Builder::new()
            .name(String::from("numbers"))
            .spawn(|| {
                loop {
                    std::thread::sleep(Duration::from_secs(5));
                    numbers.run_upkeep();
                }
            })
            .map(drop)
            .unwrap_or_else(
                |error| tracing::warn!(%error, "numbers are counted only when they are read"),
            );
    });
}

/// What is seldom begins with nothing, so that the first time is a step that an alarm can see.
fn begin_at_zero() {
    let nobody = "none";
    metrics::counter!("tablewright_throttles_total", "operation" => nobody, "pattern" => nobody)
        .increment(0);
    metrics::counter!("tablewright_conflicts_total", "pattern" => nobody).increment(0);
}

fn describe() {
    describe_counter!(
        "service_requests_total",
        "Requests that were answered, by route, method and status"
    );
    describe_histogram!(
        "service_request_seconds",
        Unit::Seconds,
        "How long answers took"
    );
    describe_gauge!("service_requests_in_flight", "Requests under way");
    describe_gauge!("service_connections", "Open connections");
    describe_counter!(
        "service_rate_limited_total",
        "Requests that were refused since their caller asks too often"
    );
    describe_counter!("service_panics_total", "Handlers that broke off");
    describe_counter!(
        "service_jwks_reads_total",
        "How often the keys of the issuer were read"
    );
    describe_counter!(
        "tablewright_requests_total",
        "Requests to DynamoDB that were answered"
    );
    describe_histogram!(
        "tablewright_capacity_units",
        "Capacity units used, by pattern, operation and table"
    );
    describe_counter!(
        "tablewright_retries_total",
        "Requests to DynamoDB that were sent again"
    );
    describe_counter!(
        "tablewright_throttles_total",
        "Requests DynamoDB refused for their rate"
    );
    describe_counter!(
        "tablewright_conflicts_total",
        "Writes that lost to another writer"
    );
}

/// `/metrics`.
pub(crate) async fn metrics(
    State(token): State<Option<Arc<Secret>>>,
    headers: HeaderMap,
) -> Response {
    if let Some(token) = token {
        let given = headers.get(header::AUTHORIZATION);
        let given = given.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if !given.is_some_and(|given| token.is(given)) {
            let challenge = HeaderValue::from_static("Bearer");
            let problem = Problem::new(Kind::UNAUTHENTICATED);
            let problem = problem.header(header::WWW_AUTHENTICATE, challenge);
            return problem
                .detail("the metrics need their own token")
                .field(
                    "Authorization",
                    "it is `Bearer TOKEN` with the token of the metrics",
                )
                .into_response();
        }
    }
    match numbers() {
        Some(numbers) => {
            let text = "text/plain; version=0.0.4; charset=utf-8";
            ([(header::CONTENT_TYPE, text)], numbers.render()).into_response()
        }
        None => Problem::new(Kind::NOT_FOUND)
            .detail("the process gives its numbers elsewhere")
            .into_response(),
    }
}
