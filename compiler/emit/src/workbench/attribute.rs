//! Values of items, in the format DynamoDB itself uses: `{ "S": "text" }`.

use serde_json::{Value, json};

use super::json::Json;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Attribute {
    Text(String),
    Number(String),
    Flag(bool),
    /// In base 64.
    Bytes(String),
    Texts(Vec<String>),
    Numbers(Vec<String>),
    List(Vec<Attribute>),
    Map(Vec<(String, Attribute)>),
}

impl Attribute {
    pub(super) fn to_json(&self) -> Json {
        let value = match self {
            Attribute::Text(text) | Attribute::Number(text) | Attribute::Bytes(text) => {
                Json::text(text)
            }
            Attribute::Flag(flag) => Json::Flag(*flag),
            Attribute::Texts(texts) | Attribute::Numbers(texts) => {
                Json::texts(texts.iter().map(String::as_str))
            }
            Attribute::List(values) => Json::List(values.iter().map(Attribute::to_json).collect()),
            Attribute::Map(values) => item(values),
        };
        Json::object([(self.letter(), value)])
    }

    /// As services and events show it.
    pub(super) fn to_plain_json(&self) -> Value {
        let number = |text: &String| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        match self {
            Attribute::Text(text) | Attribute::Bytes(text) => json!(text),
            Attribute::Number(text) => number(text),
            Attribute::Flag(flag) => json!(flag),
            Attribute::Texts(texts) => json!(texts),
            Attribute::Numbers(numbers) => numbers.iter().map(number).collect(),
            Attribute::List(values) => values.iter().map(Attribute::to_plain_json).collect(),
            Attribute::Map(values) => {
                let members = values.iter();
                members
                    .map(|(name, value)| (name.clone(), value.to_plain_json()))
                    .collect()
            }
        }
    }

    fn letter(&self) -> &'static str {
        match self {
            Attribute::Text(_) => "S",
            Attribute::Number(_) => "N",
            Attribute::Flag(_) => "BOOL",
            Attribute::Bytes(_) => "B",
            Attribute::Texts(_) => "SS",
            Attribute::Numbers(_) => "NS",
            Attribute::List(_) => "L",
            Attribute::Map(_) => "M",
        }
    }
}

/// An item, or a map in one.
pub(super) fn item(attributes: &[(String, Attribute)]) -> Json {
    let attributes = attributes.iter();
    Json::Object(
        attributes
            .map(|(name, value)| (name.clone(), value.to_json()))
            .collect(),
    )
}
