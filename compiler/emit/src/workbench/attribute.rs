//! Values of items, in the format DynamoDB itself uses: `{ "S": "text" }`.

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
