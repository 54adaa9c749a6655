//! Items made of the values of fields, as the run time stores them: keys rendered from templates, never written by hand.

use std::collections::BTreeMap;

use tablewright_descriptor::number_of;
use tablewright_keys::KeyValue;
use tablewright_model::Model;
use tablewright_model::model::{
    Entity, Field, IndexKind, Key, KeyAttribute, KeyKind, KeyTemplate, Layout, Table, Unique,
};

use super::attribute::Attribute;
use super::samples::holds;

/// The values of an entity's fields, by name.
pub(super) type Values = BTreeMap<String, Attribute>;

/// The attributes of an item, in the order in which they are shown.
pub(super) type Item = Vec<(String, Attribute)>;

/// What kind of attributes a facet has, with the letters of their types.
pub(super) type Attributes = Vec<(String, &'static str)>;

/// The item of an entity; none when a value does not fit its key.
pub(super) fn entity(
    model: &Model,
    entity: &Entity,
    values: &Values,
    numbers: &Values,
    last_write: i64,
) -> Option<Item> {
    let table = model.table(entity.table);
    let mut item = key(table, &entity.key, values)?;
    put(&mut item, type_attribute(table, entity.type_value.as_str()));
    let mut data = Vec::new();
    for field in &entity.fields {
        let Some(value) = values.get(&field.name.value) else {
            continue;
        };
        let entry = (field.name.value.clone(), value.clone());
        if stands_in_data(entity, table, field) {
            data.push(entry);
        } else {
            put(&mut item, Some(entry));
        }
    }
    for (name, number) in numbers {
        put(&mut item, Some((name.clone(), number.clone())));
    }
    for index in indexed(entity, table, values) {
        put(&mut item, Some(index));
    }
    if let Some(versioned) = &entity.versioned {
        if versioned.layout == Layout::Wrapped {
            put(&mut item, Some(("data".to_owned(), Attribute::Map(data))));
        }
        let version = versioned.data_version.value.to_string();
        put(
            &mut item,
            Some(("data_version".to_owned(), Attribute::Number(version))),
        );
        put(
            &mut item,
            Some((
                "last_write".to_owned(),
                Attribute::Number(last_write.to_string()),
            )),
        );
    }
    Some(item)
}

/// The guard of something unique; none where there is no value to guard.
pub(super) fn guard(
    model: &Model,
    entity: &Entity,
    unique: &Unique,
    values: &Values,
) -> Option<Item> {
    let table = model.table(entity.table);
    let mut item = key(table, unique.guard.as_ref()?, values)?;
    put(
        &mut item,
        type_attribute(table, &format!("{}.{}", entity.type_value, unique.name)),
    );
    let owner = key(table, &entity.key, values)?;
    put(
        &mut item,
        Some(("guards".to_owned(), Attribute::Map(owner))),
    );
    if let Some((ttl, _)) = &entity.ttl {
        let end = values.get(&ttl.value);
        put(&mut item, end.map(|end| (ttl.value.clone(), end.clone())));
    }
    Some(item)
}

/// What an entity's items can have besides the keys of the table.
pub(super) fn attributes(model: &Model, entity: &Entity) -> Attributes {
    let table = model.table(entity.table);
    let mut attributes = Vec::new();
    let mut put = |name: &str, letter| {
        if !is_key(table, name) && !attributes.iter().any(|(known, _)| known == name) {
            attributes.push((name.to_owned(), letter));
        }
    };
    if let Some(name) = &table.type_attribute {
        put(name.as_str(), "S");
    }
    for field in &entity.fields {
        if !stands_in_data(entity, table, field) {
            put(field.name.as_str(), field.kind().stored_as());
        }
    }
    for name in counted(model, entity) {
        put(&name, "N");
    }
    for key in &entity.index_keys {
        let index = table.index(key.index);
        for attribute in std::iter::once(&index.partition_key).chain(&index.sort_key) {
            put(&attribute.name, letter(attribute));
        }
    }
    if let Some(versioned) = &entity.versioned {
        if versioned.layout == Layout::Wrapped {
            put("data", "M");
        }
        put("data_version", "N");
        put("last_write", "N");
    }
    attributes
}

/// What the guards of an entity can have besides the keys of the table.
pub(super) fn guard_attributes(model: &Model, entity: &Entity) -> Attributes {
    let table = model.table(entity.table);
    let named = table
        .type_attribute
        .as_ref()
        .map(|name| (name.value.clone(), "S"));
    let ttl = entity.ttl.as_ref().map(|(ttl, _)| (ttl.value.clone(), "N"));
    named
        .into_iter()
        .chain([("guards".to_owned(), "M")])
        .chain(ttl)
        .collect()
}

/// The attributes of the numbers an entity keeps.
pub(super) fn counted(model: &Model, entity: &Entity) -> Vec<String> {
    let mut names = Vec::new();
    for counter in &entity.counters {
        match &counter.per {
            None => names.push(counter.name.value.clone()),
            Some((_, per)) => {
                let counted = model.entity(counter.counts.1);
                let words = counted.field(*per).kind().words().unwrap_or_default();
                names.extend(
                    words
                        .iter()
                        .map(|word| number_of(counter.name.as_str(), word)),
                );
            }
        }
    }
    names
}

/// The letter of a key attribute's type.
pub(super) fn letter(attribute: &KeyAttribute) -> &'static str {
    match attribute.kind {
        KeyKind::Number => "N",
        KeyKind::Binary => "B",
        KeyKind::String | KeyKind::Refused(_) => "S",
    }
}

