//! JSON, in and out.

use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::objects::Objects;
use super::{fault_of, read_body, require_json};
use crate::answer::{Answer, ToAnswer};
use crate::api::{Input, Operation, Output};
use crate::problem::{Kind, Problem};

/// A JSON body: of a request, or of a response with status 200.
///
/// Put `#[serde(deny_unknown_fields)]` on what is read, so that a field with a typing error is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// Reads a value from JSON.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(Objects(&mut reader));
    let value = read.map_err(|error| {
        let inner = error.inner();
        if inner.is_data() {
            let fault = fault_of(error.path(), &inner.to_string(), "body");
            return Problem::invalid(fault.field, fault.reason);
        }
        not_json(inner)
    })?;
    reader.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::new(Kind::MALFORMED).detail(format!("the body is not JSON: {error}"))
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        require_json(request.headers())?;
        let body = read_body(request).await?;
        parse(&body).map(Json)
    }
}

impl<T: JsonSchema> Input for Json<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.body::<T>();
    }
}

impl<T: Serialize> ToAnswer for Json<T> {
    fn to_answer(&self) -> Result<Answer, Problem> {
        Answer::json(200, &self.0)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        self.to_answer().into_response()
    }
}

impl<T: JsonSchema> Output for Json<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.answer::<T>(200, "It went well");
    }
}
