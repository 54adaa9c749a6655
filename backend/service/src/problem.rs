//! What callers are told when something is wrong: `application/problem+json`, RFC 9457.

mod from_error;
mod kind;
mod page;

use std::fmt;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::kind::Kind;
pub(crate) use self::page::{page, page_of};

/// The media type of problems.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// What a caller is told when something is wrong. Handlers return it, and `?` makes it of a [`tablewright::Error`].
///
/// ```
/// use tablewright_service::{Kind, Problem};
///
/// let problem = Problem::new(Kind::INVALID).field("title", "it is empty").field("due_date", "it has passed");
/// let body = serde_json::to_value(problem.body()).unwrap();
/// assert_eq!(body["type"], "/problems/invalid");
/// assert_eq!(body["errors"][0]["field"], "title");
/// ```
#[derive(Debug, Clone)]
pub struct Problem(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    kind: Kind,
    detail: Option<String>,
    errors: Vec<FieldError>,
    headers: HeaderMap,
    cause: Option<String>,
}

/// What is wrong with one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldError {
    /// Which: a field of the body as `items[2].title`, a parameter, or a header.
    pub field: String,
    /// Why, and what would be right.
    pub reason: String,
}

/// What went wrong, after RFC 9457.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct ProblemBody {
    /// Which kind of problem it is: the address of its description.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is, the same each time.
    pub title: String,
    /// The status of the response.
    pub status: u16,
    /// What happened this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What is wrong with the values that were sent.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub errors: Vec<FieldError>,
    /// The id of the request, as in the log and in `X-Request-Id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Problem {
    /// A problem of a kind.
    pub fn new(kind: Kind) -> Self {
        Problem(Box::new(Parts {
            kind,
            detail: None,
            errors: Vec::new(),
            headers: HeaderMap::new(),
            cause: None,
        }))
    }

    /// 404, with what is not there.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Problem::new(Kind::NOT_FOUND).detail(format!("there is no such {what}"))
    }

    /// 422, with the field and the reason.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Problem::new(Kind::INVALID).field(field, reason)
    }

    /// Of a kind, with all values that are wrong.
    pub(crate) fn of_fields(kind: Kind, errors: Vec<FieldError>) -> Self {
        let mut problem = Problem::new(kind);
        problem.0.errors = errors;
        problem
    }

    /// 500. The cause is logged, and not told.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Problem::new(Kind::INTERNAL).cause(cause)
    }

    /// With what happened this time. It is sent to the caller.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// With a value that is wrong, and why.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, reason: impl Into<String>) -> Self {
        self.0.errors.push(FieldError {
            field: field.into(),
            reason: reason.into(),
        });
        self
    }

    /// With when to try again.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        // Whole seconds, and never too early.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// With a header of the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// With what is logged and not sent.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Its status.
    pub fn status(&self) -> u16 {
        self.0.kind.status
    }

    /// What is logged and not sent.
    pub(crate) fn logged_cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// What is sent.
    pub fn body(&self) -> ProblemBody {
        let Parts {
            kind,
            detail,
            errors,
            ..
        } = &*self.0;
        ProblemBody {
            kind: kind.uri(),
            title: kind.title.to_owned(),
            status: kind.status,
            detail: detail.clone(),
            errors: errors.clone(),
            request_id: None,
        }
    }

    /// The response, with the id of the request it answers.
    pub(crate) fn respond(self, request_id: Option<&str>) -> Response {
        let mut body = self.body();
        body.request_id = request_id.map(str::to_owned);
        let body = serde_json::to_vec(&body).expect("texts and numbers are JSON");
        let mut response = Response::new(body.into());
        *response.status_mut() =
            StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().extend(self.0.headers.clone());
        let media_type = HeaderValue::from_static(MEDIA_TYPE);
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, media_type);
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.respond(None)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.kind.title)?;
        if let Some(detail) = &self.0.detail {
            write!(f, ": {detail}")?;
        }
        let mut errors = self.0.errors.iter();
        errors.try_for_each(|error| write!(f, "; {}: {}", error.field, error.reason))
    }
}

impl std::error::Error for Problem {}
