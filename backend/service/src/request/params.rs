//! The parameters in a query.

use axum::extract::FromRequestParts;
use http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::fault_of;
use crate::api::{Input, Operation};
use crate::problem::{Kind, Problem};

/// The parameters in a query, as a structure.
///
/// Put `#[serde(deny_unknown_fields)]` on it, so that a filter with a typing error is refused and not ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        // Text that is not UTF-8 would be read as another.
        if !is_text(query) {
            return Err(Problem::new(Kind::MALFORMED).detail("the query is not UTF-8"));
        }
        let pairs = form_urlencoded::parse(query.as_bytes());
        let reader = serde_urlencoded::Deserializer::new(pairs);
        serde_path_to_error::deserialize(reader)
            .map(Params)
            .map_err(|error| {
                let fault = fault_of(error.path(), &error.inner().to_string(), "query");
                Problem::new(Kind::MALFORMED).field(fault.field, fault.reason)
            })
    }
}

/// Whether a query, its escapes resolved, is UTF-8.
fn is_text(query: &str) -> bool {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push(high * 16 + low);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    std::str::from_utf8(&bytes).is_ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16)?.try_into().ok()
}

impl<T: JsonSchema> Input for Params<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<T>();
    }
}
