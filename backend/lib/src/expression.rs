//! DynamoDB expressions: every name and every value by placeholder, so that no reserved word and no value can be in the way.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::condition::{Condition, Named, Value, ValueKind};
use tablewright_descriptor::field_type::FieldType;

use crate::error::{Error, Result};
use crate::fields::{Fields, in_form};
use crate::judge::holds;
use crate::values::Values;

/// The map that holds the fields of a wrapped item.
pub(crate) const DATA: &str = "data";

/// The placeholders of the expressions of one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placeholders {
    names: Vec<String>,
    values: Vec<AttributeValue>,
}

impl Placeholders {
    /// `#0` for an attribute.
    pub(crate) fn name(&mut self, attribute: &str) -> String {
        let known = self.names.iter().position(|name| name == attribute);
        let position = known.unwrap_or_else(|| {
            self.names.push(attribute.to_owned());
            self.names.len() - 1
        });
        format!("#{position}")
    }

    /// `:0` for a value.
    pub(crate) fn value(&mut self, value: AttributeValue) -> String {
        self.values.push(value);
        format!(":{}", self.values.len() - 1)
    }

    /// The path of a field of an entity.
    pub(crate) fn path(&mut self, entity: &Described, field: &str) -> String {
        let name = self.name(field);
        if entity.at_the_top(field) {
            name
        } else {
            format!("{}.{name}", self.name(DATA))
        }
    }

    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        let names = self.names.iter().enumerate();
        let names = names.map(|(position, name)| (format!("#{position}"), name.clone()));
        (!self.names.is_empty()).then(|| names.collect())
    }

    pub(crate) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        let values = self.values.iter().enumerate();
        let values = values.map(|(position, value)| (format!(":{position}"), value.clone()));
        (!self.values.is_empty()).then(|| values.collect())
    }

    /// The text of a condition of the model.
    pub(crate) fn condition(
        &mut self,
        entity: &Described,
        condition: &Condition,
        given: &Values,
    ) -> Result<String> {
        Ok(match condition {
            Condition::Compare {
                field,
                operator,
                value,
            } => {
                let path = self.path(entity, &field.name);
                let value = self.operand(entity, whole(entity, &field.name), value, given)?;
                let text = format!("{path} {} {value}", operator.as_dynamo());
                from_zero(entity, condition, given, &path, text)
            }
            Condition::In { field, values } => {
                let path = self.path(entity, &field.name);
                let values = values
                    .iter()
                    .map(|value| self.operand(entity, whole(entity, &field.name), value, given))
                    .collect::<Result<Vec<_>>>()?;
                let text = format!("{path} IN ({})", values.join(", "));
                from_zero(entity, condition, given, &path, text)
            }
            Condition::Contains { field, value } => {
                let path = self.path(entity, &field.name);
                let value = self.operand(entity, member(entity, &field.name), value, given)?;
                format!("contains({path}, {value})")
            }
            Condition::Exists { field, present } => {
                let path = self.path(entity, &field.name);
                let function = if *present {
                    "attribute_exists"
                } else {
                    "attribute_not_exists"
                };
                format!("{function}({path})")
            }
            Condition::And(all) => self.joined(entity, all, given, " AND ")?,
            Condition::Or(all) => self.joined(entity, all, given, " OR ")?,
            Condition::Not(one) => format!("NOT ({})", self.condition(entity, one, given)?),
        })
    }

    fn joined(
        &mut self,
        entity: &Described,
        all: &[Condition],
        given: &Values,
        word: &str,
    ) -> Result<String> {
        let parts = all
            .iter()
            .map(|one| Ok(format!("({})", self.condition(entity, one, given)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(parts.join(word))
    }

    fn operand(
        &mut self,
        entity: &Described,
        kind: Option<&FieldType>,
        value: &Value,
        given: &Values,
    ) -> Result<String> {
        match &value.kind {
            ValueKind::Field(other) => Ok(self.path(entity, other)),
            _ => {
                let value = constant(entity, kind, value, given)?;
                Ok(self.value(value))
            }
        }
    }

    /// The item is still there: it has no end, or its end has not come.
    pub(crate) fn alive(&mut self, entity: &Described, now_millis: i64) -> Option<String> {
        let ttl = entity.ttl.as_deref()?;
        let path = self.name(ttl);
        let now = self.value(AttributeValue::N(seconds(now_millis).to_string()));
        Some(format!("attribute_not_exists({path}) OR {path} > {now}"))
    }
}

/// The text of a comparison. A counter is stored from the first item it counts on: before that it is zero, as it is read.
fn from_zero(
    entity: &Described,
    comparison: &Condition,
    given: &Values,
    path: &str,
    text: String,
) -> String {
    let counts = |field: &Named| entity.counters.contains(&field.name);
    if !comparison.field().is_some_and(counts) {
        return text;
    }
    if holds(entity, comparison, &Fields::default(), given) {
        return format!("attribute_not_exists({path}) OR {text}");
    }
    // To DynamoDB what is not there differs from everything, from zero too.
    format!("attribute_exists({path}) AND {text}")
}

/// All conditions in one; none of none. DynamoDB refuses parentheses that are not needed.
pub(crate) fn all_of(conditions: &[String]) -> Option<String> {
    match conditions {
        [] => None,
        [only] => Some(only.clone()),
        all => {
            let all: Vec<String> = all.iter().map(|one| format!("({one})")).collect();
            Some(all.join(" AND "))
        }
    }
}

pub(crate) fn seconds(now_millis: i64) -> i64 {
    now_millis.div_euclid(1000)
}

/// The type of what a field is compared with.
pub(crate) fn whole<'e>(entity: &'e Described, field: &str) -> Option<&'e FieldType> {
    entity.field(field).map(|field| &field.declared.kind)
}

/// The type of what a field may contain.
pub(crate) fn member<'e>(entity: &'e Described, field: &str) -> Option<&'e FieldType> {
    match whole(entity, field) {
        Some(FieldType::List(of, _) | FieldType::Set(of, _)) => Some(of.as_ref()),
        kind => kind,
    }
}

/// A value of a condition in the form its field is stored in.
pub(crate) fn constant(
    entity: &Described,
    kind: Option<&FieldType>,
    value: &Value,
    given: &Values,
) -> Result<AttributeValue> {
    Ok(match (&value.kind, kind) {
        (ValueKind::Parameter(name), kind) => {
            let missing = || Error::invalid(&entity.name, name, "it is not given");
            let value = given.get(name).cloned().ok_or_else(missing)?;
            match kind {
                Some(kind) => in_form(entity, kind, value).ok_or_else(missing)?,
                None => value,
            }
        }
        (ValueKind::Word(word), Some(FieldType::Bool)) => AttributeValue::Bool(word == "true"),
        (ValueKind::Number(number), kind) if kind.is_none_or(FieldType::is_number) => {
            AttributeValue::N(number.clone())
        }
        (
            ValueKind::Word(text)
            | ValueKind::Quoted(text)
            | ValueKind::Number(text)
            | ValueKind::Field(text),
            _,
        ) => AttributeValue::S(text.clone()),
    })
}
