//! What a caller may ask of a field in addition to what the pattern asks.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::condition::{Condition, Named, Operator, Value, ValueKind};
use tablewright_descriptor::field_type::FieldType;

use crate::entity::Row;
use crate::error::{Error, Result};
use crate::expression::whole;
use crate::query::Query;
use crate::values::{Values, to_attribute};

/// Which items are wanted, by one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Only<T> {
    /// All, whatever the field says.
    #[default]
    Any,
    /// Those with this value; of a list or set, those that have it in them.
    Is(T),
    /// Those with one of these values. None have one of none.
    OneOf(Vec<T>),
    /// Those with this value or a greater one.
    From(T),
    /// Those with this value or a smaller one.
    Until(T),
    /// Those from the first value to the second, both included.
    Between(T, T),
    /// Those that have the field.
    Present,
    /// Those that do not.
    Absent,
}

impl<T> From<T> for Only<T> {
    fn from(value: T) -> Self {
        Only::Is(value)
    }
}

impl<T> From<Option<T>> for Only<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Only::Any, Only::Is)
    }
}

/// What several fields are asked for in addition. Generated from the model, for each entity with patterns that can be refined.
pub trait Refine {
    /// Adds it to a query.
    fn refine<R: Row>(&self, query: Query<R>) -> Query<R>;
}

/// The same with values as they are stored, or why one cannot be.
pub(crate) type Wanted = Result<Only<AttributeValue>, String>;

impl<T: Serialize> Only<T> {
    pub(crate) fn wanted(&self) -> Wanted {
        let stored = |value: &T| {
            let stored = to_attribute(value)?;
            stored.ok_or_else(|| String::from("it is nothing"))
        };
        Ok(match self {
            Only::Any => Only::Any,
            Only::Is(value) => Only::Is(stored(value)?),
            Only::OneOf(values) => {
                Only::OneOf(values.iter().map(stored).collect::<Result<_, _>>()?)
            }
            Only::From(value) => Only::From(stored(value)?),
            Only::Until(value) => Only::Until(stored(value)?),
            Only::Between(low, high) => Only::Between(stored(low)?, stored(high)?),
            Only::Present => Only::Present,
            Only::Absent => Only::Absent,
        })
    }
}

/// Refinements in the words of the condition language, with their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refinements {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) values: Values,
    /// One of them lets nothing through.
    pub(crate) nothing: bool,
}

impl Refinements {
    /// With one more.
    pub(crate) fn add(
        &mut self,
        entity: &Described,
        field: &str,
        only: &Only<AttributeValue>,
    ) -> Result<()> {
        let kind = whole(entity, field)
            .ok_or_else(|| Error::invalid(&entity.name, field, "there is no such field"))?;
        let ranked = match kind {
            FieldType::Ordered(words) => by_rank(words, only),
            _ => None,
        };
        let only = ranked.as_ref().unwrap_or(only);
        let several = matches!(kind, FieldType::List(..) | FieldType::Set(..));
        let is_range = matches!(only, Only::From(_) | Only::Until(_) | Only::Between(..));
        if several && is_range {
            let why = "a list or set has no order to be bounded by";
            return Err(Error::invalid(&entity.name, field, why));
        }
        match only {
            Only::Any => {}
            Only::Is(value) => self.equals(field, value, several),
            Only::OneOf(values) => self.one_of(field, values, several),
            Only::From(low) => self.compare(field, Operator::GreaterOrEqual, low),
            Only::Until(high) => self.compare(field, Operator::LessOrEqual, high),
            Only::Between(low, high) => {
                self.compare(field, Operator::GreaterOrEqual, low);
                self.compare(field, Operator::LessOrEqual, high);
            }
            Only::Present | Only::Absent => self.conditions.push(Condition::Exists {
                field: named(field),
                present: *only == Only::Present,
            }),
        }
        Ok(())
    }

    fn equals(&mut self, field: &str, value: &AttributeValue, several: bool) {
        if several {
            let value = self.parameter(field, value);
            let field = named(field);
            self.conditions.push(Condition::Contains { field, value });
        } else {
            self.compare(field, Operator::Equal, value);
        }
    }

    fn one_of(&mut self, field: &str, values: &[AttributeValue], several: bool) {
        if values.is_empty() {
            self.nothing = true;
            return;
        }
        let values: Vec<Value> = values
            .iter()
            .map(|value| self.parameter(field, value))
            .collect();
        let field = named(field);
        self.conditions.push(if several {
            let contains = values.into_iter().map(|value| Condition::Contains {
                field: field.clone(),
                value,
            });
            Condition::Or(contains.collect())
        } else {
            Condition::In { field, values }
        });
    }

    fn compare(&mut self, field: &str, operator: Operator, value: &AttributeValue) {
        let value = self.parameter(field, value);
        self.conditions.push(Condition::Compare {
            field: named(field),
            operator,
            value,
        });
    }

    /// A value under a name no model can give.
    fn parameter(&mut self, field: &str, value: &AttributeValue) -> Value {
        let name = format!("only {field} {}", self.values.iter().count());
        self.values = std::mem::take(&mut self.values).with_attribute(&name, value.clone());
        Value {
            kind: ValueKind::Parameter(name),
            span: 0..0,
        }
    }
}

fn named(field: &str) -> Named {
    Named {
        name: field.to_owned(),
        span: 0..0,
    }
}

/// A range of ranks as the words in it, since DynamoDB would compare their spelling. None when it is no range.
fn by_rank(words: &[String], only: &Only<AttributeValue>) -> Option<Only<AttributeValue>> {
    let rank = |value: &AttributeValue| {
        let word = value.as_s().ok()?;
        words.iter().position(|known| known == word)
    };
    let (low, high) = match only {
        Only::From(low) => (rank(low), Some(words.len())),
        Only::Until(high) => (Some(0), rank(high).map(|rank| rank + 1)),
        Only::Between(low, high) => (rank(low), rank(high).map(|rank| rank + 1)),
        _ => return None,
    };
    // A word the field does not have bounds nothing, and nothing is within.
    let within = low.zip(high).and_then(|(low, high)| words.get(low..high));
    let within = within.unwrap_or_default().iter();
    Some(Only::OneOf(
        within.map(|word| AttributeValue::S(word.clone())).collect(),
    ))
}
