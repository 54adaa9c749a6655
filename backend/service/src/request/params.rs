//! The parameters in a query.

use axum::extract::FromRequestParts;
use form_urlencoded::Serializer;
use http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{MOST_FAULTS, NO_SUCH_FIELD, fault_of, shown};
use crate::api::{Input, Operation};
use crate::problem::{FieldError, Kind, Problem};

/// The parameters in a query, as a structure.
///
/// Put `#[serde(deny_unknown_fields)]` on it, so that a filter with a typing error is refused and not ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        // What is no text would be read as another.
        let mut pairs = query.split('&');
        if let Some(pair) = pairs.find(|pair| !is_text(pair.as_bytes())) {
            return Err(Problem::new(Kind::MALFORMED).field(name_of(pair), NO_TEXT));
        }
        read(query)
            .map(Params)
            .map_err(|faults| Problem::of_fields(Kind::MALFORMED, faults))
    }
}

/// The structure, or everything that is wrong: what cannot be read is left out, and the rest is read again.
fn read<T: DeserializeOwned>(query: &str) -> Result<T, Vec<FieldError>> {
    let mut faults: Vec<FieldError> = Vec::new();
    loop {
        let rest = form_urlencoded::parse(query.as_bytes())
            .filter(|(name, _)| !faults.iter().any(|fault| fault.field == shown(name)));
        let rest = Serializer::new(String::new()).extend_pairs(rest).finish();
        let reader = serde_urlencoded::Deserializer::new(form_urlencoded::parse(rest.as_bytes()));
        let error = match serde_path_to_error::deserialize(reader) {
            Ok(read) if faults.is_empty() => return Ok(read),
            Ok(_) => return Err(faults),
            Err(error) => error,
        };
        let mut fault = fault_of(error.path(), &error.inner().to_string(), "query");
        if fault.reason == NO_SUCH_FIELD {
            fault.reason = String::from("there is no such parameter");
        }
        // What is missing is told last, and is missing still when it is left out.
        if faults.iter().any(|known| known.field == fault.field) {
            return Err(faults);
        }
        faults.push(fault);
        if faults.len() == MOST_FAULTS {
            return Err(faults);
        }
    }
}

/// Which parameter a part of a query is; the query itself where that cannot be told.
fn name_of(pair: &str) -> String {
    let name = pair.split('=').next().unwrap_or_default();
    let mut named = form_urlencoded::parse(name.as_bytes()).filter(|_| is_text(name.as_bytes()));
    let named = named.next().map(|(name, _)| shown(&name).to_string());
    named.unwrap_or_else(|| String::from("query"))
}

/// Why a query or a form is no text.
pub(crate) const NO_TEXT: &str =
    "it is not UTF-8, or a % in it begins no escape: the sign itself is %25";

/// Whether every `%` of a query or a form begins an escape, and all of it, escapes resolved, is UTF-8.
pub(crate) fn is_text(query: &[u8]) -> bool {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query;
    while let [first, after @ ..] = rest {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        if *first == b'%' && escaped.is_none() {
            return false;
        }
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
