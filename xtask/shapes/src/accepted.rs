//! What TypeScript must accept: everything the Rust types write.

use anyhow::ensure;
use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::model::{Entity, Event};

use crate::known::Known;
use crate::literal::{constant, of_item, of_json};
use crate::stored::StoredItem;
use crate::values::{self, Variant};

/// A constant of each type for each variant, and for each stored item.
// S3-3, S3-28, S3-35, C3-15: an interface for every entity, and it accepts everything that is valid.
// S3-27, C3-12: an item has its keys and its type; what the services give has not.
pub(crate) fn accepted(
    model: &Model,
    known: &[Known],
    items: &[StoredItem<'_>],
) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut count = 0;
    for known in known {
        for value in values_of(model, known.name) {
            let written = (known.through)(value.clone())?;
            ensure!(
                written == value,
                "{} writes {written} where {value} was read",
                known.name
            );
            text.push_str(&constant(&mut count, known.name, &of_json(&value)));
        }
    }
    for item in items {
        text.push_str(&constant(&mut count, &item.kind, &of_item(&item.item)));
    }
    Ok(text)
}

/// The values of a type by its name: of an entity, of one with its version, or of all events.
pub(crate) fn values_of(model: &Model, name: &str) -> Vec<Value> {
    let entity = |name: &str| {
        model
            .entities
            .iter()
            .find(|entity| entity.name.value == name)
    };
    if let Some(entity) = entity(name) {
        let variants = values::variants(&entity.fields).into_iter();
        return variants
            .map(|variant| Value::Object(values::entity(model, entity, variant)))
            .collect();
    }
    let data = format!("{name}Data");
    let versioned = name.strip_prefix("Versioned").unwrap_or(&data);
    match entity(versioned) {
        Some(entity) => [Variant::LEAST, Variant::MOST]
            .map(|variant| self::versioned(model, entity, variant))
            .to_vec(),
        None => events(model),
    }
}

fn versioned(model: &Model, entity: &Entity, variant: Variant) -> Value {
    let version = entity
        .versioned
        .as_ref()
        .map(|known| known.data_version.value);
    json!({
        "data": values::entity(model, entity, variant),
        "data_version": version,
        "last_write": 1_706_695_200_000_i64,
    })
}

fn events(model: &Model) -> Vec<Value> {
    let mut events = Vec::new();
    for event in &model.events {
        for variant in [Variant::LEAST, Variant::MOST] {
            events.extend(
                detail(model, event, variant)
                    .map(|detail| json!({ "type": event.name.value, "detail": detail })),
            );
        }
    }
    events
}

fn detail(model: &Model, event: &Event, variant: Variant) -> Option<Value> {
    let entity = model.entity(event.trigger.as_ref()?.entity);
    let mut detail = Map::new();
    for member in &event.detail {
        let field = entity.field(member.field?);
        let value = values::fields(model, [field], variant).remove(field.name.as_str());
        detail.extend(value.map(|value| (member.name.clone(), value)));
    }
    Some(Value::Object(detail))
}
