//! The JSON Schema of an entity's items as they are stored: what a snapshot holds.
//!
//! It says everything a reader of old items must know and nothing else: no descriptions, no tool version, and the order of the
//! fields in the model does not matter. What JSON Schema has no word for stands in keywords of our own:
//!
//! | keyword | of | says |
//! |---|---|---|
//! | `x-layout` | a versioned item | `flat` or `wrapped` |
//! | `x-key` | a key attribute | the template it is made with |
//! | `x-index` | a key attribute of an index | which index |
//! | `x-when` | a key attribute of an index | the condition for being in it |
//! | `x-escape` | a key attribute | `false` where values are not escaped |
//! | `x-counts` | a number kept by the writes of another entity | which entity |
//! | `x-ordered` | words | their order has a meaning |
//! | `x-min-bytes`, `x-max-bytes` | bytes and JSON | the size |

mod classify;
mod key_attributes;
#[cfg(test)]
mod tests;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use tablewright_descriptor::{COUNTING_SINCE, number_of};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, Field, Layout};

use crate::rust::changes::{BEFORE, Carried};

pub use classify::{Change, Compatibility, classify};

/// The dialect of the schemas.
pub(crate) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of an entity's items, as the text of a file.
pub fn text(model: &Model, entity: EntityId) -> String {
    let mut text = format!("{:#}", schema(model, entity));
    text.push('\n');
    text
}

/// The schema of an entity's items.
///
/// ```
/// use tablewright_emit::json_schema::schema;
/// use tablewright_model::model::EntityId;
///
/// let model = tablewright_model::parse(r##"
/// [model]
/// name    = "notes"
/// profile = "table-per-entity"
///
/// [table.notes]
/// partition_key = "note_id"
///
/// [entity.Note]
/// table     = "notes"
/// key       = { partition = "{note_id}" }
/// versioned = { data_version = 3, layout = "wrapped" }
/// fields    = { note_id = "ulid", text = "string(1..2000)", colour = "enum(red, blue)?" }
/// "##).unwrap();
/// let schema = schema(&model, EntityId(0));
/// assert_eq!(schema["properties"]["data_version"]["const"], 3);
/// assert_eq!(schema["properties"]["note_id"]["format"], "ulid");
/// assert_eq!(schema["properties"]["data"]["properties"]["text"]["maxLength"], 2000);
/// assert_eq!(schema["properties"]["data"]["required"][0], "text");
/// ```
pub fn schema(model: &Model, id: EntityId) -> Value {
    let entity = model.entity(id);
    let mut top = Shape::default();
    let mut data = Shape::default();
    let natural = key_attributes::natural(model, entity);
    for (position, field) in entity.fields.iter().enumerate() {
        let is_ttl = entity
            .ttl
            .as_ref()
            .is_some_and(|(_, ttl)| ttl.0 == position);
        let at_the_top = !is_wrapped(entity) || is_ttl || natural.contains(&position);
        let place = if at_the_top { &mut top } else { &mut data };
        place.add_field(field);
    }
    key_attributes::add(model, entity, &mut top);
    for (name, counted) in counters(model, entity) {
        top.add(&name, json!({ "type": "integer", "x-counts": counted }));
    }
    if entity.counts_what_ends(model) {
        top.add(
            COUNTING_SINCE,
            json!({ "type": "integer", "format": "epoch-millis", "x-counting-since": true }),
        );
    }
    if let Some(name) = &model.table_of(id).type_attribute {
        top.add_required(&name.value, json!({ "const": entity.type_value.value }));
    }
    if let Some(versioned) = &entity.versioned {
        top.add_required(
            "data_version",
            json!({ "const": versioned.data_version.value }),
        );
        top.add_required(
            "last_write",
            json!({ "type": "integer", "format": "epoch-millis" }),
        );
        if versioned.layout == Layout::Wrapped {
            top.add_required("data", data.into_schema());
        }
    }
    let mut schema = top.into_schema();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("title".to_owned(), json!(entity.name.value));
    if let Some(versioned) = &entity.versioned {
        let layout = match versioned.layout {
            Layout::Flat => "flat",
            Layout::Wrapped => "wrapped",
        };
        schema.insert("x-layout".to_owned(), json!(layout));
    }
    let structs = structs_within(model, entity.fields.iter());
    if !structs.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(structs));
    }
    in_order(Value::Object(schema))
}

