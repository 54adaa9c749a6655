//! Conditions, judged from what they say.

use std::cmp::Ordering;

use serde_json::{Map, Value};
use tablewright_model::condition::{self, Condition, Operator, ValueKind};
use tablewright_model::field_type::FieldType;

use super::compare::{order, same};
use crate::record::{Record, canonical};
use tablewright_model::Model;

/// Whether a condition holds of a record, with the values the caller gives.
pub(crate) fn holds(
    model: &Model,
    condition: &Condition,
    record: &Record,
    given: &Map<String, Value>,
) -> bool {
    let judge = Judge {
        model,
        record,
        given,
    };
    judge.holds(condition)
}

struct Judge<'j> {
    model: &'j Model,
    record: &'j Record,
    given: &'j Map<String, Value>,
}

impl Judge<'_> {
    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::And(all) => all.iter().all(|one| self.holds(one)),
            Condition::Or(all) => all.iter().any(|one| self.holds(one)),
            Condition::Not(one) => !self.holds(one),
            Condition::Exists { field, present } => self.stored(&field.name).is_some() == *present,
            Condition::Compare {
                field,
                operator,
                value,
            } => {
                let Some(kind) = self.kind(&field.name) else {
                    return false;
                };
                self.compares(
                    kind,
                    self.stored(&field.name),
                    *operator,
                    self.operand(kind, value).as_ref(),
                )
            }
            Condition::In { field, values } => {
                let Some(kind) = self.kind(&field.name) else {
                    return false;
                };
                let mine = self.stored(&field.name);
                let equals = |value| {
                    self.compares(
                        kind,
                        mine,
                        Operator::Equal,
                        self.operand(kind, value).as_ref(),
                    )
                };
                values.iter().any(equals)
            }
            Condition::Contains { field, value } => self.contains(&field.name, value),
        }
    }

    fn kind(&self, field: &str) -> Option<&FieldType> {
        self.record.named(self.model, field).map(|(_, kind)| kind)
    }

    fn stored(&self, field: &str) -> Option<&Value> {
        self.record.named(self.model, field)?.0
    }

    /// A value of the condition, as one of the field's type.
    fn operand(&self, kind: &FieldType, value: &condition::Value) -> Option<Value> {
        match &value.kind {
            ValueKind::Field(other) => self.stored(other).cloned(),
            ValueKind::Parameter(name) => self
                .given
                .get(name)
                .map(|value| canonical(self.model, kind, value.clone())),
            _ => literal(self.model, kind, value),
        }
    }

    /// What is not there differs from everything, and is neither less nor more.
    fn compares(
        &self,
        kind: &FieldType,
        mine: Option<&Value>,
        operator: Operator,
        theirs: Option<&Value>,
    ) -> bool {
        let (Some(mine), Some(theirs)) = (mine, theirs) else {
            return operator == Operator::NotEqual && (mine.is_some() || theirs.is_some());
        };
        let order = order(kind, mine, theirs);
        match operator {
            Operator::Equal => same(kind, mine, theirs),
            Operator::NotEqual => !same(kind, mine, theirs),
            Operator::Less => order.is_some_and(Ordering::is_lt),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::Greater => order.is_some_and(Ordering::is_gt),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
    }

    fn contains(&self, field: &str, value: &condition::Value) -> bool {
        let (Some(kind), Some(mine)) = (self.kind(field), self.stored(field)) else {
            return false;
        };
        self.operand(member(kind), value)
            .is_some_and(|value| has(kind, mine, &value))
    }
}

/// A value that a condition names, as one of a type; none of what comes from elsewhere.
pub(crate) fn literal(model: &Model, kind: &FieldType, value: &condition::Value) -> Option<Value> {
    let (ValueKind::Word(text) | ValueKind::Quoted(text) | ValueKind::Number(text)) = &value.kind
    else {
        return None;
    };
    Some(match kind {
        FieldType::Bool => Value::Bool(text == "true"),
        FieldType::Decimal => canonical(model, kind, Value::String(text.clone())),
        number if number.is_number() => text.parse::<i64>().map_or(Value::Null, Value::from),
        _ => Value::String(text.clone()),
    })
}

/// The type of what a list, a set or a text may contain.
pub(crate) fn member(kind: &FieldType) -> &FieldType {
    match kind {
        FieldType::List(of, _) | FieldType::Set(of, _) => of,
        kind => kind,
    }
}

/// Whether a list or a set has a member, or a text a part.
pub(crate) fn has(kind: &FieldType, whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Array(members), part) => members.iter().any(|one| same(member(kind), one, part)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        _ => false,
    }
}
