//! From what the library says to what a caller is told. What concerns only us is logged.

use std::time::Duration;

use tablewright::Error;

use super::{Kind, Problem};

/// When to ask again after something was away or had too much to do.
const SOON: Duration = Duration::from_secs(1);

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let told = in_words(&error);
        match error {
            Error::NotFound { .. } => Problem::new(Kind::NOT_FOUND).detail(told),
            Error::Exists { .. } => Problem::new(Kind::EXISTS).detail(told),
            Error::Taken { unique, .. } => Problem::new(Kind::TAKEN)
                .detail(told)
                .field(unique, "another one has this value already"),
            Error::Conflict { .. } => Problem::new(Kind::CONFLICT).retry_after(SOON).detail(told),
            Error::Refused { .. } => Problem::new(Kind::REFUSED).detail(told),
            Error::Invalid { field, why, .. } if !field.is_empty() => Problem::invalid(field, why),
            Error::Invalid { .. } => Problem::new(Kind::INVALID).detail(told),
            Error::BadCursor => {
                Problem::new(Kind::BAD_CURSOR).field("cursor", "it is not one of this query")
            }
            Error::KeyReused { .. } => Problem::new(Kind::KEY_REUSED)
                .field("Idempotency-Key", "it was used for another request"),
            Error::Throttled => Problem::new(Kind::OVERLOADED).retry_after(SOON).cause(told),
            // Newer code wrote it: while versions are exchanged, another process can read it.
            Error::Unavailable { .. } | Error::NewerVersion { .. } => {
                Problem::new(Kind::UNAVAILABLE)
                    .retry_after(SOON)
                    .cause(told)
            }
            Error::Uncertain { .. } => Problem::new(Kind::UNCERTAIN).retry_after(SOON).cause(told),
            _ => Problem::internal(told),
        }
    }
}

/// What happened, with the name of the entity as people say it: `TaskCounts` are task counts.
fn in_words(error: &Error) -> String {
    let told = error.to_string();
    let (Error::NotFound { entity }
    | Error::Exists { entity }
    | Error::Taken { entity, .. }
    | Error::Conflict { entity }
    | Error::Refused { entity }) = error
    else {
        return told;
    };
    let mut words = String::new();
    for letter in entity.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    told.replacen(entity.as_str(), &words, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S0-45, S0-46
    #[test]
    fn every_error_of_the_library_has_its_status_and_hides_what_is_ours() {
        let entity = || String::from("Task");
        let why = || String::from("at 10.0.0.7");
        let invalid = |field: &str| Error::Invalid {
            entity: entity(),
            field: field.to_owned(),
            why: String::from("too long"),
        };
        let unique = String::from("email");
        let cases = [
            (Error::NotFound { entity: entity() }, 404, "not-found"),
            (Error::Exists { entity: entity() }, 409, "exists"),
            (
                Error::Taken {
                    entity: entity(),
                    unique,
                },
                409,
                "taken",
            ),
            (Error::Conflict { entity: entity() }, 409, "conflict"),
            (Error::Refused { entity: entity() }, 409, "refused"),
            (
                Error::NewerVersion {
                    entity: entity(),
                    found: 2,
                    known: 1,
                },
                503,
                "unavailable",
            ),
            (invalid("title"), 422, "invalid"),
            (invalid(""), 422, "invalid"),
            (Error::BadCursor, 400, "bad-cursor"),
            (Error::KeyReused { entity: entity() }, 422, "key-reused"),
            (
                Error::Unreadable {
                    entity: entity(),
                    why: why(),
                },
                500,
                "internal",
            ),
            (Error::Throttled, 503, "overloaded"),
            (Error::Unavailable { why: why() }, 503, "unavailable"),
            (Error::Uncertain { why: why() }, 503, "uncertain"),
            (
                Error::Backend {
                    code: why(),
                    message: why(),
                },
                500,
                "internal",
            ),
        ];
        for (error, status, slug) in cases {
            let problem = Problem::from(error.clone());
            assert_eq!((problem.status(), problem.kind().slug), (status, slug));
            let body = serde_json::to_string(&problem.body()).unwrap();
            assert!(!body.contains("10.0.0.7"), "{body}");
            let waits = problem
                .into_response()
                .headers()
                .contains_key("retry-after");
            assert_eq!(waits, status == 503 || slug == "conflict", "{error}");
        }
        let entity = String::from("TaskCounts");
        let told = Problem::from(Error::NotFound { entity }).body().detail;
        assert_eq!(told.as_deref(), Some("there is no such task counts"));
        let body = Problem::from(invalid("title")).body();
        assert_eq!(body.errors[0].field, "title");
        assert_eq!(body.errors[0].reason, "too long");
    }

    use axum::response::IntoResponse as _;
}
