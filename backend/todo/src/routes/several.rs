//! Several values in one parameter, with commas between them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};

/// The most values a parameter takes.
const MOST: usize = 100;

/// One value or several, with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Several<T>(pub(super) Vec<T>);

impl<'de, T: DeserializeOwned + PartialEq> Deserialize<'de> for Several<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        let mut values = Vec::new();
        for word in text.split(',') {
            let value = T::deserialize(StrDeserializer::<D::Error>::new(word))?;
            if values.contains(&value) {
                return Err(D::Error::custom(format!("`{word}` is there twice")));
            }
            values.push(value);
        }
        if values.len() > MOST {
            return Err(D::Error::custom(format!("it has up to {MOST} values")));
        }
        Ok(Several(values))
    }
}

impl<T: JsonSchema> JsonSchema for Several<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Several".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "minItems": 1,
            "maxItems": MOST,
            "uniqueItems": true,
        })
    }
}
