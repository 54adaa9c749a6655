//! How many bytes an item takes, at most.

use serde_json::Value;
use tablewright_keys::Piece;
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, IndexKind, Key, KeyAttribute, KeyTemplate, Layout};

use crate::record::Record;

/// The bytes DynamoDB counts for an item of these values: names, values, keys and bookkeeping. A little more where a number or an
/// encoding is not counted to the digit, never less.
pub(crate) fn size_of(model: &Model, entity: &Entity, slots: &[Value]) -> usize {
    let table = model.table(entity.table);
    let wrapped = entity
        .versioned
        .as_ref()
        .is_some_and(|versioned| versioned.layout == Layout::Wrapped);
    let mut size = 0;
    for (field, value) in entity.fields.iter().zip(slots) {
        if !value.is_null() {
            let around = if wrapped { 1 } else { 0 };
            size += field.name.value.len() + value_size(field.kind(), value) + around;
        }
    }
    let mut attribute = |attribute: &KeyAttribute, template: &KeyTemplate| {
        let field = template.bare_field();
        // A key that is a field by itself was counted with the fields.
        if field.is_none_or(|field| entity.field(field).name.value != attribute.name) {
            size += attribute.name.len() + text_size(template, slots);
        }
    };
    attribute(&table.partition_key, &entity.key.partition);
    if let (Some(name), Some(template)) = (&table.sort_key, &entity.key.sort) {
        attribute(name, template);
    }
    for key in entity
        .index_keys
        .iter()
        .filter(|key| has_all(&key.key, slots))
    {
        let index = table.index(key.index);
        if index.kind == IndexKind::Global {
            attribute(&index.partition_key, &key.key.partition);
        }
        if let (Some(name), Some(template)) = (&index.sort_key, &key.key.sort) {
            attribute(name, template);
        }
    }
    if let Some(name) = &table.type_attribute {
        size += name.value.len() + entity.type_value.value.len();
    }
    if entity.versioned.is_some() {
        size += "data_version".len() + 3 + "last_write".len() + 9;
    }
    size + if wrapped { "data".len() + 3 } else { 0 }
}

/// The same of a record.
pub(crate) fn size_of_record(model: &Model, record: &Record) -> usize {
    size_of(model, model.entity(record.entity()), record.slots())
}

fn has_all(key: &Key, slots: &[Value]) -> bool {
    key.field_ids()
        .iter()
        .all(|field| !slots[field.0].is_null())
}

fn text_size(template: &KeyTemplate, slots: &[Value]) -> usize {
    let literals = template.template.pieces.iter().map(|piece| match piece {
        Piece::Literal { text, .. } => text.len(),
        Piece::Field(_) => 0,
    });
    let mut size = literals.sum();
    for (_, field, part) in template.field_parts() {
        size += match &slots[field.0] {
            // A character up to `$` becomes three.
            Value::String(text) => {
                let escaped = text.bytes().filter(|byte| *byte <= b'$').count();
                text.len() + 2 * escaped
            }
            value => value
                .to_string()
                .len()
                .max(part.encodings.pad.map_or(0, usize::from)),
        };
    }
    size
}

fn value_size(kind: &FieldType, value: &Value) -> usize {
    match (kind, value) {
        (kind, Value::String(text)) if kind.is_number() => text.len() / 2 + 2,
        (_, Value::String(text)) => text.len(),
        (_, Value::Number(number)) => number.to_string().len() / 2 + 2,
        (FieldType::Binary(_), Value::Array(bytes)) => bytes.len(),
        (FieldType::List(of, _) | FieldType::Set(of, _), Value::Array(members)) => {
            3 + members
                .iter()
                .map(|one| 1 + value_size(of, one))
                .sum::<usize>()
        }
        (FieldType::Map(of, _), Value::Object(members)) => {
            let members = members.iter();
            3 + members
                .map(|(name, one)| 1 + name.len() + value_size(of, one))
                .sum::<usize>()
        }
        (_, Value::Array(_) | Value::Object(_)) => value.to_string().len() + 3,
        _ => 1,
    }
}
