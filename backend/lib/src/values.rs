//! Values on their way into a request.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde_dynamo::aws_sdk_dynamodb_1 as dynamo;
use tablewright_keys::KeyValue;

use crate::error::{Error, Result};

/// Values by name. One that cannot be stored is remembered, and the call that uses them returns the error.
#[derive(Debug, Clone, Default)]
pub struct Values {
    values: BTreeMap<String, AttributeValue>,
    fault: Option<(String, String)>,
}

impl Values {
    /// None yet.
    pub const fn new() -> Self {
        Values {
            values: BTreeMap::new(),
            fault: None,
        }
    }

    /// With one more. A value that is nothing, as `None`, is left out.
    #[must_use]
    pub fn with(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match to_attribute(value) {
            Ok(Some(value)) => {
                self.values.insert(name.to_owned(), value);
            }
            Ok(None) => {}
            Err(why) => self.fault = Some((name.to_owned(), why)),
        }
        self
    }

    pub(crate) fn with_attribute(mut self, name: &str, value: AttributeValue) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.values.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AttributeValue)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    pub(crate) fn checked(self, of: &str) -> Result<Self> {
        match &self.fault {
            Some((name, why)) => Err(Error::invalid(of, name, why)),
            None => Ok(self),
        }
    }
}

/// A value as DynamoDB stores it; none for nothing.
pub(crate) fn to_attribute(
    value: &(impl Serialize + ?Sized),
) -> Result<Option<AttributeValue>, String> {
    let value = dynamo::to_attribute_value(value).map_err(|error| error.to_string())?;
    Ok(Some(value).filter(|value| !matches!(value, AttributeValue::Null(_))))
}

/// A stored value as a part of a key.
pub(crate) fn key_value(value: &AttributeValue) -> Option<KeyValue> {
    match value {
        AttributeValue::S(text) => Some(KeyValue::Text(text.clone())),
        AttributeValue::N(number) => Some(match number.parse() {
            Ok(integer) => KeyValue::Integer(integer),
            Err(_) => KeyValue::Text(number.clone()),
        }),
        AttributeValue::Bool(value) => Some(KeyValue::Text(value.to_string())),
        _ => None,
    }
}

/// What a patch does with one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It becomes this.
    Set(T),
}

impl<T> From<T> for Change<T> {
    fn from(value: T) -> Self {
        Change::Set(value)
    }
}

impl<T: Clone> Change<T> {
    /// Puts the new value, if there is one, in the place of the old.
    pub fn apply_to(&self, field: &mut T) {
        if let Change::Set(value) = self {
            field.clone_from(value);
        }
    }
}

/// The changes of a patch, ready for a request.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub(crate) edits: Vec<(String, Edit)>,
    fault: Option<(String, String)>,
}

/// What is done to one field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    Set(AttributeValue),
    Remove,
    Add(i64),
}

impl Changes {
    /// None yet.
    pub fn new() -> Self {
        Changes::default()
    }

    /// With the change of a field; what is set to nothing is removed.
    #[must_use]
    pub fn set<T: Serialize>(mut self, field: &str, change: &Change<T>) -> Self {
        if let Change::Set(value) = change {
            match to_attribute(value) {
                Ok(Some(value)) => self.edits.push((field.to_owned(), Edit::Set(value))),
                Ok(None) => self.edits.push((field.to_owned(), Edit::Remove)),
                Err(why) => self.fault = Some((field.to_owned(), why)),
            }
        }
        self
    }

    /// With a number that is raised by so much, or lowered. Zero changes nothing.
    #[must_use]
    pub fn add(mut self, field: &str, by: i64) -> Self {
        if by != 0 {
            self.edits.push((field.to_owned(), Edit::Add(by)));
        }
        self
    }

    pub(crate) fn checked(self, of: &str) -> Result<Self> {
        match &self.fault {
            Some((name, why)) => Err(Error::invalid(of, name, why)),
            None => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablewright_keys::{Encodings, Shape, encode_piece};

    /// A number is stored without its type: a whole decimal looks like an integer, and is a part of a key all the same.
    #[test]
    fn a_whole_decimal_can_be_a_part_of_a_key() {
        for (stored, in_key) in [("10", "10"), ("-3", "-3"), ("9.50", "9.5")] {
            let value = key_value(&AttributeValue::N(stored.to_owned())).unwrap();
            let text = encode_piece(&Shape::Decimal, &Encodings::default(), false, &value);
            assert_eq!(text.as_deref(), Ok(in_key));
        }
    }
}
