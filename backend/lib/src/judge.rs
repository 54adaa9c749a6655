//! Conditions judged by the library, as DynamoDB would judge them.

use std::cmp::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;
use tablewright_descriptor::condition::{Condition, Operator, Value, ValueKind};
use tablewright_descriptor::field_type::FieldType;

use crate::expression::{constant, member, whole};
use crate::fields::Fields;
use crate::types::Decimal;
use crate::values::Values;

/// Whether a condition holds of these fields, as DynamoDB would judge it.
pub(crate) fn holds(
    entity: &Described,
    condition: &Condition,
    fields: &Fields,
    given: &Values,
) -> bool {
    let operand = |kind: Option<&FieldType>, value: &Value| match &value.kind {
        ValueKind::Field(other) => value_of(entity, fields, other),
        _ => constant(entity, kind, value, given).ok(),
    };
    match condition {
        Condition::Compare {
            field,
            operator,
            value,
        } => {
            let mine = value_of(entity, fields, &field.name);
            let theirs = operand(whole(entity, &field.name), value);
            compare(mine.as_ref(), *operator, theirs.as_ref())
        }
        Condition::In { field, values } => {
            let mine = value_of(entity, fields, &field.name);
            values.iter().any(|value| {
                let theirs = operand(whole(entity, &field.name), value);
                compare(mine.as_ref(), Operator::Equal, theirs.as_ref())
            })
        }
        Condition::Contains { field, value } => contains(
            fields.0.get(&field.name),
            operand(member(entity, &field.name), value).as_ref(),
        ),
        Condition::Exists { field, present } => fields.0.contains_key(&field.name) == *present,
        Condition::And(all) => all.iter().all(|one| holds(entity, one, fields, given)),
        Condition::Or(all) => all.iter().any(|one| holds(entity, one, fields, given)),
        Condition::Not(one) => !holds(entity, one, fields, given),
    }
}

/// What a field or a counter is. A counter that has counted nothing yet is not stored, and is zero.
fn value_of(entity: &Described, fields: &Fields, name: &String) -> Option<AttributeValue> {
    let stored = fields.0.get(name).cloned();
    let zero = || AttributeValue::N("0".to_owned());
    stored.or_else(|| entity.counters.contains(name).then(zero))
}

fn compare(
    mine: Option<&AttributeValue>,
    operator: Operator,
    theirs: Option<&AttributeValue>,
) -> bool {
    let (Some(mine), Some(theirs)) = (mine, theirs) else {
        // What is not there differs from everything.
        return operator == Operator::NotEqual && (mine.is_some() || theirs.is_some());
    };
    let order = order_of(mine, theirs);
    match operator {
        Operator::Equal => equal(mine, theirs),
        Operator::NotEqual => !equal(mine, theirs),
        Operator::Less => order.is_some_and(Ordering::is_lt),
        Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Operator::Greater => order.is_some_and(Ordering::is_gt),
        Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    }
}

fn equal(a: &AttributeValue, b: &AttributeValue) -> bool {
    match (a, b) {
        (AttributeValue::Ss(a), AttributeValue::Ss(b))
        | (AttributeValue::Ns(a), AttributeValue::Ns(b)) => same_members(a, b),
        (a, b) => a == b || order_of(a, b).is_some_and(Ordering::is_eq),
    }
}

/// A set has no order.
pub(crate) fn same_members(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().all(|member| b.contains(member))
}

/// How two values of one type sort: numbers by size, texts and bytes by their bytes.
pub(crate) fn order_of(a: &AttributeValue, b: &AttributeValue) -> Option<Ordering> {
    match (a, b) {
        (AttributeValue::S(a), AttributeValue::S(b)) => Some(a.cmp(b)),
        (AttributeValue::N(a), AttributeValue::N(b)) => {
            match (a.parse::<i64>(), b.parse::<i64>()) {
                (Ok(a), Ok(b)) => Some(a.cmp(&b)),
                _ => order_of_decimals(a, b),
            }
        }
        (AttributeValue::B(a), AttributeValue::B(b)) => Some(a.as_ref().cmp(b.as_ref())),
        _ => None,
    }
}

/// To the last digit; numbers that are no decimals of ours, as those with an exponent, as near as a float comes.
fn order_of_decimals(a: &str, b: &str) -> Option<Ordering> {
    match (a.parse::<Decimal>(), b.parse::<Decimal>()) {
        (Ok(a), Ok(b)) => Some(a.cmp(&b)),
        _ => a.parse::<f64>().ok()?.partial_cmp(&b.parse().ok()?),
    }
}

fn contains(mine: Option<&AttributeValue>, theirs: Option<&AttributeValue>) -> bool {
    match (mine, theirs) {
        (Some(AttributeValue::S(text)), Some(AttributeValue::S(part))) => text.contains(part),
        (Some(AttributeValue::Ss(all)), Some(AttributeValue::S(one)))
        | (Some(AttributeValue::Ns(all)), Some(AttributeValue::N(one))) => all.contains(one),
        (Some(AttributeValue::L(all)), Some(one)) => all.iter().any(|value| equal(value, one)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_to_the_last_digit() {
        let number = |text: &str| AttributeValue::N(text.to_owned());
        let (less, more) = (
            number("12345678901234567890.123456789012345677"),
            number("12345678901234567890.123456789012345678"),
        );
        assert_eq!(order_of(&less, &more), Some(Ordering::Less));
        assert!(!equal(&less, &more));
        assert!(equal(&number("1.50"), &number("1.5")));
        assert!(equal(&number("1E2"), &number("100")));
    }

    #[test]
    fn sets_are_equal_in_any_order() {
        let set = |members: [&str; 2]| {
            AttributeValue::Ss(members.map(str::to_owned).into_iter().collect())
        };
        assert!(equal(&set(["a", "b"]), &set(["b", "a"])));
        assert!(!equal(&set(["a", "b"]), &set(["a", "c"])));
    }
}
