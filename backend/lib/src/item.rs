//! From fields to an item and back: keys, index keys, layout, type and version.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::{
    COUNTING_SINCE, Entity as Described, KeyKind, KeyPart, Layout, StoredKey,
};
use tablewright_keys::EncodeError;

use crate::error::{Error, Result};
use crate::expression::{DATA, seconds};
use crate::fields::{Fields, Item};
use crate::judge::holds;
use crate::migrate::Migrations;
use crate::validate;
use crate::values::{Values, key_value};
use crate::versioned::Stamp;
use crate::write::GUARDS;

/// The attribute that holds the version of an item's shape.
pub(crate) const DATA_VERSION: &str = "data_version";

/// The attribute that holds an item's lock token.
pub(crate) const LAST_WRITE: &str = "last_write";

/// The longest keys DynamoDB takes, in bytes: of a partition key, and of a sort key.
const LONGEST: [usize; 2] = [2048, 1024];

/// The attributes of an item's key.
pub(crate) fn key_of<'v>(
    entity: &str,
    key: &StoredKey,
    value: impl Fn(&str) -> Option<&'v AttributeValue>,
) -> Result<Item> {
    let mut item = Item::new();
    for (part, longest) in key.parts().zip(LONGEST) {
        let value = part_of(entity, part, longest, &value)?;
        item.insert(part.attribute.name.clone(), value);
    }
    Ok(item)
}

fn part_of<'v>(
    entity: &str,
    part: &KeyPart,
    longest: usize,
    value: impl Fn(&str) -> Option<&'v AttributeValue>,
) -> Result<AttributeValue> {
    let text = part
        .template
        .render(|name| value(name).and_then(key_value))
        .map_err(|fault| unfit(entity, part, &fault))?;
    if part.natural
        && let Some(value) = value(&part.attribute.name)
    {
        fits(entity, part, longest, &text)?;
        return Ok(value.clone());
    }
    fits(entity, part, longest, &text)?;
    Ok(match part.attribute.kind {
        KeyKind::Number => AttributeValue::N(text),
        KeyKind::String | KeyKind::Binary => AttributeValue::S(text),
    })
}

fn unfit(entity: &str, part: &KeyPart, fault: &EncodeError) -> Error {
    match fault {
        EncodeError::Missing { field } => Error::invalid(entity, field, "it is missing"),
        fault => Error::invalid(entity, &part.attribute.name, fault),
    }
}

fn fits(entity: &str, part: &KeyPart, longest: usize, text: &str) -> Result<()> {
    let name = &part.attribute.name;
    if text.is_empty() {
        return Err(Error::invalid(entity, name, "a key cannot be empty"));
    }
    if text.len() > longest {
        let why = format!(
            "a key of {} bytes; DynamoDB takes at most {longest}",
            text.len()
        );
        return Err(Error::invalid(entity, name, why));
    }
    Ok(())
}

/// The key of an item that is complete.
pub(crate) fn key_in(entity: &Described, item: &Item) -> Item {
    let names = entity.table.key_attributes().map(|key| &key.name);
    names
        .filter_map(|name| Some((name.clone(), item.get(name)?.clone())))
        .collect()
}

/// The index keys an item has: of every index it is in.
pub(crate) fn index_attributes(entity: &Described, fields: &Fields) -> Result<Item> {
    let mut item = Item::new();
    for key in &entity.index_keys {
        let complete = key.key.fields().iter().all(|field| fields.has(field));
        let is_in = complete
            && key
                .when
                .as_ref()
                .is_none_or(|when| holds(entity, when, fields, &Values::new()));
        if !is_in {
            continue;
        }
        for (part, longest) in key.key.parts().zip(LONGEST) {
            // Where an entity has two keys in one index, the first that applies is it; a local index has the table's partition.
            let name = &part.attribute.name;
            if item.contains_key(name) || is_table_key(entity, name) {
                continue;
            }
            let value = part_of(&entity.name, part, longest, |name| fields.0.get(name))?;
            // A field that is a key has its own place, and the same limits.
            if !part.natural {
                item.insert(name.clone(), value);
            }
        }
    }
    Ok(item)
}

fn is_table_key(entity: &Described, name: &str) -> bool {
    entity.table.key_attributes().any(|key| key.name == name)
}

