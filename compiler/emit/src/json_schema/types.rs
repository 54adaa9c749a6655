//! Field types as JSON Schema.

use serde_json::{Map, Value, json};
use tablewright_keys::Precision;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::Field;

/// The schema of a field's values, with what is read where it is absent. An optional field is absent then, whatever a new item gets.
pub(super) fn field(field: &Field) -> Value {
    let mut schema = of(field.kind());
    let default = field.declared.default.as_ref();
    let default = default.filter(|_| !field.is_optional());
    if let (Some(default), Value::Object(schema)) = (default, &mut schema) {
        schema.insert("default".to_owned(), default_value(field.kind(), default));
    }
    schema
}

/// The schema of a type's values.
pub(super) fn of(kind: &FieldType) -> Value {
    match kind {
        FieldType::String(length) => with_length(
            json!({ "type": "string" }),
            length,
            "minLength",
            "maxLength",
        ),
        FieldType::Id => json!({
            "type": "string",
            "format": "id",
            "pattern": "^[A-Za-z0-9_.:@|+=/~-]*$",
            "minLength": 1,
            "maxLength": 128,
        }),
        FieldType::Uuid => json!({ "type": "string", "format": "uuid" }),
        FieldType::Ulid => json!({
            "type": "string",
            "format": "ulid",
            "pattern": "^[0-7][0-9A-HJKMNP-TV-Z]{25}$",
        }),
        FieldType::Email => {
            json!({ "type": "string", "format": "email", "minLength": 3, "maxLength": 254 })
        }
        FieldType::Bool => json!({ "type": "boolean" }),
        FieldType::Int { min, max } => {
            let mut schema = json!({ "type": "integer" });
            if let Value::Object(schema) = &mut schema {
                insert_if(schema, "minimum", min.map(Value::from));
                insert_if(schema, "maximum", max.map(Value::from));
            }
            schema
        }
        FieldType::Decimal => json!({ "type": "number" }),
        FieldType::Date => json!({ "type": "string", "format": "date" }),
        FieldType::Timestamp(precision) => {
            json!({ "type": "string", "format": "date-time", "pattern": pattern(*precision) })
        }
        FieldType::UnevenTimestamp => json!({ "type": "string", "format": "date-time" }),
        FieldType::EpochSeconds => {
            json!({ "type": "integer", "format": "epoch-seconds", "minimum": 0 })
        }
        FieldType::EpochMillis => {
            json!({ "type": "integer", "format": "epoch-millis", "minimum": 0 })
        }
        FieldType::Enum(words) => {
            // Their order says nothing, so another order is no change.
            let mut words = words.clone();
            words.sort();
            json!({ "type": "string", "enum": words })
        }
        FieldType::Ordered(words) => json!({ "type": "string", "enum": words, "x-ordered": true }),
        FieldType::Binary(length) => with_length(
            json!({ "type": "string", "contentEncoding": "base64" }),
            length,
            "x-min-bytes",
            "x-max-bytes",
        ),
        FieldType::List(kind, length) => with_length(
            json!({ "type": "array", "items": of(kind) }),
            length,
            "minItems",
            "maxItems",
        ),
        FieldType::Set(kind, length) => with_length(
            json!({ "type": "array", "uniqueItems": true, "items": of(kind) }),
            length,
            "minItems",
            "maxItems",
        ),
        FieldType::Map(kind, length) => with_length(
            json!({ "type": "object", "additionalProperties": of(kind) }),
            length,
            "minProperties",
            "maxProperties",
        ),
        FieldType::Json(length) => with_length(json!({}), length, "x-min-bytes", "x-max-bytes"),
        FieldType::Struct(name) => json!({ "$ref": format!("#/$defs/{name}") }),
    }
}

/// The struct a field leads to, through lists, sets and maps.
pub(super) fn struct_of(field: &Field) -> Option<&str> {
    fn inner(kind: &FieldType) -> Option<&str> {
        match kind {
            FieldType::Struct(name) => Some(name),
            FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => inner(of),
            _ => None,
        }
    }
    inner(field.kind())
}

fn with_length(mut schema: Value, length: &Length, min: &str, max: &str) -> Value {
    if let Value::Object(schema) = &mut schema {
        let least = (length.min > 0).then(|| Value::from(length.min));
        insert_if(schema, min, least);
        insert_if(schema, max, length.max.map(Value::from));
    }
    schema
}

fn insert_if(schema: &mut Map<String, Value>, keyword: &str, value: Option<Value>) {
    if let Some(value) = value {
        schema.insert(keyword.to_owned(), value);
    }
}

fn pattern(precision: Precision) -> String {
    let fraction = match precision {
        Precision::Seconds => "",
        Precision::Millis => "\\.\\d{3}",
        Precision::Micros => "\\.\\d{6}",
    };
    format!("^\\d{{4}}-\\d{{2}}-\\d{{2}}T\\d{{2}}:\\d{{2}}:\\d{{2}}{fraction}Z$")
}

/// A default as a value of its type; text where the type is none of JSON's.
fn default_value(kind: &FieldType, written: &str) -> Value {
    let is_plain = kind.is_number() || matches!(kind, FieldType::Bool);
    let parsed = is_plain.then(|| serde_json::from_str(written).ok());
    parsed.flatten().unwrap_or_else(|| Value::from(written))
}
