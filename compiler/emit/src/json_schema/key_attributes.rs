//! The attributes that are keys, of the table and of its indexes.
//!
//! Keys belong to the stored shape: an item is found by the text that was written, not by the template of today.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::model::{Entity, IndexKey, IndexKind, KeyAttribute, KeyKind, KeyTemplate};

use super::{Shape, types};

/// The positions of the fields that are keys by themselves, of the table or of an index.
pub(super) fn natural(model: &Model, entity: &Entity) -> BTreeSet<usize> {
    let table = model.table(entity.table);
    let mut keys = vec![
        (Some(&table.partition_key), Some(&entity.key.partition)),
        (table.sort_key.as_ref(), entity.key.sort.as_ref()),
    ];
    for key in &entity.index_keys {
        let index = table.index(key.index);
        keys.push((Some(&index.partition_key), Some(&key.key.partition)));
        keys.push((index.sort_key.as_ref(), key.key.sort.as_ref()));
    }
    keys.into_iter()
        .filter_map(|(attribute, template)| natural_field(entity, attribute?, template?))
        .collect()
}

/// The field, when the key attribute is nothing but it.
fn natural_field(
    entity: &Entity,
    attribute: &KeyAttribute,
    template: &KeyTemplate,
) -> Option<usize> {
    let id = template.bare_field()?;
    (entity.field(id).name.value == attribute.name).then_some(id.0)
}

/// Adds the key attributes that are no fields, and marks the fields that are the table's keys. Those of the table are always there, those of an index are when the item is in it.
pub(super) fn add(model: &Model, entity: &Entity, top: &mut Shape) {
    let table = model.table(entity.table);
    for key in &entity.index_keys {
        let index = table.index(key.index);
        // A local index has the table's partition key.
        if index.kind == IndexKind::Global {
            add_of_index(
                model,
                entity,
                key,
                &index.partition_key,
                &key.key.partition,
                top,
            );
        }
        if let (Some(attribute), Some(template)) = (&index.sort_key, &key.key.sort) {
            add_of_index(model, entity, key, attribute, template, top);
        }
    }
    let sort = table.sort_key.as_ref().zip(entity.key.sort.as_ref());
    let keys = [Some((&table.partition_key, &entity.key.partition)), sort];
    for (attribute, template) in keys.into_iter().flatten() {
        if natural_field(entity, attribute, template).is_none() {
            let schema = attribute_schema(model, entity, attribute, template);
            top.add_required(&attribute.name, schema);
        } else {
            top.mark(&attribute.name, "x-key", json!(template.written.value));
        }
    }
}

fn add_of_index(
    model: &Model,
    entity: &Entity,
    key: &IndexKey,
    attribute: &KeyAttribute,
    template: &KeyTemplate,
    top: &mut Shape,
) {
    if natural_field(entity, attribute, template).is_some() {
        return;
    }
    let mut schema = attribute_schema(model, entity, attribute, template);
    schema.insert("x-index".to_owned(), json!(key.name.value));
    if let Some(when) = &key.when {
        schema.insert("x-when".to_owned(), json!(when.written.value));
    }
    top.add(&attribute.name, schema);
}

fn attribute_schema(
    model: &Model,
    entity: &Entity,
    attribute: &KeyAttribute,
    template: &KeyTemplate,
) -> Map<String, Value> {
    let of_field = template
        .bare_field()
        .filter(|_| attribute.kind != KeyKind::String)
        .map(|id| types::of(entity.field(id).kind()));
    let mut schema = match of_field {
        Some(Value::Object(schema)) => schema,
        _ => Map::from_iter([("type".to_owned(), json!("string"))]),
    };
    schema.insert("x-key".to_owned(), json!(template.written.value));
    if !model.table(entity.table).escape.value {
        schema.insert("x-escape".to_owned(), json!(false));
    }
    schema
}
