//! The Query requests of a read: key condition, filter and projection.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::condition::Condition;
use tablewright_descriptor::key_text::{KeyText, SortTest};
use tablewright_descriptor::{Entity as Described, KeyKind, Read};

use super::Asked;
use super::fetch::{fetches_counts, fetches_pages, holds};
use crate::Store;
use crate::error::{Error, Result};
use crate::expression::{DATA, Placeholders, all_of};
use crate::item::{DATA_VERSION, LAST_WRITE};
use crate::judge::order_of;
use crate::read::Query;
use crate::values::{Values, key_value};

pub(super) fn query_of(
    store: &Store,
    read: &'static Read,
    asked: &Asked,
    filter: &[Condition],
    shard: u16,
) -> Result<Query> {
    let first = read
        .entities
        .first()
        .ok_or_else(|| Error::invalid(&read.name, "", "it reads no entity"))?;
    let mut places = Placeholders::default();
    let key_condition = key_condition(read, &asked.given, shard, &mut places)?;
    let mut filters = Vec::new();
    for condition in filter {
        filters.push(places.condition(first, condition, &asked.given)?);
    }
    // Several entities have several ends; each item is judged when it is read.
    if read.entities.len() == 1 && !expiry_is_a_key(read) {
        filters.extend(places.alive(first, store.expiry_millis()));
    }
    let fetches = fetches_pages(read);
    let projection = match fetches {
        true => None,
        false => projection(read, first, &mut places),
    };
    Ok(Query {
        table: store.table_name(&read.table),
        index: read.index.clone(),
        key_condition,
        filter: all_of(&filters),
        projection,
        fetches,
        counts_fetched: fetches_counts(read),
        names: places.names(),
        values: places.values(),
        backwards: asked.backwards,
        strong: read.strong,
    })
}

/// The text of a key for the caller's values.
pub(crate) fn key_attribute(
    pattern: &str,
    text: &KeyText,
    kind: KeyKind,
    given: &Values,
    shard: u16,
) -> Result<AttributeValue> {
    let rendered = text
        .render(|name| given.get(name).and_then(key_value), shard)
        .map_err(|fault| match fault {
            tablewright_keys::EncodeError::Missing { field } => {
                Error::invalid(pattern, field, "it is not given")
            }
            fault => Error::invalid(pattern, "", fault),
        })?;
    if rendered.is_empty() {
        return Err(Error::invalid(pattern, "", "a key cannot be empty"));
    }
    Ok(match kind {
        KeyKind::Number => AttributeValue::N(rendered),
        KeyKind::String | KeyKind::Binary => AttributeValue::S(rendered),
    })
}

fn key_condition(
    read: &Read,
    given: &Values,
    shard: u16,
    places: &mut Placeholders,
) -> Result<String> {
    let (partition, text) = &read.partition;
    let value = key_attribute(&read.name, text, partition.kind, given, shard)?;
    let mut condition = format!("{} = {}", places.name(&partition.name), places.value(value));
    let (Some(sort), test) = (&read.sort.0, &read.sort.1) else {
        return Ok(condition);
    };
    let mut at = |text: &KeyText| -> Result<String> {
        let value = key_attribute(&read.name, text, sort.kind, given, shard)?;
        Ok(places.value(value))
    };
    let (operator, low, high) = match test {
        SortTest::All => return Ok(condition),
        SortTest::Equals(text) => ("=", at(text)?, None),
        SortTest::BeginsWith(text) => ("begins_with", at(text)?, None),
        SortTest::Between(low, high) => ("BETWEEN", at(low)?, Some(at(high)?)),
        SortTest::AtLeast(text) => (">=", at(text)?, None),
        SortTest::Above(text) => (">", at(text)?, None),
        SortTest::AtMost(text) => ("<=", at(text)?, None),
        SortTest::Below(text) => ("<", at(text)?, None),
    };
    let name = places.name(&sort.name);
    condition.push_str(&match (operator, high) {
        ("begins_with", _) => format!(" AND begins_with({name}, {low})"),
        (_, Some(high)) => format!(" AND {name} BETWEEN {low} AND {high}"),
        (operator, None) => format!(" AND {name} {operator} {low}"),
    });
    Ok(condition)
}

/// The fields asked for, and what is needed to read them and to go on after them. Of an index only what it holds: DynamoDB refuses to
/// be asked for more.
fn projection(read: &Read, entity: &Described, places: &mut Placeholders) -> Option<String> {
    // An older shape may keep its fields under other names: then the item is read whole.
    let older = entity
        .versioned
        .is_some_and(|versioned| versioned.data_version > 1);
    if read.fields.is_empty() || older {
        return None;
    }
    let mut top: Vec<&str> = key_names(read);
    top.extend(entity.table.type_attribute.as_deref());
    top.extend(entity.ttl.as_deref());
    if entity.versioned.is_some() {
        top.extend([DATA_VERSION, LAST_WRITE]);
    }
    top.retain(|attribute| holds(read, attribute));
    let mut paths: Vec<String> = top.into_iter().map(|name| places.name(name)).collect();
    for field in read.fields.iter().chain(&read.matches) {
        let attribute = if entity.at_the_top(field) {
            field
        } else {
            DATA
        };
        if !holds(read, attribute) {
            continue;
        }
        let path = places.path(entity, field);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Some(paths.join(", "))
}

/// DynamoDB filters by anything but the keys of what is asked; those we filter by ourselves.
pub(super) fn split_filter(read: &Read, refined: &[Condition]) -> (Vec<Condition>, Vec<Condition>) {
    let parts = read
        .filter
        .iter()
        .flat_map(|filter| filter.conjuncts().to_vec());
    parts
        .chain(refined.iter().cloned())
        .partition(|part| part.fields().iter().any(|field| is_key(read, &field.name)))
}

pub(super) fn key_names(read: &Read) -> Vec<&str> {
    let mut names: Vec<&str> = read
        .table
        .key_attributes()
        .map(|key| key.name.as_str())
        .collect();
    let index = [Some(&read.partition.0), read.sort.0.as_ref()];
    for key in index.into_iter().flatten() {
        if !names.contains(&key.name.as_str()) {
            names.push(&key.name);
        }
    }
    names
}

/// Whether an attribute is a key of what is asked: DynamoDB does not filter by those.
fn is_key(read: &Read, name: &str) -> bool {
    let keys = [Some(&read.partition.0), read.sort.0.as_ref()];
    keys.into_iter().flatten().any(|key| key.name == name)
}

/// Whether the end of an item is a key of what is asked.
pub(super) fn expiry_is_a_key(read: &Read) -> bool {
    let mut ends = read
        .entities
        .iter()
        .filter_map(|entity| entity.ttl.as_deref());
    ends.any(|end| is_key(read, end))
}

/// Whether the caller's range ends before it begins: then there is nothing, and DynamoDB would refuse to look.
pub(super) fn is_empty_range(read: &Read, given: &Values) -> Result<bool> {
    let (Some(sort), SortTest::Between(low, high)) = (&read.sort.0, &read.sort.1) else {
        return Ok(false);
    };
    let low = key_attribute(&read.name, low, sort.kind, given, 0)?;
    let high = key_attribute(&read.name, high, sort.kind, given, 0)?;
    Ok(order_of(&low, &high).is_some_and(std::cmp::Ordering::is_gt))
}
