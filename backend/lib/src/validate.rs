//! Fields held against their types before anything is sent.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::field_type::{FieldType, Length};
use tablewright_keys::{Encodings, KeyValue, encode_piece};

use crate::error::{Error, Result};
use crate::fields::{Fields, Item};

/// The largest item DynamoDB takes, in bytes.
pub(crate) const MAX_ITEM: usize = 400 * 1024;

/// Every field is there that must be, and each value is one of its type.
pub(crate) fn fields(entity: &Described, fields: &Fields) -> Result<()> {
    for field in &entity.fields {
        match fields.0.get(&field.name) {
            Some(value) => value_of(entity, &field.declared.kind, value)
                .map_err(|why| Error::invalid(&entity.name, &field.name, why))?,
            None => absence(entity, &field.name)?,
        }
    }
    Ok(())
}

/// A field may be without a value: it is optional, or a set that may have no members.
pub(crate) fn absence(entity: &Described, name: &str) -> Result<()> {
    let may_be_missing = entity.field(name).is_some_and(|field| {
        let kind = &field.declared.kind;
        // A set without members is stored as nothing.
        field.declared.optional || matches!(kind, FieldType::Set(_, length) if length.min == 0)
    });
    if may_be_missing {
        Ok(())
    } else {
        Err(Error::invalid(&entity.name, name, "it is missing"))
    }
}

/// One value is one of its field's type.
pub(crate) fn field(entity: &Described, name: &str, value: &AttributeValue) -> Result<()> {
    let Some(field) = entity.field(name) else {
        return Err(Error::invalid(&entity.name, name, "there is no such field"));
    };
    value_of(entity, &field.declared.kind, value)
        .map_err(|why| Error::invalid(&entity.name, name, why))
}

fn value_of(entity: &Described, kind: &FieldType, value: &AttributeValue) -> Result<(), String> {
    match (kind, value) {
        (FieldType::Bool, AttributeValue::Bool(_)) => Ok(()),
        (FieldType::Email, AttributeValue::S(text)) => {
            let (name, domain) = text.split_once('@').unwrap_or_default();
            let good = !name.is_empty()
                && domain.contains('.')
                && !domain.starts_with('.')
                && !domain.ends_with('.')
                && !domain.contains('@')
                && !text.contains(char::is_whitespace)
                && !text.contains(char::is_control)
                && text.chars().count() <= 254;
            if good {
                Ok(())
            } else {
                Err(format!("{text:?} is no e-mail address"))
            }
        }
        (FieldType::Decimal, AttributeValue::N(number)) => number
            .parse::<f64>()
            .map(drop)
            .map_err(|_| format!("{number} is no number")),
        (FieldType::UnevenTimestamp, AttributeValue::S(_)) => Ok(()),
        (kind, AttributeValue::S(text)) if !kind.is_number() && kind.shape().is_some() => {
            in_shape(kind, &KeyValue::Text(text.clone()))
        }
        (kind, AttributeValue::N(number)) if kind.is_number() => match number.parse() {
            Ok(integer) => in_shape(kind, &KeyValue::Integer(integer)),
            Err(_) => Err(format!("{number} is no whole number")),
        },
        (FieldType::Binary(length), AttributeValue::B(bytes)) => {
            within(length, bytes.as_ref().len(), "bytes")
        }
        (FieldType::List(of, length), AttributeValue::L(values)) => {
            within(length, values.len(), "entries")?;
            values
                .iter()
                .try_for_each(|value| value_of(entity, of, value))
        }
        (FieldType::Set(of, length), AttributeValue::Ss(texts)) => {
            within(length, texts.len(), "entries")?;
            let texts = texts.iter().cloned().map(AttributeValue::S);
            texts
                .into_iter()
                .try_for_each(|value| value_of(entity, of, &value))
        }
        (FieldType::Set(of, length), AttributeValue::Ns(numbers)) => {
            within(length, numbers.len(), "entries")?;
            let numbers = numbers.iter().cloned().map(AttributeValue::N);
            numbers
                .into_iter()
                .try_for_each(|value| value_of(entity, of, &value))
        }
        (FieldType::Map(of, length), AttributeValue::M(values)) => {
            within(length, values.len(), "entries")?;
            values
                .values()
                .try_for_each(|value| value_of(entity, of, value))
        }
        (FieldType::Json(length), value) => within(length, size_of(value), "bytes"),
        (FieldType::Struct(name), AttributeValue::M(values)) => structure(entity, name, values),
        (kind, _) => Err(format!("it is no {kind}")),
    }
}

fn structure(entity: &Described, name: &str, values: &Item) -> Result<(), String> {
    let structure = entity.structs.iter().find(|known| known.name == *name);
    for field in structure.iter().flat_map(|structure| &structure.fields) {
        match values.get(&field.name) {
            Some(value) => value_of(entity, &field.declared.kind, value)
                .map_err(|why| format!("{}: {why}", field.name))?,
            None if field.declared.optional
                || matches!(field.declared.kind, FieldType::Set(..)) => {}
            None => return Err(format!("{}: it is missing", field.name)),
        }
    }
    Ok(())
}

/// The keys' own encoder knows what a value of a type looks like.
fn in_shape(kind: &FieldType, value: &KeyValue) -> Result<(), String> {
    let Some(shape) = kind.shape() else {
        return Ok(());
    };
    encode_piece(&shape, &Encodings::default(), false, value)
        .map(drop)
        .map_err(|fault| fault.to_string())
}

fn within(length: &Length, has: usize, of: &str) -> Result<(), String> {
    if has < length.min as usize {
        return Err(format!(
            "it has {has} {of}; at least {} are needed",
            length.min
        ));
    }
    match length.max {
        Some(max) if has > max as usize => {
            Err(format!("it has {has} {of}; at most {max} are allowed"))
        }
        _ => Ok(()),
    }
}

/// The item is not larger than DynamoDB takes.
pub(crate) fn size(entity: &str, item: &Item) -> Result<()> {
    let size = size_of_item(item);
    if size > MAX_ITEM {
        return Err(Error::invalid(
            entity,
            "",
            format!("it has {size} bytes; DynamoDB takes at most {MAX_ITEM}"),
        ));
    }
    Ok(())
}

/// The size of an item as DynamoDB counts it: names and values.
pub(crate) fn size_of_item(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + size_of(value))
        .sum()
}

fn size_of(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len() / 2 + 2,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|number| number.len() / 2 + 2).sum(),
        AttributeValue::L(values) => {
            3 + values.iter().map(|value| 1 + size_of(value)).sum::<usize>()
        }
        AttributeValue::M(values) => {
            3 + values
                .iter()
                .map(|(name, value)| 1 + name.len() + size_of(value))
                .sum::<usize>()
        }
        _ => 1,
    }
}
