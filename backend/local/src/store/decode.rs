//! A body that cannot be read, refused as DynamoDB would refuse it.
//!
//! The engine's own reader says by a prefix of the message which exception it means. What interprets the prefixes is
//! private to its HTTP server, so it is repeated here.

use dynoxide::DynoxideError;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// Reads the body of a request.
pub(crate) fn request<Q: DeserializeOwned>(body: &[u8]) -> dynoxide::Result<Q> {
    // An array would be read as the fields of the request in their order.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(DynoxideError::SerializationException(String::from(
            "the body of a request is a JSON object",
        )));
    }
    serde_json::from_slice(body).map_err(|error| {
        let message = error.to_string();
        match error.classify() {
            Category::Data => refusal(&message),
            _ => DynoxideError::SerializationException(message),
        }
    })
}

type Exception = fn(String) -> DynoxideError;

/// Longer markers stand before those they begin with.
const MARKERS: [(&str, Exception); 5] = [
    (
        "SERIALIZATION_AS_READ:",
        DynoxideError::SerializationException,
    ),
    ("VALIDATION_AS_READ:", DynoxideError::ValidationException),
    ("VALIDATION_REQUEST:", DynoxideError::EnvelopedValidation),
    ("SERIALIZATION:", DynoxideError::SerializationException),
    ("VALIDATION:", DynoxideError::ValidationException),
];

/// What is missing, null, or not among the allowed values is a matter of validation; DynamoDB tells it from JSON of the
/// wrong type.
const OF_VALIDATION: [&str; 4] = [
    "missing field",
    "unknown variant",
    "invalid type: null",
    "Supplied AttributeValue",
];

fn refusal(message: &str) -> DynoxideError {
    for (marker, exception) in MARKERS {
        if let Some(rest) = message.strip_prefix(marker) {
            let whole = marker.ends_with("AS_READ:");
            return exception(if whole { rest } else { without_position(rest) }.to_owned());
        }
    }
    let message = without_position(message);
    if message.contains("empty AttributeValue") {
        return DynoxideError::ValidationException(String::from(
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ));
    }
    if OF_VALIDATION.iter().any(|text| message.contains(text)) {
        return DynoxideError::ValidationException(message.to_owned());
    }
    DynoxideError::SerializationException(wrong_type(message).unwrap_or(message.to_owned()))
}

fn without_position(message: &str) -> &str {
    match message.rsplit_once(" at line ") {
        Some((told, position)) if position.contains("column") => told,
        _ => message,
    }
}

/// "invalid type: integer `23`, expected a string" in DynamoDB's words.
fn wrong_type(message: &str) -> Option<String> {
    let (found, expected) = message
        .strip_prefix("invalid type: ")?
        .split_once(", expected ")?;
    let class = match expected {
        "a string" => "String",
        "a boolean" => "Boolean",
        "i64" | "u64" | "i32" | "u32" | "usize" => "Long",
        _ if found == "map" => {
            return Some(String::from(
                "Start of structure or map found where not expected",
            ));
        }
        _ => return Some(String::from("Unexpected field type")),
    };
    let token = match found {
        "map" => {
            return Some(String::from(
                "Start of structure or map found where not expected",
            ));
        }
        "sequence" => {
            return Some(format!(
                "Unrecognized collection type class java.lang.{class}"
            ));
        }
        "boolean `true`" => "TRUE_VALUE",
        "boolean `false`" => "FALSE_VALUE",
        _ if found.starts_with("integer") => "NUMBER_VALUE",
        _ if found.starts_with("floating point") => "DECIMAL_VALUE",
        _ => "STRING_VALUE",
    };
    Some(format!("{token} cannot be converted to {class}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_chooses_the_exception_and_never_shows() {
        let told = |message: &str| {
            let error = refusal(message);
            (
                error.error_type().rsplit('#').next().unwrap().to_owned(),
                error.to_string(),
            )
        };
        let validation = |message: &str| (String::from("ValidationException"), message.to_owned());
        let serialization =
            |message: &str| (String::from("SerializationException"), message.to_owned());
        assert_eq!(told("VALIDATION:no at line 1 column 2"), validation("no"));
        assert_eq!(
            told("VALIDATION_REQUEST:no at line 1 column 2"),
            validation("no")
        );
        assert_eq!(
            told("VALIDATION_AS_READ:no at line 1 column 2"),
            validation("no at line 1 column 2")
        );
        assert_eq!(told("SERIALIZATION:no"), serialization("no"));
        assert_eq!(
            told("missing field `TableName` at line 1 column 2"),
            validation("missing field `TableName`")
        );
        assert_eq!(
            told("invalid type: integer `23`, expected a string at line 1 column 2"),
            serialization("NUMBER_VALUE cannot be converted to String")
        );
        assert_eq!(
            told("invalid type: sequence, expected a boolean"),
            serialization("Unrecognized collection type class java.lang.Boolean")
        );
    }
}
