//! JSON, in and out.

use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::objects::Objects;
use super::{fault_of, read_body, require_json, shown};
use crate::answer::{Answer, ToAnswer};
use crate::api::{Input, Operation, Output};
use crate::problem::{FieldError, Kind, Problem};

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
            let first = fault_of(error.path(), &inner.to_string(), "body");
            return Problem::of_fields(Kind::INVALID, all_faults::<T>(body, first));
        }
        not_json(inner)
    })?;
    reader.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

/// How many faults are told at most.
pub(crate) const MOST_FAULTS: usize = 20;

/// The first fault and those behind it: what cannot be read is taken out, and the rest is read again.
fn all_faults<T: DeserializeOwned>(body: &[u8], first: FieldError) -> Vec<FieldError> {
    let mut faults = vec![first];
    let Ok(mut rest) = serde_json::from_slice::<Value>(body) else {
        return faults;
    };
    while faults.len() < MOST_FAULTS {
        let read: Result<T, _> = serde_path_to_error::deserialize(Objects(&rest));
        let Err(error) = read else {
            break;
        };
        let fault = fault_of(error.path(), &error.inner().to_string(), "body");
        let is_new = !faults.iter().any(|known| known.field == fault.field);
        let taken_out = take_out(&mut rest, &fault.field);
        if is_new {
            faults.push(fault);
        }
        // What is missing cannot be taken out; by then all else has been read.
        if !taken_out {
            break;
        }
    }
    faults
}

/// Takes out what a fault names, as `title` or `filter.status[2]`; of a list the whole. Whether it was there.
fn take_out(value: &mut Value, field: &str) -> bool {
    let Value::Object(fields) = value else {
        return false;
    };
    let mut names: Vec<String> = fields.keys().cloned().collect();
    // A name may have dots and brackets of its own: the longest that fits is meant.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        let Some(inside) = field.strip_prefix(shown(&name)) else {
            continue;
        };
        let is_whole = inside.is_empty() || inside.starts_with('[');
        let deeper = inside.strip_prefix('.');
        if let (Some(deeper), Some(inner)) = (deeper, fields.get_mut(&name))
            && take_out(inner, deeper)
        {
            return true;
        }
        if is_whole {
            return fields.remove(&name).is_some();
        }
    }
    false
}

fn not_json(error: &serde_json::Error) -> Problem {
    let why = format!("the body is not JSON: {error}");
    Problem::new(Kind::MALFORMED)
        .detail(why.clone())
        .field("body", why)
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is read, and not looked at")]
    struct Inner {
        many: Option<Vec<u8>>,
        word: Option<bool>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is read, and not looked at")]
    struct Outer {
        title: String,
        number: Option<u8>,
        inner: Option<Inner>,
    }

    fn fields(body: &str) -> Vec<String> {
        let problem = parse::<Outer>(body.as_bytes()).unwrap_err();
        let errors = problem.body().errors.into_iter();
        errors.map(|error| error.field).collect()
    }

    /// S0-48: all of it, not only the first.
    #[test]
    fn every_field_that_cannot_be_read_is_told() {
        for (body, told) in [
            (
                r#"{"title":5,"number":"x","foo":1,"":2}"#,
                vec!["title", "number", "foo", "\"\""],
            ),
            (r#"{"number":"x"}"#, vec!["number", "title"]),
            (
                r#"{"title":"t","inner":{"many":[1,"x","y"],"word":2,"a.b":1}}"#,
                vec!["inner.many[1]", "inner.word", "inner.a.b"],
            ),
            (r#"{"title":"t","title":"t"}"#, vec!["title"]),
            (r#"{"title":"t","inner":[]}"#, vec!["inner"]),
            ("[]", vec!["body"]),
        ] {
            let mut found = fields(body);
            let mut told = told;
            found.sort();
            told.sort_unstable();
            assert_eq!(found, told, "{body}");
        }
        let many: Vec<String> = (0..50).map(|number| format!("\"f{number}\":1")).collect();
        assert_eq!(
            fields(&format!("{{{}}}", many.join(","))).len(),
            MOST_FAULTS
        );
    }
}
