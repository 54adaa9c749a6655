//! The fields of one item, whatever its layout: what migrations work on, and what becomes a type.

mod json;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess};
use serde_dynamo::aws_sdk_dynamodb_1 as dynamo;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::field_type::FieldType;

use crate::error::{Error, Result};
use crate::values::{Values, to_attribute};

/// An item as DynamoDB gives it.
pub type Item = HashMap<String, AttributeValue>;

/// The fields of an item by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields(pub(crate) Item);

impl Fields {
    /// Whether a field is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The value of a field as it is stored.
    pub fn stored(&self, name: &str) -> Option<&AttributeValue> {
        self.0.get(name)
    }

    /// The value of a field, if it is there and of this type.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let value = self.0.get(name)?.clone();
        dynamo::from_attribute_value(value).ok()
    }

    /// Sets a field; nothing, as `None`, removes it.
    ///
    /// # Errors
    /// When the value cannot be stored.
    pub fn insert(&mut self, name: &str, value: &impl Serialize) -> Result<(), String> {
        match to_attribute(value)? {
            Some(value) => self.0.insert(name.to_owned(), value),
            None => self.0.remove(name),
        };
        Ok(())
    }

    /// Takes a field away.
    pub fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        self.0.remove(name)
    }

    /// Calls a field by another name. A field that is not there stays away.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(value) = self.0.remove(from) {
            self.0.insert(to.to_owned(), value);
        }
    }

    /// The names of all fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The fields of a value, in the forms its entity stores them in.
    pub(crate) fn of<T: Serialize>(entity: &Described, data: &T) -> Result<Fields> {
        let mut fields: Item =
            dynamo::to_item(data).map_err(|error| Error::invalid(&entity.name, "", error))?;
        bring_into_form(entity, &mut fields);
        Ok(Fields(fields))
    }

    /// Brings fields that came one by one into the forms their entity stores them in.
    pub(crate) fn bring_into_form(&mut self, entity: &Described) {
        bring_into_form(entity, &mut self.0);
    }

    /// Some of the fields as values: those that are there.
    pub(crate) fn values_of(&self, names: &[&str]) -> Values {
        let there = names
            .iter()
            .filter_map(|name| Some((*name, self.0.get(*name)?.clone())));
        there.fold(Values::new(), |values, (name, value)| {
            values.with_attribute(name, value)
        })
    }

    /// Counts are kept by what is counted: a new item has none, whatever its maker says.
    pub(crate) fn forget_counts(&mut self, entity: &Described) {
        for counter in &entity.counters {
            self.0.remove(counter);
        }
    }

    /// Counts are kept by what is counted, never by a change.
    pub(crate) fn keep_counts(&mut self, entity: &Described, old: &Fields) {
        for counter in &entity.counters {
            match old.0.get(counter) {
                Some(count) => self.0.insert(counter.clone(), count.clone()),
                None => self.0.remove(counter),
            };
        }
    }

    /// The value these fields are of.
    pub(crate) fn to<T: DeserializeOwned>(&self, entity: &Described) -> Result<T> {
        self.clone().into(entity)
    }

    /// The value these fields are of.
    pub(crate) fn into<T: DeserializeOwned>(mut self, entity: &Described) -> Result<T> {
        for field in entity
            .fields
            .iter()
            .filter(|field| has_decimals(&field.declared.kind))
        {
            if let Some(value) = self.0.remove(&field.name) {
                self.0.insert(
                    field.name.clone(),
                    with_texts(entity, &field.declared.kind, value),
                );
            }
        }
        self.into_plainly(entity)
    }

    /// The value of a field as types read it, whatever they call it.
    pub(crate) fn told(&self, entity: &Described, name: &str) -> Option<AttributeValue> {
        let value = self.0.get(name)?.clone();
        Some(match entity.field(name) {
            Some(field) => with_texts(entity, &field.declared.kind, value),
            None => value,
        })
    }

    /// The value these fields are of, which are in the forms that types read.
    pub(crate) fn into_plainly<T: DeserializeOwned>(self, entity: &Described) -> Result<T> {
        let attributes = Attributes {
            left: self.0.into_iter(),
            value: None,
        };
        T::deserialize(MapAccessDeserializer::new(attributes))
            .map_err(|error| Error::unreadable(&entity.name, error))
    }
}

/// Attributes given to serde one by one. `serde_dynamo` reads each, but would first make a map of its own of them all, which takes
/// longer than the reading.
struct Attributes {
    left: std::collections::hash_map::IntoIter<String, AttributeValue>,
    value: Option<AttributeValue>,
}

