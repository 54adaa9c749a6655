//! One item as the application knows it.

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};
use tablewright_keys::KeyValue;
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId};

/// One item as the application knows it: a value for each field of its entity, in the JSON form generated types have, and a number for
/// each of its counters. A copy is cheap.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    entity: EntityId,
    /// The fields in the order of the entity, then the numbers of its counters; `null` for what is not there. By position instead of by
    /// name, because a hundred thousand of them have to fit.
    slots: Arc<[Value]>,
}

/// Why something is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordError {
    /// The entity has neither a field nor a counter of this name.
    Unknown {
        /// The entity.
        entity: String,
        /// The name.
        name: String,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Unknown { entity, name } => {
                write!(f, "{entity} has no field and no counter `{name}`")
            }
        }
    }
}

impl std::error::Error for RecordError {}

impl Record {
    /// A record of these values by name. `null` is as good as absent; members of sets are put in order and decimals into their shortest
    /// form, so that records can be compared;
    /// a count of zero is none.
    ///
    /// # Errors
    /// [`RecordError::Unknown`] for a name the entity does not have.
    pub fn of(
        model: &Model,
        entity: EntityId,
        fields: Map<String, Value>,
    ) -> Result<Record, RecordError> {
        let described = model.entity(entity);
        let numbers = numbers(model, described);
        let mut slots = vec![Value::Null; described.fields.len() + numbers.len()];
        for (name, value) in fields {
            if let Some(field) = described.field_named(&name) {
                slots[field.0] = canonical(model, described.field(field).kind(), value);
            } else if let Some(number) = numbers.iter().position(|number| *number == name) {
                slots[described.fields.len() + number] = counted(value);
            } else {
                return Err(RecordError::Unknown {
                    entity: described.name.value.clone(),
                    name,
                });
            }
        }
        Ok(Record::from_slots(entity, slots))
    }

    /// A record of values by position, which must be as many as its entity has fields and numbers.
    pub(crate) fn from_slots(entity: EntityId, slots: Vec<Value>) -> Record {
        Record {
            entity,
            slots: slots.into(),
        }
    }

    /// What it is one of.
    pub fn entity(&self) -> EntityId {
        self.entity
    }

    /// The value of a field, if it has one.
    pub fn value(&self, field: FieldId) -> Option<&Value> {
        self.slots.get(field.0).filter(|value| !value.is_null())
    }

    /// The value of a field or of a counter, and its type.
    pub(crate) fn named<'m>(
        &self,
        model: &'m Model,
        name: &str,
    ) -> Option<(Option<&Value>, &'m FieldType)> {
        let described = model.entity(self.entity);
        if let Some(field) = described.field_named(name) {
            return Some((self.value(field), described.field(field).kind()));
        }
        let numbers = numbers(model, described);
        let place = numbers.iter().position(|number| number == name)?;
        let slot = self.slots.get(described.fields.len() + place);
        // None and zero are one: a record is changed only while it counts nothing.
        let slot = slot.filter(|value| !value.is_null());
        Some((Some(slot.unwrap_or(&ZERO)), &COUNT))
    }

    /// Everything it has, by name.
    pub fn fields(&self, model: &Model) -> Map<String, Value> {
        let names = self.names(model).into_iter().zip(&self.slots[..]);
        names
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, value.clone()))
            .collect()
    }

    /// What tells it from others of its entity, by name.
    pub fn key(&self, model: &Model) -> Map<String, Value> {
        let described = model.entity(self.entity);
        let identity = described.identity().into_iter();
        identity
            .filter_map(|field| {
                let name = described.field(field).name.value.clone();
                Some((name, self.value(field)?.clone()))
            })
            .collect()
    }

    /// Whether this and another are of one item, as it is or as it was.
    pub(crate) fn is_same_item(&self, model: &Model, other: &Record) -> bool {
        self.entity == other.entity && self.key(model) == other.key(model)
    }

    pub(crate) fn slots(&self) -> &[Value] {
        &self.slots
    }

    /// The same with other values in some places.
    pub(crate) fn with(&self, changes: impl IntoIterator<Item = (usize, Value)>) -> Record {
        let mut slots = self.slots.to_vec();
        for (position, value) in changes {
            slots[position] = value;
        }
        Record::from_slots(self.entity, slots)
    }

    /// The same without the numbers of its counters, which follow from others.
    pub(crate) fn without_counts(&self, model: &Model) -> Record {
        let fields = model.entity(self.entity).fields.len();
        self.with((fields..self.slots.len()).map(|slot| (slot, Value::Null)))
    }

    pub(crate) fn names(&self, model: &Model) -> Vec<String> {
        let described = model.entity(self.entity);
        let fields = described
            .fields
            .iter()
            .map(|field| field.name.value.clone());
        fields.chain(numbers(model, described)).collect()
    }
}