/// The names of all attributes that are made of fields for an index.
pub(crate) fn derived_attributes(entity: &Described) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for part in entity.index_keys.iter().flat_map(|key| key.key.parts()) {
        let name = part.attribute.name.as_str();
        if !part.natural && !is_table_key(entity, name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The whole item, after its fields were held against their types.
pub(crate) fn compose(entity: &Described, fields: &Fields, last_write: i64) -> Result<Item> {
    validate::fields(entity, fields)?;
    let mut item = key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
    item.extend(index_attributes(entity, fields)?);
    if let Some(name) = &entity.table.type_attribute {
        item.insert(name.clone(), AttributeValue::S(entity.type_value.clone()));
    }
    let stored = |name: &&str| {
        entity.field(name).is_some() || entity.counters.iter().any(|counter| counter == name)
    };
    let mut wrapped = Item::new();
    for name in fields.names().filter(stored) {
        let value = fields.0[name].clone();
        if entity.at_the_top(name) {
            item.insert(name.to_owned(), value);
        } else {
            wrapped.insert(name.to_owned(), value);
        }
    }
    if let Some(versioned) = entity.versioned {
        if versioned.layout == Layout::Wrapped {
            item.insert(DATA.to_owned(), AttributeValue::M(wrapped));
        }
        let version = versioned.data_version.to_string();
        item.insert(DATA_VERSION.to_owned(), AttributeValue::N(version));
        item.insert(
            LAST_WRITE.to_owned(),
            AttributeValue::N(last_write.to_string()),
        );
    }
    validate::size(&entity.name, &item)?;
    Ok(item)
}

/// An item that was read: its fields in the present shape, and what it was stored as.
#[derive(Debug, Clone)]
pub(crate) struct ReadItem {
    pub(crate) fields: Fields,
    pub(crate) stamp: Stamp,
    /// The version it is stored in, before any migration.
    pub(crate) stored_version: u16,
    /// The item as it is stored.
    pub(crate) raw: Item,
}

/// Whether an item is one of an entity: by the table's type attribute; by its key where there is none, as in an index that does not
/// hold it.
pub(crate) fn is_of(entity: &Described, item: &Item) -> bool {
    let said = entity.table.type_attribute.as_ref();
    match said.and_then(|name| item.get(name)) {
        Some(kind) => matches!(kind, AttributeValue::S(kind) if *kind == entity.type_value),
        None => !is_guard(entity, item) && entity.key.parts().all(|part| has_key_of(part, item)),
    }
}

fn has_key_of(part: &KeyPart, item: &Item) -> bool {
    match item.get(&part.attribute.name) {
        Some(AttributeValue::S(text)) => part.natural || part.template.decode(text).is_some(),
        Some(_) => true,
        None => false,
    }
}

/// A guard is an item of no entity.
fn is_guard(entity: &Described, item: &Item) -> bool {
    entity.field(GUARDS).is_none() && item.contains_key(GUARDS)
}

/// Reads an item for a change: its fields, and what it is stored as.
pub(crate) fn parse(
    entity: &Described,
    migrations: fn() -> Migrations,
    raw: Item,
) -> Result<ReadItem> {
    let (stamp, stored_version) = stamp_of(entity, &raw)?;
    let mut fields = fields_of(entity, raw.clone())?;
    if stored_version != stamp.data_version {
        migrations().bring_up(entity, &mut fields, stored_version)?;
    }
    Ok(ReadItem {
        fields,
        stamp,
        stored_version,
        raw,
    })
}

/// Reads an item to be looked at: raw item, version, migrations, fields.
pub(crate) fn fields_and_stamp(
    entity: &Described,
    migrations: fn() -> Migrations,
    raw: Item,
) -> Result<(Fields, Stamp)> {
    let (stamp, stored_version) = stamp_of(entity, &raw)?;
    if entity.layout() == Layout::Flat && stored_version == stamp.data_version {
        // The present shape at the top: what is not a field of it is not looked at.
        return Ok((Fields(raw), stamp));
    }
    let mut fields = fields_of(entity, raw)?;
    if stored_version != stamp.data_version {
        migrations().bring_up(entity, &mut fields, stored_version)?;
    }
    Ok((fields, stamp))
}

/// The fields of an item in the present shape. Of an index that does not hold the version, what it holds is taken for the present shape.
pub(crate) fn present_fields(
    entity: &Described,
    migrations: fn() -> Migrations,
    raw: Item,
) -> Result<Fields> {
    if entity.versioned.is_none() || !raw.contains_key(DATA_VERSION) {
        return fields_of(entity, raw);
    }
    parse(entity, migrations, raw).map(|read| read.fields)
}

/// The bookkeeping an item will have once read, and the version it is stored in.
fn stamp_of(entity: &Described, raw: &Item) -> Result<(Stamp, u16)> {
    let Some(versioned) = entity.versioned else {
        return Ok((Stamp::default(), 0));
    };
    let number = |name: &str| match raw.get(name) {
        Some(AttributeValue::N(number)) => number.parse::<i64>().ok(),
        _ => None,
    };
    let missing = |name: &str| Error::unreadable(&entity.name, format!("it has no {name}"));
    let found = number(DATA_VERSION).and_then(|found| u16::try_from(found).ok());
    let found = found.ok_or_else(|| missing(DATA_VERSION))?;
    let last_write = number(LAST_WRITE).ok_or_else(|| missing(LAST_WRITE))?;
    let stamp = Stamp {
        data_version: versioned.data_version,
        last_write,
    };
    Ok((stamp, found))
}

/// The fields of an item, of whatever layout. Of a flat one everything that is not bookkeeping, since an older shape may have fields
/// the present one has not.
pub(crate) fn fields_of(entity: &Described, mut raw: Item) -> Result<Fields> {
    if entity.layout() == Layout::Wrapped {
        let mut fields = match raw.remove(DATA) {
            Some(AttributeValue::M(data)) => data,
            Some(_) => return Err(Error::unreadable(&entity.name, "its `data` is no map")),
            None => Item::new(),
        };
        fields.extend(raw.into_iter().filter(|(name, _)| {
            entity.at_the_top(name)
                && (entity.field(name).is_some() || entity.counters.contains(name))
        }));
        return Ok(Fields(fields));
    }
    let derived = derived_attributes(entity);
    raw.retain(|name, _| {
        let name = name.as_str();
        entity.field(name).is_some()
            || entity.counters.iter().any(|counter| counter == name)
            || !(derived.contains(&name)
                || is_table_key(entity, name)
                || name == DATA_VERSION
                || name == LAST_WRITE
                || (entity.counts_what_ends && name == COUNTING_SINCE)
                || entity.table.type_attribute.as_deref() == Some(name))
    });
    Ok(Fields(raw))
}

/// Whether an item's time has passed: TTL deletes it some day, and until then it is not there for anyone.
pub(crate) fn is_expired(entity: &Described, raw: &Item, now_millis: i64) -> bool {
    let Some(ttl) = &entity.ttl else {
        return false;
    };
    match raw.get(ttl) {
        Some(AttributeValue::N(number)) => number
            .parse::<i64>()
            .is_ok_and(|end| end <= seconds(now_millis)),
        _ => false,
    }
}