impl<'de> MapAccess<'de> for Attributes {
    type Error = serde_dynamo::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        let Some((name, value)) = self.left.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        let value = self.value.take();
        let value = value.ok_or_else(|| Self::Error::custom("a value comes after its name"))?;
        seed.deserialize(serde_dynamo::Deserializer::from_attribute_value(
            value.into(),
        ))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// Nothing is no attribute, a set is no list, and a decimal is no text.
fn bring_into_form(entity: &Described, fields: &mut Item) {
    fields.retain(|_, value| !matches!(value, AttributeValue::Null(_)));
    for field in &entity.fields {
        let kind = &field.declared.kind;
        if is_plain(kind) {
            continue;
        }
        if let Some(value) = fields.remove(&field.name)
            && let Some(value) = in_form(entity, kind, value)
        {
            fields.insert(field.name.clone(), value);
        }
    }
}

fn is_plain(kind: &FieldType) -> bool {
    match kind {
        FieldType::Set(..) | FieldType::Decimal | FieldType::Struct(_) | FieldType::Binary(_) => {
            false
        }
        FieldType::List(of, _) | FieldType::Map(of, _) => is_plain(of),
        _ => true,
    }
}

/// The value in the form of its type; none for an empty set, which DynamoDB does not have.
pub(crate) fn in_form(
    entity: &Described,
    kind: &FieldType,
    value: AttributeValue,
) -> Option<AttributeValue> {
    match (kind, value) {
        (FieldType::Decimal, AttributeValue::S(text)) => Some(AttributeValue::N(text)),
        // As JSON has them; a type gives bytes.
        (FieldType::Binary(_), AttributeValue::L(values)) => Some(match json::bytes_of(&values) {
            Some(bytes) => AttributeValue::B(bytes.into()),
            None => AttributeValue::L(values),
        }),
        (FieldType::Set(of, _), AttributeValue::L(values)) => {
            let texts: Vec<String> = values
                .into_iter()
                .filter_map(|value| match value {
                    AttributeValue::S(text) | AttributeValue::N(text) => Some(text),
                    _ => None,
                })
                .collect();
            match (texts.is_empty(), of.is_number()) {
                (true, _) => None,
                (false, true) => Some(AttributeValue::Ns(texts)),
                (false, false) => Some(AttributeValue::Ss(texts)),
            }
        }
        (FieldType::List(of, _), AttributeValue::L(values)) => {
            let values = values.into_iter();
            let values = values.filter_map(|value| in_form(entity, of, value));
            Some(AttributeValue::L(values.collect()))
        }
        (FieldType::Map(of, _), AttributeValue::M(values)) => {
            let values = values.into_iter();
            let values =
                values.filter_map(|(name, value)| Some((name, in_form(entity, of, value)?)));
            Some(AttributeValue::M(values.collect()))
        }
        (FieldType::Struct(name), AttributeValue::M(mut values)) => {
            values.retain(|_, value| !matches!(value, AttributeValue::Null(_)));
            let structure = entity.structs.iter().find(|known| known.name == *name);
            for field in structure.iter().flat_map(|structure| &structure.fields) {
                if let Some(value) = values.remove(&field.name)
                    && let Some(value) = in_form(entity, &field.declared.kind, value)
                {
                    values.insert(field.name.clone(), value);
                }
            }
            Some(AttributeValue::M(values))
        }
        (_, value) => Some(value),
    }
}

fn has_decimals(kind: &FieldType) -> bool {
    match kind {
        FieldType::Decimal | FieldType::Struct(_) => true,
        FieldType::List(of, _) | FieldType::Map(of, _) | FieldType::Set(of, _) => has_decimals(of),
        _ => false,
    }
}

/// Decimals as texts: a number on its way through serde would become one of 53 bits.
fn with_texts(entity: &Described, kind: &FieldType, value: AttributeValue) -> AttributeValue {
    match (kind, value) {
        (FieldType::Decimal, AttributeValue::N(number)) => AttributeValue::S(number),
        (FieldType::Set(of, _), AttributeValue::Ns(numbers)) if has_decimals(of) => {
            AttributeValue::Ss(numbers)
        }
        (FieldType::List(of, _), AttributeValue::L(values)) => {
            let values = values.into_iter();
            AttributeValue::L(values.map(|value| with_texts(entity, of, value)).collect())
        }
        (FieldType::Map(of, _), AttributeValue::M(values)) => {
            let values = values.into_iter();
            let values = values.map(|(name, value)| (name, with_texts(entity, of, value)));
            AttributeValue::M(values.collect())
        }
        (FieldType::Struct(name), AttributeValue::M(mut values)) => {
            let structure = entity.structs.iter().find(|known| known.name == *name);
            for field in structure.iter().flat_map(|structure| &structure.fields) {
                if let Some(value) = values.remove(&field.name) {
                    let value = with_texts(entity, &field.declared.kind, value);
                    values.insert(field.name.clone(), value);
                }
            }
            AttributeValue::M(values)
        }
        (_, value) => value,
    }
}