static ZERO: LazyLock<Value> = LazyLock::new(|| Value::from(0));

/// The type of a counter.
static COUNT: FieldType = FieldType::Int {
    min: None,
    max: None,
};

/// The names of the numbers an entity keeps, one for each word where it is kept for each.
pub(crate) fn numbers(model: &Model, entity: &Entity) -> Vec<String> {
    let mut names = Vec::new();
    for counter in entity.counters.iter().filter(|one| one.kept_by.is_none()) {
        let per = counter.per.as_ref().map(|(_, per)| {
            let counted = model.entity(counter.counts.1);
            counted.field(*per).kind().words().unwrap_or_default()
        });
        match per {
            None => names.push(counter.name.value.clone()),
            Some(words) => {
                names.extend(
                    words
                        .iter()
                        .map(|word| format!("{}_{word}", counter.name.value)),
                );
            }
        }
    }
    names
}

/// The one form of a value among those that mean the same.
pub(crate) fn canonical(model: &Model, kind: &FieldType, value: Value) -> Value {
    match (kind, value) {
        (FieldType::Decimal, Value::String(text)) => Value::String(shortest(&text)),
        (FieldType::Set(of, _), Value::Array(members)) => {
            let members = members.into_iter().map(|one| canonical(model, of, one));
            let mut members: Vec<Value> = members.collect();
            members.sort_by_cached_key(Value::to_string);
            members.dedup();
            // DynamoDB has no empty set: it is stored as nothing.
            if members.is_empty() {
                Value::Null
            } else {
                Value::Array(members)
            }
        }
        (FieldType::List(of, _), Value::Array(members)) => {
            let members = members.into_iter().map(|one| canonical(model, of, one));
            Value::Array(members.collect())
        }
        (FieldType::Map(of, _), Value::Object(members)) => {
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(name, one)| (name, canonical(model, of, one)))
                    .collect(),
            )
        }
        (FieldType::Struct(name), Value::Object(members)) => {
            let fields = model.structure(name).map_or(&[][..], |shape| &shape.fields);
            let members = members.into_iter().map(|(name, one)| {
                let field = fields.iter().find(|field| field.name.value == name);
                let one = match field {
                    Some(field) => canonical(model, field.kind(), one),
                    None => one,
                };
                (name, one)
            });
            Value::Object(members.filter(|(_, one)| !one.is_null()).collect())
        }
        (_, value) => value,
    }
}

/// A count of nothing is as good as none: an item has a number only from the first thing counted on.
pub(crate) fn counted(number: Value) -> Value {
    if number.as_i64() == Some(0) {
        Value::Null
    } else {
        number
    }
}

/// A decimal without zeros that say nothing.
fn shortest(text: &str) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    match (whole, fraction) {
        ("", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        ("", fraction) => format!("{sign}0.{fraction}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

/// A value as a part of a key.
pub(crate) fn key_value(value: &Value) -> Option<KeyValue> {
    match value {
        Value::String(text) => Some(KeyValue::Text(text.clone())),
        Value::Number(number) => Some(match number.as_i64() {
            Some(integer) => KeyValue::Integer(integer),
            None => KeyValue::Text(number.to_string()),
        }),
        Value::Bool(value) => Some(KeyValue::Text(value.to_string())),
        _ => None,
    }
}
