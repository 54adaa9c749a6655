//! Fields as JSON, in the form generated types have in JSON, and back.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Number, Value};
use tablewright_descriptor::Entity as Described;

use super::{Fields, with_texts};
use crate::error::Result;

impl Fields {
    /// The fields of an entity from their JSON, in the forms it stores them in. They are held against their types when they are written.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) when a value cannot be stored.
    pub fn from_json(entity: &Described, data: &Map<String, Value>) -> Result<Fields> {
        Fields::of(entity, data)
    }

    /// The fields and counts of an entity as JSON; what is not there is left out. A decimal is a text, a set a list in the order of
    /// its members, bytes are a list of numbers.
    pub fn to_json(&self, entity: &Described) -> Map<String, Value> {
        let mut data = Map::new();
        for field in &entity.fields {
            if let Some(value) = self.0.get(&field.name) {
                let value = with_texts(entity, &field.declared.kind, value.clone());
                data.insert(field.name.clone(), json_of(value));
            }
        }
        for counter in &entity.counters {
            if let Some(value) = self.0.get(counter) {
                data.insert(counter.clone(), json_of(value.clone()));
            }
        }
        data
    }
}

fn json_of(value: AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => Value::String(text),
        AttributeValue::N(number) => number_of(&number),
        AttributeValue::Bool(value) => Value::Bool(value),
        AttributeValue::B(bytes) => {
            let bytes = bytes.into_inner().into_iter();
            Value::Array(bytes.map(Value::from).collect())
        }
        AttributeValue::L(values) => Value::Array(values.into_iter().map(json_of).collect()),
        AttributeValue::M(values) => Value::Object(
            values
                .into_iter()
                .map(|(name, value)| (name, json_of(value)))
                .collect(),
        ),
        AttributeValue::Ss(mut texts) => {
            texts.sort_unstable();
            Value::Array(texts.into_iter().map(Value::String).collect())
        }
        AttributeValue::Ns(numbers) => {
            let mut numbers: Vec<Value> = numbers.iter().map(|text| number_of(text)).collect();
            numbers.sort_by(|a, b| {
                let (a, b) = (a.as_f64(), b.as_f64());
                a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
            });
            Value::Array(numbers)
        }
        // No field has sets of bytes.
        _ => Value::Null,
    }
}

/// A number as it is; one that JSON cannot hold exactly as a text.
fn number_of(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return Value::from(whole);
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Bytes that came as a list of numbers, as JSON has them.
pub(super) fn bytes_of(values: &[AttributeValue]) -> Option<Vec<u8>> {
    let byte = |value: &AttributeValue| value.as_n().ok()?.parse().ok();
    values.iter().map(byte).collect()
}
