//! The conditions of writes: what must hold of an item for it to be written.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::condition::Condition;
use tablewright_descriptor::field_type::FieldType;

use crate::error::Result;
use crate::expression::{Placeholders, seconds};
use crate::item::{DATA_VERSION, LAST_WRITE, ReadItem};
use crate::judge::holds;
use crate::values::Values;

/// The condition of an action, with the values the caller gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyIf<'c> {
    pub(crate) condition: Option<&'c Condition>,
    pub(crate) given: &'c Values,
}

impl OnlyIf<'static> {
    /// Without a condition.
    pub(crate) fn always() -> Self {
        static NOTHING: Values = Values::new();
        OnlyIf {
            condition: None,
            given: &NOTHING,
        }
    }
}

/// There is no such item. Where nothing else belongs to it, one whose time has passed is none either.
pub(crate) fn absent(entity: &Described, places: &mut Placeholders, now: i64) -> String {
    if entity.unique.is_empty() && entity.counted_by.is_empty() {
        return absent_or_expired(entity, places, now);
    }
    let key = places.name(&entity.table.partition_key.name);
    format!("attribute_not_exists({key})")
}

pub(crate) fn absent_or_expired(entity: &Described, places: &mut Placeholders, now: i64) -> String {
    let key = places.name(&entity.table.partition_key.name);
    let Some(ttl) = &entity.ttl else {
        return format!("attribute_not_exists({key})");
    };
    let ttl = places.name(ttl);
    let now = places.value(number(seconds(now)));
    format!("attribute_not_exists({key}) OR {ttl} <= {now}")
}

/// The item is of the shape this code writes: one of another may keep its fields elsewhere, and is read and brought up to date instead.
pub(crate) fn of_this_version(entity: &Described, places: &mut Placeholders) -> Option<String> {
    let versioned = entity.versioned?;
    let name = places.name(DATA_VERSION);
    let version = places.value(number(i64::from(versioned.data_version)));
    Some(format!("{name} = {version}"))
}

/// The item is as it was read: by its token, or by every field.
pub(crate) fn as_read(
    entity: &Described,
    old: &ReadItem,
    places: &mut Placeholders,
) -> Vec<String> {
    if entity.versioned.is_some() {
        let name = places.name(LAST_WRITE);
        let token = places.value(number(old.stamp.last_write));
        return vec![format!("{name} = {token}")];
    }
    let key = places.name(&entity.table.partition_key.name);
    let mut conditions = vec![format!("attribute_exists({key})")];
    let identity = entity.identity();
    for field in entity
        .fields
        .iter()
        .filter(|field| !identity.contains(&field.name.as_str()))
    {
        let path = places.path(entity, &field.name);
        conditions.push(match old.fields.0.get(&field.name) {
            Some(value) => format!("{path} = {}", places.value(value.clone())),
            None => format!("attribute_not_exists({path})"),
        });
    }
    conditions
}

/// The condition of an action on an item that was read. An expression looks at what is stored; of an item of an older shape that is
/// something else than what the condition is about, and what was read decides, since the token holds it.
pub(crate) fn condition_on_read(
    entity: &Described,
    old: &ReadItem,
    only_if: OnlyIf<'_>,
    places: &mut Placeholders,
) -> Result<Option<String>> {
    let Some(condition) = only_if.condition else {
        return Ok(None);
    };
    if old.stored_version == old.stamp.data_version {
        return places.condition(entity, condition, only_if.given).map(Some);
    }
    if holds(entity, condition, &old.fields, only_if.given) {
        return Ok(None);
    }
    // Refused where all others are, with the item there is.
    let key = places.name(&entity.table.partition_key.name);
    Ok(Some(format!("attribute_not_exists({key})")))
}

/// A number stays within its range, and within what an `i64` can hold, whoever adds to it.
pub(crate) fn stays_in_range(
    entity: &Described,
    name: &str,
    by: i64,
    path: &str,
    places: &mut Placeholders,
) -> Option<String> {
    let (min, max) = range_of(entity, name)?;
    let (end, operator) = if by > 0 { (max, "<=") } else { (min, ">=") };
    let bound = places.value(number(end.saturating_sub(by)));
    let within = format!("{path} {operator} {bound}");
    // What is not there counts from zero.
    Some(if (min..=max).contains(&by) {
        format!("attribute_not_exists({path}) OR {within}")
    } else {
        within
    })
}

/// The smallest and the largest value of a whole number; none of any other field.
pub(crate) fn range_of(entity: &Described, name: &str) -> Option<(i64, i64)> {
    match entity.field(name)?.declared.kind {
        FieldType::Int { min, max } => Some((min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX))),
        FieldType::EpochSeconds | FieldType::EpochMillis => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

pub(crate) fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
