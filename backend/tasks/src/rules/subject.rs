//! Who is meant, as a request says it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use tablewright_service::Caller;

/// The subject of somebody's token: 1 to 128 letters, digits and `-_.:@|+=/~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(pub String);

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        if Caller::is_subject(&text) {
            Ok(Subject(text.into_owned()))
        } else {
            Err(D::Error::custom(
                "it has 1 to 128 letters, digits and characters of `-_.:@|+=/~`",
            ))
        }
    }
}

impl JsonSchema for Subject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Subject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^[-A-Za-z0-9_.:@|+=/~]+$",
        })
    }
}
