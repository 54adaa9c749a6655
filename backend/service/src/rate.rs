//! How often one caller may ask: a bucket of requests for each, that fills up again, in bounded memory.

mod buckets;
mod who;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue};

use self::buckets::{Buckets, Taken};
use self::who::Who;
use crate::problem::{Kind, Problem};
use crate::settings::Rate;

pub use self::who::Address;
pub(crate) use self::who::{Hops, Peer};

/// The limits of all callers.
#[derive(Debug)]
pub(crate) struct RateLimits {
    buckets: Buckets,
    rate: Rate,
    hops: usize,
    service: &'static str,
}

impl RateLimits {
    pub(crate) fn new(rate: Rate, hops: usize, service: &'static str) -> Self {
        RateLimits {
            buckets: Buckets::new(rate.per_second, rate.burst),
            rate,
            hops,
            service,
        }
    }

    /// What there was too much of.
    fn why(&self, who: &Who) -> String {
        let Rate { per_second, burst } = self.rate;
        let whose = match who {
            Who::Caller(_) => "of its caller",
            Who::Address(_) | Who::Nobody => "of this address without an accepted token",
        };
        format!(
            "the requests {whose} are too many: {burst} at once, and {per_second} a second after that"
        )
    }

    /// The headers of an answer, in the words of the current draft and of the widespread one.
    fn tell(&self, headers: &mut HeaderMap, left: u32, full_in: Duration) {
        let Rate { per_second, burst } = self.rate;
        let window = burst.div_ceil(per_second).max(1);
        let full_in = seconds(full_in);
        let told = [
            (
                "ratelimit-policy",
                format!("\"caller\";q={burst};w={window}"),
            ),
            ("ratelimit", format!("\"caller\";r={left};t={full_in}")),
            ("ratelimit-limit", burst.to_string()),
            ("ratelimit-remaining", left.to_string()),
            ("ratelimit-reset", full_in.to_string()),
        ];
        for (name, value) in told {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// Whole seconds, and never too early.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

pub(crate) async fn limit(
    State(limits): State<Arc<RateLimits>>,
    request: Request,
    next: Next,
) -> Response {
    let who = who::who(&request, limits.hops);
    match limits.buckets.take(&who, Instant::now()) {
        Taken::Yes { left, full_in } => {
            let mut response = next.run(request).await;
            limits.tell(response.headers_mut(), left, full_in);
            response
        }
        Taken::No { wait, full_in } => {
            metrics::counter!("service_rate_limited_total", "service" => limits.service)
                .increment(1);
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            let problem = Problem::new(Kind::RATE_LIMITED)
                .detail(format!("ask again in {} s", seconds.max(1)))
                .field("Authorization", limits.why(&who))
                .retry_after(wait);
            let mut response = problem.into_response();
            limits.tell(response.headers_mut(), 0, full_in);
            response
        }
    }
}