fn is_key(table: &Table, name: &str) -> bool {
    let mut keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
    keys.any(|key| key.name == name)
}

fn put(item: &mut Item, entry: Option<(String, Attribute)>) {
    if let Some((name, value)) = entry
        && !item.iter().any(|(known, _)| *known == name)
    {
        item.push((name, value));
    }
}

fn type_attribute(table: &Table, says: &str) -> Option<(String, Attribute)> {
    let name = table.type_attribute.as_ref()?;
    Some((name.value.clone(), Attribute::Text(says.to_owned())))
}

/// Whether a field stands in the map `data` rather than at the top.
fn stands_in_data(entity: &Entity, table: &Table, field: &Field) -> bool {
    let wrapped = entity
        .versioned
        .as_ref()
        .is_some_and(|versioned| versioned.layout == Layout::Wrapped);
    let name = &field.name.value;
    let is_ttl = entity
        .ttl
        .as_ref()
        .is_some_and(|(ttl, _)| ttl.value == *name);
    wrapped && !is_ttl && !is_natural(entity, table, name)
}

/// Whether a field is a key attribute by itself, of the table or of an index.
fn is_natural(entity: &Entity, table: &Table, name: &str) -> bool {
    let of_field = |attribute: &KeyAttribute, template: Option<&KeyTemplate>| {
        let bare = template.and_then(KeyTemplate::bare_field);
        attribute.name == name && bare.is_some_and(|id| entity.field(id).name.value == name)
    };
    let of_key = |partition: &KeyAttribute, sort: Option<&KeyAttribute>, key: &Key| {
        of_field(partition, Some(&key.partition))
            || sort.is_some_and(|sort| of_field(sort, key.sort.as_ref()))
    };
    of_key(&table.partition_key, table.sort_key.as_ref(), &entity.key)
        || entity.index_keys.iter().any(|key| {
            let index = table.index(key.index);
            of_key(&index.partition_key, index.sort_key.as_ref(), &key.key)
        })
}

/// The key attributes of the table.
fn key(table: &Table, key: &Key, values: &Values) -> Option<Item> {
    let mut item = vec![made(&table.partition_key, &key.partition, values)?];
    if let (Some(attribute), Some(template)) = (&table.sort_key, &key.sort) {
        item.push(made(attribute, template, values)?);
    }
    Some(item)
}

/// The key attributes of the indexes the item is in.
fn indexed(entity: &Entity, table: &Table, values: &Values) -> Item {
    let mut attributes = Vec::new();
    for key in &entity.index_keys {
        let index = table.index(key.index);
        let whole = key
            .key
            .field_ids()
            .iter()
            .all(|id| values.contains_key(&entity.field(*id).name.value));
        let meant = key
            .when
            .as_ref()
            .is_none_or(|when| holds::holds(&when.condition, values));
        if !whole || !meant {
            continue;
        }
        let partition = made(&index.partition_key, &key.key.partition, values);
        let sort = index.sort_key.as_ref().zip(key.key.sort.as_ref());
        let sort = sort.map(|(attribute, template)| made(attribute, template, values));
        if let (Some(partition), Some(sort)) =
            (partition, sort.map_or(Some(None), |sort| sort.map(Some)))
        {
            if index.kind == IndexKind::Global {
                attributes.push(partition);
            }
            attributes.extend(sort);
        }
    }
    attributes
}

fn made(
    attribute: &KeyAttribute,
    template: &KeyTemplate,
    values: &Values,
) -> Option<(String, Attribute)> {
    let plain = template
        .template
        .fields()
        .next()
        .filter(|_| attribute.kind != KeyKind::String);
    let value = match plain {
        Some(field) => values.get(&field.name)?.clone(),
        None => Attribute::Text(
            template
                .typed
                .render(|name| key_value(values.get(name)?))
                .ok()?,
        ),
    };
    Some((attribute.name.clone(), value))
}

fn key_value(value: &Attribute) -> Option<KeyValue> {
    match value {
        Attribute::Text(text) => Some(KeyValue::Text(text.clone())),
        Attribute::Number(number) => Some(match number.parse() {
            Ok(integer) => KeyValue::Integer(integer),
            Err(_) => KeyValue::Text(number.clone()),
        }),
        Attribute::Flag(flag) => Some(KeyValue::Text(flag.to_string())),
        _ => None,
    }
}