/// The schema of some fields as they are published: what has a default is there.
pub(crate) fn published(model: &Model, carried: &[Carried<'_>]) -> Value {
    let mut shape = Shape::default();
    for one in carried {
        let schema = types::of(one.field.kind());
        match one.field.is_optional() {
            true => shape.add(one.name, schema),
            false => shape.add_required(one.name, schema),
        }
        if one.before {
            shape.mark(one.name, "description", json!(BEFORE));
        }
    }
    let structs = structs_within(model, carried.iter().map(|one| one.field));
    let mut schema = shape.into_schema();
    schema.entry("required").or_insert_with(|| json!([]));
    if !structs.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(structs));
    }
    Value::Object(schema)
}

/// An object's schema while it grows.
#[derive(Default)]
struct Shape {
    properties: BTreeMap<String, Value>,
    required: BTreeSet<String>,
}

impl Shape {
    fn add(&mut self, name: &str, schema: impl Into<Value>) {
        self.properties.insert(name.to_owned(), schema.into());
    }

    fn add_required(&mut self, name: &str, schema: impl Into<Value>) {
        self.add(name, schema);
        self.required.insert(name.to_owned());
    }

    /// Says one thing more of a property that is there.
    fn mark(&mut self, name: &str, keyword: &str, value: Value) {
        if let Some(Value::Object(schema)) = self.properties.get_mut(name) {
            schema.insert(keyword.to_owned(), value);
        }
    }

    fn add_field(&mut self, field: &Field) {
        let schema = types::field(field);
        // DynamoDB has no empty set: one that is empty is not stored.
        let vanishes = matches!(field.kind(), FieldType::Set(_, length) if length.min == 0);
        // What was stored before the field was there has none, and is read with the default.
        let defaulted = field.declared.default.is_some();
        if field.is_optional() || vanishes || defaulted {
            self.add(&field.name.value, schema);
        } else {
            self.add_required(&field.name.value, schema);
        }
    }

    fn into_schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        let properties = self.properties.into_iter().collect();
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), json!(self.required));
        }
        schema
    }
}

fn is_wrapped(entity: &Entity) -> bool {
    let versioned = entity.versioned.as_ref();
    versioned.is_some_and(|versioned| versioned.layout == Layout::Wrapped)
}

/// The attributes of the numbers an entity keeps, and what they count.
fn counters<'m>(model: &'m Model, entity: &'m Entity) -> Vec<(String, &'m str)> {
    let mut attributes = Vec::new();
    for counter in &entity.counters {
        let counted = model.entity(counter.counts.1);
        let name = &counter.name.value;
        match &counter.per {
            None => attributes.push((name.clone(), counted.name.as_str())),
            Some((_, per)) => {
                let words = counted.field(*per).kind().words().unwrap_or_default();
                let names = words.iter().map(|word| number_of(name, word));
                attributes.extend(names.map(|name| (name, counted.name.as_str())));
            }
        }
    }
    attributes
}

/// The structs fields lead to, by name: each once, however often it is used.
fn structs_within<'m>(
    model: &'m Model,
    fields: impl Iterator<Item = &'m Field>,
) -> Map<String, Value> {
    let mut found = BTreeMap::new();
    let mut open: Vec<&str> = fields.filter_map(types::struct_of).collect();
    while let Some(name) = open.pop() {
        if found.contains_key(name) {
            continue;
        }
        let Some(structure) = model.structure(name) else {
            continue;
        };
        let mut shape = Shape::default();
        for field in &structure.fields {
            shape.add_field(field);
            open.extend(types::struct_of(field));
        }
        found.insert(name.to_owned(), Value::Object(shape.into_schema()));
    }
    found.into_iter().collect()
}

/// With the keys of every object sorted, whatever map `serde_json` was built with.
pub(crate) fn in_order(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<String, Value> = map
                .into_iter()
                .map(|(key, value)| (key, in_order(value)))
                .collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(in_order).collect()),
        plain => plain,
    }
}
