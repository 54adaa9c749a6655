//! Whether a record is one of its entity, judged from the field types alone.

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::Field;

#[cfg(test)]
use crate::record::Record;

/// Why a record is none of its entity; none when it is.
#[cfg(test)]
pub(crate) fn fault(model: &Model, record: &Record) -> Option<String> {
    let entity = model.entity(record.entity());
    let fields = entity.fields.iter().zip(record.slots());
    let mut faults = fields.filter_map(|(field, value)| field_fault(model, field, value));
    faults.next()
}

fn field_fault(model: &Model, field: &Field, value: &Value) -> Option<String> {
    let may_be_absent =
        field.is_optional() || matches!(field.kind(), FieldType::Set(_, length) if length.min == 0);
    match value {
        Value::Null if may_be_absent => None,
        Value::Null => Some(format!("{} is missing", field.name)),
        value if is_of(model, field.kind(), value) => None,
        value => Some(format!("{} is {value}, no {}", field.name, field.kind())),
    }
}

/// Whether a value is one of a type.
pub(crate) fn is_of(model: &Model, kind: &FieldType, value: &Value) -> bool {
    let within = |length: &Length, has: usize| {
        has >= length.min as usize && length.max.is_none_or(|max| has <= max as usize)
    };
    match (kind, value) {
        (FieldType::String(length), Value::String(text)) => within(length, text.chars().count()),
        (FieldType::Id, Value::String(text)) => {
            (1..=128).contains(&text.len())
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:@+=/~|".contains(&byte))
        }
        (FieldType::Uuid, Value::String(text)) => {
            let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let lengths: Vec<usize> = text.split('-').map(str::len).collect();
            lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || hex(c))
        }
        (FieldType::Ulid, Value::String(text)) => {
            text.len() == 26
                && text.as_bytes()[0] < b'8'
                && text
                    .bytes()
                    .all(|b| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&b))
        }
        (FieldType::Email, Value::String(text)) => {
            let (name, domain) = text.split_once('@').unwrap_or_default();
            !name.is_empty()
                && domain.contains('.')
                && !domain.contains('@')
                && !text.contains(char::is_whitespace)
                && text.chars().count() <= 254
        }
        (FieldType::Bool, Value::Bool(_)) => true,
        (FieldType::Int { min, max }, Value::Number(number)) => number
            .as_i64()
            .is_some_and(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
        (FieldType::EpochSeconds | FieldType::EpochMillis, Value::Number(number)) => {
            number.as_i64().is_some_and(|n| n >= 0)
        }
        (FieldType::Decimal, Value::String(text)) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let count = digits.bytes().filter(u8::is_ascii_digit).count();
            (1..=38).contains(&count)
                && digits
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'.')
        }
        (FieldType::Date, Value::String(text)) => text.len() == 10,
        (FieldType::Timestamp(_) | FieldType::UnevenTimestamp, Value::String(text)) => {
            text.len() >= 20 && text.ends_with('Z')
        }
        (FieldType::Enum(words) | FieldType::Ordered(words), Value::String(text)) => {
            words.contains(text)
        }
        (FieldType::Binary(length), Value::Array(bytes)) => {
            within(length, bytes.len())
                && bytes
                    .iter()
                    .all(|byte| byte.as_u64().is_some_and(|byte| byte < 256))
        }
        (FieldType::List(of, length), Value::Array(members)) => {
            within(length, members.len()) && members.iter().all(|one| is_of(model, of, one))
        }
        (FieldType::Set(of, length), Value::Array(members)) => {
            let twice = members.windows(2).any(|pair| pair[0] == pair[1]);
            !twice
                && within(length, members.len())
                && members.iter().all(|one| is_of(model, of, one))
        }
        (FieldType::Map(of, length), Value::Object(members)) => {
            within(length, members.len()) && members.values().all(|one| is_of(model, of, one))
        }
        (FieldType::Json(length), value) => within(length, value.to_string().len()),
        (FieldType::Struct(name), Value::Object(members)) => {
            let fields = model.structure(name).map_or(&[][..], |shape| &shape.fields);
            let known = |name: &String| fields.iter().any(|field| field.name.value == *name);
            let whole = fields.iter().all(|field| {
                field_fault(
                    model,
                    field,
                    members.get(&field.name.value).unwrap_or(&Value::Null),
                )
                .is_none()
            });
            whole && members.keys().all(known)
        }
        _ => false,
    }
}
