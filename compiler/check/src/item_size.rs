//! How large an item can become by the declared maxima of its fields, and how small by their minima.

use std::collections::HashMap;

use tablewright_keys::Precision;
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Entity, Field, Struct};

/// What DynamoDB takes as one item: 400 KB, names included.
pub(crate) const MAX_ITEM: u64 = 400 * 1024;

/// What a list or a map adds to its elements, and to itself.
const OF_ELEMENT: u64 = 1;
const OF_DOCUMENT: u64 = 3;

/// The sizes of a model's fields when each is filled to its declared maximum. They are never too high: a character counts as one
/// byte, and what has no maximum counts as nothing.
pub(crate) struct ItemSizes<'m> {
    structs: HashMap<&'m str, &'m Struct>,
    known: HashMap<&'m str, u64>,
}

impl<'m> ItemSizes<'m> {
    pub(crate) fn of(model: &'m Model) -> Self {
        let structs = model.structs.iter();
        ItemSizes {
            structs: structs
                .map(|structure| (structure.name.as_str(), structure))
                .collect(),
            known: HashMap::new(),
        }
    }

    /// The struct of a name.
    pub(crate) fn structure(&self, name: &str) -> Option<&'m Struct> {
        self.structs.get(name).copied()
    }

    /// All fields of an entity, each filled.
    pub(crate) fn filled(&mut self, entity: &'m Entity) -> u64 {
        let fields = entity.fields.iter();
        fields.fold(0, |sum: u64, field| {
            sum.saturating_add(self.filled_field(field))
        })
    }

    /// One field, filled, with its name.
    pub(crate) fn filled_field(&mut self, field: &'m Field) -> u64 {
        let name = field.name.value.len() as u64;
        name.saturating_add(self.filled_type(field.kind()))
    }

    /// All fields of an entity that every item has, each as short as it may be. Never too high: what is in a key is counted once.
    pub(crate) fn least(&self, entity: &Entity) -> u64 {
        self.least_of(&entity.fields, 0)
    }

    fn least_of(&self, fields: &[Field], of_each: u64) -> u64 {
        let needed = fields.iter().filter(|field| !field.is_optional());
        needed.fold(0, |sum: u64, field| {
            let name = field.name.value.len() as u64;
            sum.saturating_add(name + of_each)
                .saturating_add(self.least_type(field.kind()))
        })
    }

    fn least_type(&self, kind: &FieldType) -> u64 {
        let least = |length: &Length| u64::from(length.min);
        match kind {
            FieldType::String(length) | FieldType::Binary(length) | FieldType::Json(length) => {
                least(length)
            }
            FieldType::Uuid => 36,
            FieldType::Ulid => 26,
            FieldType::Id | FieldType::Bool | FieldType::Int { .. } | FieldType::Decimal => 1,
            FieldType::EpochSeconds | FieldType::EpochMillis => 1,
            FieldType::Email => 3,
            FieldType::Date => 10,
            FieldType::Timestamp(Precision::Seconds) | FieldType::UnevenTimestamp => 20,
            FieldType::Timestamp(Precision::Millis) => 24,
            FieldType::Timestamp(Precision::Micros) => 27,
            FieldType::Enum(words) | FieldType::Ordered(words) => {
                let shortest = words.iter().map(|word| word.len() as u64).min();
                shortest.unwrap_or(0)
            }
            FieldType::Set(of, length) => least(length).saturating_mul(self.least_type(of)),
            FieldType::List(of, length) | FieldType::Map(of, length) => {
                let element = self.least_type(of).saturating_add(OF_ELEMENT);
                let elements = least(length).saturating_mul(element);
                elements.saturating_add(OF_DOCUMENT)
            }
            // No struct contains itself, so this ends.
            FieldType::Struct(name) => {
                let structure = self.structure(name);
                let fields = structure.map_or(&[][..], |structure| &structure.fields);
                OF_DOCUMENT.saturating_add(self.least_of(fields, OF_ELEMENT))
            }
        }
    }

    fn filled_type(&mut self, kind: &'m FieldType) -> u64 {
        let most = |length: &Length| u64::from(length.max.unwrap_or(0));
        match kind {
            FieldType::String(length) | FieldType::Binary(length) | FieldType::Json(length) => {
                most(length)
            }
            FieldType::Id => 128,
            FieldType::Email => 254,
            FieldType::Uuid => 36,
            FieldType::Ulid => 26,
            FieldType::Bool => 1,
            // A number takes one byte for two digits, and one more.
            FieldType::Int { .. } | FieldType::Decimal => 2,
            FieldType::EpochSeconds | FieldType::EpochMillis => 6,
            FieldType::Date => 10,
            FieldType::Timestamp(Precision::Seconds) | FieldType::UnevenTimestamp => 20,
            FieldType::Timestamp(Precision::Millis) => 24,
            FieldType::Timestamp(Precision::Micros) => 27,
            FieldType::Enum(words) | FieldType::Ordered(words) => words
                .iter()
                .map(|word| word.len() as u64)
                .max()
                .unwrap_or(0),
            FieldType::Set(of, length) => most(length).saturating_mul(self.filled_type(of)),
            // A map's keys have a character at least; a list's elements have none.
            FieldType::List(of, length) | FieldType::Map(of, length) => {
                let element = self.filled_type(of).saturating_add(OF_ELEMENT);
                most(length)
                    .saturating_mul(element)
                    .saturating_add(OF_DOCUMENT)
            }
            FieldType::Struct(name) => self.filled_struct(name),
        }
    }

    fn filled_struct(&mut self, name: &str) -> u64 {
        let Some(structure) = self.structure(name) else {
            return 0;
        };
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // The resolver refuses structs that contain themselves; were there one, it would count once.
        self.known.insert(structure.name.as_str(), 0);
        let mut sum = OF_DOCUMENT;
        for field in &structure.fields {
            sum = sum
                .saturating_add(self.filled_field(field))
                .saturating_add(OF_ELEMENT);
        }
        self.known.insert(structure.name.as_str(), sum);
        sum
    }
}
