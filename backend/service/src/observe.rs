//! Every request is seen: it has an id, a line in the log, its numbers, and an answer in the one form there is for problems.

mod as_problem;
mod request_id;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderValue, Method};
use tracing::{Instrument as _, Span, field, info_span};

use self::as_problem::as_problem;
use crate::About;
use crate::problem::Problem;

pub(crate) use self::request_id::{HEADER, request_id};

/// A request under way, as it will be told.
#[derive(Debug, Clone)]
pub(crate) struct Observed(Arc<Told>);

#[derive(Debug)]
struct Told {
    id: String,
    span: Span,
    user: OnceLock<String>,
}

impl Observed {
    /// It is from this caller.
    pub(crate) fn is_from(&self, user: &str) {
        self.0.span.record("user", user);
        // It is found out once for each request.
        let _ = self.0.user.set(user.to_owned());
    }

    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }
}

pub(crate) async fn observe(
    State(about): State<About>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request_id(request.headers());
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or("none", MatchedPath::as_str).to_owned();
    let method = method_of(request.method());
    let span = info_span!(
        "request",
        request_id = id,
        user = field::Empty,
        method,
        route
    );
    let observed = Observed(Arc::new(Told {
        id,
        span: span.clone(),
        user: OnceLock::new(),
    }));
    request.extensions_mut().insert(observed.clone());
    let mut ending = Ending {
        service: about.name,
        method,
        route,
        begun: Instant::now(),
        span: span.clone(),
        ended: false,
    };
    metrics::gauge!("service_requests_in_flight", "service" => about.name).increment(1.0);
    let response = next.run(request).instrument(span.clone()).await;
    let mut response = as_problem(response, observed.id()).instrument(span).await;
    ending.end(&response);
    if let Ok(value) = HeaderValue::try_from(observed.id()) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

/// The methods there are; others would fill the metrics with words of strangers.
fn method_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Tells how a request ended, also when its client went away before.
struct Ending {
    service: &'static str,
    method: &'static str,
    route: String,
    begun: Instant,
    span: Span,
    ended: bool,
}

impl Ending {
    fn end(&mut self, response: &Response) {
        self.ended = true;
        let status = response.status().as_u16();
        let _entered = self.span.enter();
        let duration_ms = self.millis();
        match response.extensions().get::<Problem>() {
            Some(problem) => {
                let kind = problem.kind().slug;
                let cause = problem.logged_cause().map(field::display);
                let detail = field::display(problem);
                if status >= 500 {
                    tracing::error!(status, duration_ms, problem = kind, cause, %detail, "answered");
                } else {
                    tracing::info!(status, duration_ms, problem = kind, cause, %detail, "answered");
                }
            }
            None => tracing::info!(status, duration_ms, "answered"),
        }
        self.count(status);
    }

    fn millis(&self) -> f64 {
        let micros = u32::try_from(self.begun.elapsed().as_micros()).unwrap_or(u32::MAX);
        f64::from(micros) / 1000.0
    }

    fn count(&self, status: u16) {
        let labels = [
            ("service", self.service.to_owned()),
            ("method", self.method.to_owned()),
            ("route", self.route.clone()),
        ];
        metrics::histogram!("service_request_seconds", &labels)
            .record(self.begun.elapsed().as_secs_f64());
        metrics::counter!(
            "service_requests_total",
            "service" => self.service,
            "method" => self.method,
            "route" => self.route.clone(),
            "status" => status.to_string(),
        )
        .increment(1);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        metrics::gauge!("service_requests_in_flight", "service" => self.service).decrement(1.0);
        if !self.ended {
            let _entered = self.span.enter();
            let duration_ms = self.millis();
            // No client sees this status; it is the usual one for clients that went away.
            tracing::info!(status = 499, duration_ms, "the client went away");
            self.count(499);
        }
    }
}
