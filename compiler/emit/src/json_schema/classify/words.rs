//! What a schema is called in a sentence.

use serde_json::Value;

/// What a value can be, told apart as far as storing it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Id,
    Uuid,
    Ulid,
    Email,
    Date,
    /// Of one width: the characters it has.
    Timestamp(u64),
    UnevenTimestamp,
    Words,
    Bytes,
    Bool,
    Integer,
    EpochSeconds,
    EpochMillis,
    Number,
    List,
    Set,
    Map,
    Struct,
    Json,
}

impl Kind {
    pub(super) fn of(schema: &Value) -> Kind {
        let has = |keyword: &str| schema.get(keyword).is_some();
        if has("$ref") {
            return Kind::Struct;
        }
        match schema["type"].as_str() {
            Some("string") if has("contentEncoding") => Kind::Bytes,
            Some("string") if has("enum") => Kind::Words,
            Some("string") => match schema["format"].as_str() {
                Some("id") => Kind::Id,
                Some("uuid") => Kind::Uuid,
                Some("ulid") => Kind::Ulid,
                Some("email") => Kind::Email,
                Some("date") => Kind::Date,
                Some("date-time") => match schema["pattern"].as_str() {
                    None => Kind::UnevenTimestamp,
                    Some(pattern) if pattern.contains("{6}") => Kind::Timestamp(27),
                    Some(pattern) if pattern.contains("{3}") => Kind::Timestamp(24),
                    Some(_) => Kind::Timestamp(20),
                },
                _ => Kind::Text,
            },
            Some("boolean") => Kind::Bool,
            Some("integer") => match schema["format"].as_str() {
                Some("epoch-seconds") => Kind::EpochSeconds,
                Some("epoch-millis") => Kind::EpochMillis,
                _ => Kind::Integer,
            },
            Some("number") => Kind::Number,
            Some("array") if has("uniqueItems") => Kind::Set,
            Some("array") => Kind::List,
            Some("object") if has("additionalProperties") => Kind::Map,
            Some("object") => Kind::Struct,
            _ => Kind::Json,
        }
    }

    /// Whether it is stored as text.
    pub(super) fn is_text(self) -> bool {
        matches!(
            self,
            Kind::Text
                | Kind::Id
                | Kind::Uuid
                | Kind::Ulid
                | Kind::Email
                | Kind::Date
                | Kind::Timestamp(_)
                | Kind::UnevenTimestamp
                | Kind::Words
        )
    }

    /// Whether it is stored as a whole number.
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Kind::Integer | Kind::EpochSeconds | Kind::EpochMillis)
    }

    /// The characters every value has, where that is one number.
    pub(super) fn width(self) -> Option<u64> {
        match self {
            Kind::Uuid => Some(36),
            Kind::Ulid => Some(26),
            Kind::Date => Some(10),
            Kind::Timestamp(width) => Some(width),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Id => "an id",
            Kind::Uuid => "a UUID",
            Kind::Ulid => "a ULID",
            Kind::Email => "an e-mail address",
            Kind::Date => "a date",
            Kind::Timestamp(20) => "a timestamp in seconds",
            Kind::Timestamp(24) => "a timestamp in milliseconds",
            Kind::Timestamp(_) => "a timestamp in microseconds",
            Kind::UnevenTimestamp => "a timestamp of any precision",
            Kind::Words => "one of some words",
            Kind::Bytes => "bytes",
            Kind::Bool => "true or false",
            Kind::Integer => "a whole number",
            Kind::EpochSeconds => "seconds since 1970",
            Kind::EpochMillis => "milliseconds since 1970",
            Kind::Number => "a number with a fraction",
            Kind::List => "a list",
            Kind::Set => "a set",
            Kind::Map => "a map",
            Kind::Struct => "a struct",
            Kind::Json => "JSON",
        }
    }
}

/// The words of an enum.
pub(super) fn words_of(schema: &Value) -> Vec<&str> {
    let words = schema["enum"].as_array();
    words
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// A value as people write it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
