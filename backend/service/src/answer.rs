//! How handlers answer, in a form that can also be kept and given again.

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{Operation, Output};
use crate::etag::ETag;
use crate::problem::Problem;

/// A whole answer: status, headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    status: u16,
    kept: Kept,
}

/// What is kept of an answer besides its status. The body is kept as text, so that it is given again byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// What can be an answer.
pub trait ToAnswer {
    /// The answer.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    fn to_answer(&self) -> Result<Answer, Problem>;
}

impl Answer {
    /// An answer with a JSON body.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn json(status: u16, value: &impl Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_string(value).map_err(Problem::internal)?;
        Ok(Answer {
            status,
            kept: Kept {
                headers: BTreeMap::new(),
                body: Some(body),
            },
        })
    }

    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Answer {
            status,
            kept: Kept {
                headers: BTreeMap::new(),
                body: None,
            },
        }
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &HeaderName, value: impl Into<String>) -> Self {
        self.kept.headers.insert(name.to_string(), value.into());
        self
    }

    /// Its status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Its headers and body as JSON, to be kept.
    pub fn kept(&self) -> String {
        serde_json::to_string(&self.kept).expect("texts are JSON")
    }

    /// An answer that was kept.
    ///
    /// # Errors
    /// When it is not what [`Answer::kept`] gave.
    pub fn given_again(status: i64, kept: &str) -> Result<Self, Problem> {
        let kept = serde_json::from_str(kept).map_err(Problem::internal)?;
        let status = u16::try_from(status).map_err(Problem::internal)?;
        Ok(Answer { status, kept })
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let Kept { headers, body } = self.kept;
        let has_body = body.is_some();
        let mut response = Response::new(body.unwrap_or_default().into());
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if has_body {
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
        }
        for (name, value) in headers {
            let name = HeaderName::try_from(name);
            let value = HeaderValue::try_from(value);
            if let (Ok(name), Ok(value)) = (name, value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// 200 with a body and the tag of its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged<T> {
    /// The body.
    pub body: T,
    /// Its version.
    pub etag: ETag,
}

/// 201: it is there now, at an address of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created<T> {
    /// What is there.
    pub body: T,
    /// Where.
    pub location: String,
    /// Its version, once it is known.
    pub etag: Option<ETag>,
}

impl<T> Created<T> {
    /// What is there now, and where.
    pub fn new(body: T, location: impl Into<String>) -> Self {
        Created {
            body,
            location: location.into(),
            etag: None,
        }
    }

    /// With its version.
    #[must_use]
    pub fn etag(mut self, etag: ETag) -> Self {
        self.etag = Some(etag);
        self
    }
}

/// 204: it was done, and there is nothing to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoContent;

impl<T: Serialize> ToAnswer for Tagged<T> {
    fn to_answer(&self) -> Result<Answer, Problem> {
        Ok(Answer::json(200, &self.body)?.header(&header::ETAG, self.etag.to_string()))
    }
}

impl<T: Serialize> ToAnswer for Created<T> {
    fn to_answer(&self) -> Result<Answer, Problem> {
        let answer = Answer::json(201, &self.body)?.header(&header::LOCATION, &self.location);
        Ok(match &self.etag {
            Some(etag) => answer.header(&header::ETAG, etag.to_string()),
            None => answer,
        })
    }
}

impl ToAnswer for NoContent {
    fn to_answer(&self) -> Result<Answer, Problem> {
        Ok(Answer::empty(204))
    }
}

impl<T: Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        self.to_answer().into_response()
    }
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        self.to_answer().into_response()
    }
}

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        Answer::empty(204).into_response()
    }
}

const TAG: &str = "Its version, for `If-Match`.";

impl<T: JsonSchema> Output for Tagged<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.answer::<T>(200, "It went well");
        operation.answer_header(200, "ETag", TAG);
    }
}

impl<T: JsonSchema> Output for Created<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.answer::<T>(201, "It is there now");
        operation.answer_header(201, "Location", "Its address.");
        operation.answer_header(201, "ETag", TAG);
    }
}

impl Output for NoContent {
    fn describe(operation: &mut Operation<'_>) {
        operation.answer_empty(204, "It was done");
    }
}
