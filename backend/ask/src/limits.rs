//! How often somebody may do something: a counter for each window of time, raised on the condition that it is below the limit (S2-23,
//! C2-19). It holds for all processes together.

mod counted;
mod told;

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue};
use tablewright::Error;
use tablewright_service::{Kind, Operation, Output, Problem};

pub(crate) use self::counted::Counted;
pub(crate) use self::told::everywhere;
use crate::model::{LimitWindow, LimitWindowKey, UseWindow};
use crate::state::App;

/// What is limited, for whom, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    /// What.
    counted: Counted,
    /// What and who.
    subject: String,
    /// How often in one window.
    most: i64,
    /// How long a window is, in seconds.
    window: i64,
}

/// An hour, in seconds.
const HOUR: i64 = 3600;

/// A day, in seconds.
const DAY: i64 = 24 * HOUR;

/// A minute, in seconds.
const MINUTE: i64 = 60;

const LIMIT_HEADER: &str = "x-ratelimit-limit";

/// Where somebody stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    most: i64,
    left: i64,
    /// In how many seconds the next window begins.
    reset: i64,
}

impl Limit {
    /// So many an hour.
    pub(crate) fn hourly(counted: Counted, who: &str, most: i64) -> Self {
        Limit {
            counted,
            subject: format!("{}:{who}", counted.name),
            most,
            window: HOUR,
        }
    }

    /// So many a minute.
    pub(crate) fn by_minute(counted: Counted, who: &str, most: i64) -> Self {
        Limit {
            window: MINUTE,
            ..Limit::hourly(counted, who, most)
        }
    }

    /// So many a day.
    pub(crate) fn daily(counted: Counted, who: &str, most: i64) -> Self {
        Limit {
            window: DAY,
            ..Limit::hourly(counted, who, most)
        }
    }

    /// When the window that is now has begun, and where somebody stands who has used it so often.
    fn now(&self, app: &App) -> (i64, impl Fn(i64) -> Standing) {
        let now = app.now().seconds();
        let start = now - now.rem_euclid(self.window);
        let (most, reset) = (self.most, start + self.window - now);
        let standing = move |uses: i64| Standing {
            most,
            left: (most - uses).max(0),
            reset,
        };
        (start, standing)
    }

    /// How much of it is used, without using it.
    async fn look(&self, app: &App) -> Result<Standing, Error> {
        let (start, standing) = self.now(app);
        let window = app.ask.limit_windows.window(&self.subject, start).await?;
        Ok(standing(window.map_or(0, |window| window.uses)))
    }

    /// Uses it once.
    ///
    /// # Errors
    /// 429 when it was used up.
    pub(crate) async fn take(&self, app: &App) -> Result<Standing, Problem> {
        let (start, standing) = self.now(app);
        let windows = &app.ask.limit_windows;
        let key = LimitWindowKey::new(&self.subject, start);
        // Two who begin a window at once: one of them makes it, the other uses it.
        for _ in 0..3 {
            let once = UseWindow { add_uses: 1 };
            match windows.use_window(&key, self.most, once).await {
                Ok(window) => return Ok(standing(window.uses)),
                Err(Error::Refused { .. }) => return Err(self.used_up(standing(self.most))),
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            let first = LimitWindow {
                subject: self.subject.clone(),
                window_start: start,
                uses: 1,
                purge_at: start + 2 * self.window,
            };
            match windows.open_window(first).await {
                Ok(window) => return Ok(standing(window.uses)),
                Err(Error::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Problem::internal("a window is neither there nor absent"))
    }

    fn used_up(&self, standing: Standing) -> Problem {
        metrics::counter!("ask_limits_reached_total").increment(1);
        let window = match self.window {
            MINUTE => "a minute",
            HOUR => "an hour",
            _ => "a day",
        };
        let wait = Duration::from_secs(standing.reset.unsigned_abs());
        // Who is limited is found out from there, or from what goes along with it.
        let problem = Problem::new(Kind::RATE_LIMITED)
            .detail(self.counted.wait(self.most, window, standing.reset))
            .field("Authorization", self.counted.too_many(self.most, window))
            .retry_after(wait);
        let headers = standing.headers().into_iter();
        headers.fold(problem, |problem, (name, value)| {
            problem.header(name, value)
        })
    }
}

impl Standing {
    /// Of two limits, the one that is nearer to its end.
    pub(crate) fn closer(self, other: Standing) -> Standing {
        match other.left < self.left {
            true => other,
            false => self,
        }
    }

    /// A page that tells it.
    pub(crate) fn told_on(self, mut page: Response) -> Response {
        page.headers_mut().extend(self.headers());
        page
    }

    /// The headers that tell it.
    pub(crate) fn headers(self) -> [(HeaderName, HeaderValue); 3] {
        [
            (LIMIT_HEADER, self.most),
            ("x-ratelimit-remaining", self.left),
            ("x-ratelimit-reset", self.reset),
        ]
        .map(|(name, number)| (HeaderName::from_static(name), HeaderValue::from(number)))
    }
}

/// An answer that tells where one stands, if something was used for it.
#[derive(Debug, Clone)]
pub(crate) struct Limited<O> {
    pub(crate) answer: O,
    pub(crate) standing: Option<Standing>,
}

impl<O: IntoResponse> IntoResponse for Limited<O> {
    fn into_response(self) -> Response {
        let response = self.answer.into_response();
        match self.standing {
            Some(standing) => standing.told_on(response),
            None => response,
        }
    }
}

impl<O: Output> Output for Limited<O> {
    fn describe(operation: &mut Operation<'_>) {
        O::describe(operation);
        operation.problem(&Kind::RATE_LIMITED);
    }
}
