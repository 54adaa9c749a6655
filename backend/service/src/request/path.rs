//! The parameters in a path.

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::api::{Input, Operation};
use crate::problem::{Kind, Problem};

/// The parameters in a path: one value, a tuple in order, or a structure by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        match read {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            Err(rejection) => {
                let params = RawPathParams::from_request_parts(parts, state).await;
                Err(refused(rejection, only_name(params.as_ref().ok())))
            }
        }
    }
}

/// The name of the parameter, where there is but one.
fn only_name(params: Option<&RawPathParams>) -> &str {
    let mut names = params.into_iter().flatten().map(|(name, _)| name);
    match (names.next(), names.next()) {
        (Some(name), None) => name,
        _ => "path",
    }
}

/// `only` names the parameter of those refusals that do not name it themselves.
fn refused(rejection: PathRejection, only: &str) -> Problem {
    let PathRejection::FailedToDeserializePathParams(failed) = rejection else {
        return Problem::internal(rejection);
    };
    let malformed =
        |field: &str, reason: String| Problem::new(Kind::MALFORMED).field(field, reason);
    match failed.kind() {
        ErrorKind::ParseErrorAtKey {
            key,
            value,
            expected_type,
        } => malformed(key, format!("`{value}` is no {expected_type}")),
        ErrorKind::DeserializeError { key, message, .. } => malformed(key, message.clone()),
        ErrorKind::InvalidUtf8InPathParam { key } => {
            malformed(key, String::from("it is not UTF-8"))
        }
        ErrorKind::UnsupportedType { .. } | ErrorKind::WrongNumberOfParameters { .. } => {
            Problem::internal(failed)
        }
        ErrorKind::Message(why) => malformed(only, why.clone()),
        _ => malformed(only, failed.body_text()),
    }
}

impl<T: JsonSchema> Input for Path<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<T>();
    }
}
