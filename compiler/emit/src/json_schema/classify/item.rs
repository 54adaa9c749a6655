//! A schema taken apart: what is a field, a key, a count, or bookkeeping.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Fields;
use super::words::Kind;

/// The parts of an item's schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Item<'s> {
    /// Where its fields stand, when it is versioned.
    pub(super) layout: Option<&'s str>,
    /// The attribute that names the entity, and the name.
    pub(super) type_attribute: Option<(&'s str, &'s Value)>,
    /// Key attributes of the table.
    pub(super) keys: BTreeMap<&'s str, &'s Value>,
    /// Key attributes of indexes.
    pub(super) index_keys: BTreeMap<&'s str, &'s Value>,
    /// Numbers that other entities' writes keep.
    pub(super) counters: BTreeMap<&'s str, &'s Value>,
    /// The fields, wherever they stand.
    pub(super) fields: Fields<'s>,
    /// Nested shapes by name.
    structs: Option<&'s Value>,
}

/// A field and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldView<'s> {
    pub(super) schema: &'s Value,
    /// Whether every item has it.
    pub(super) required: bool,
    /// Whether it stands in the `data` of a wrapped item.
    pub(super) in_data: bool,
}

impl<'s> FieldView<'s> {
    /// What is read where it is absent.
    pub(super) fn default(&self) -> Option<&'s Value> {
        self.schema.get("default")
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::of(self.schema)
    }
}

impl<'s> Item<'s> {
    pub(super) fn of(schema: &'s Value) -> Self {
        let mut item = Item {
            layout: schema["x-layout"].as_str(),
            structs: schema.get("$defs"),
            ..Item::default()
        };
        for (name, field) in fields_of(schema, false) {
            let property = field.schema;
            match name {
                "data_version" | "last_write" if item.layout.is_some() => {}
                "data" if item.layout == Some("wrapped") => {
                    item.fields.extend(fields_of(property, true));
                }
                _ if property.get("x-index").is_some() => {
                    item.index_keys.insert(name, property);
                }
                _ if property.get("x-key").is_some() => {
                    item.keys.insert(name, property);
                    // A natural key is a field all the same.
                    if property["x-key"] == format!("{{{name}}}") {
                        item.fields.insert(name, field);
                    }
                }
                _ if property.get("x-counting-since").is_some() => {}
                _ if property.get("x-counts").is_some() => {
                    item.counters.insert(name, property);
                }
                _ if property.get("const").is_some() => {
                    item.type_attribute = property.get("const").map(|value| (name, value));
                }
                _ => {
                    item.fields.insert(name, field);
                }
            }
        }
        item
    }

    /// The struct a schema refers to, with its name; none when it refers to nothing.
    pub(super) fn referred(&self, schema: &'s Value) -> Option<(&'s str, &'s Value)> {
        let name = schema["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        Some((name, self.structs?.get(name)?))
    }
}

/// The properties of an object's schema.
pub(super) fn fields_of(schema: &Value, in_data: bool) -> Fields<'_> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let field = FieldView {
                schema,
                required: required.contains(&name.as_str()),
                in_data,
            };
            (name.as_str(), field)
        })
        .collect()
}
