//! Whether a condition of the model holds of a sample.

use std::cmp::Ordering;

use tablewright_descriptor::condition::{Condition, Operator, Value, ValueKind};

use crate::workbench::attribute::Attribute;
use crate::workbench::items::Values;

/// Whether it holds. What the caller would have to give is never equal to anything.
pub(in crate::workbench) fn holds(condition: &Condition, values: &Values) -> bool {
    match condition {
        Condition::And(all) => all.iter().all(|one| holds(one, values)),
        Condition::Or(any) => any.iter().any(|one| holds(one, values)),
        Condition::Not(one) => !holds(one, values),
        Condition::Exists { field, present } => values.contains_key(&field.name) == *present,
        Condition::In {
            field,
            values: among,
        } => {
            let mut among = among.iter();
            among.any(|value| compare(values, &field.name, value) == Some(Ordering::Equal))
        }
        Condition::Compare {
            field,
            operator,
            value,
        } => {
            let order = compare(values, &field.name, value);
            order.is_some_and(|order| match operator {
                Operator::Equal => order.is_eq(),
                Operator::NotEqual => order.is_ne(),
                Operator::Less => order.is_lt(),
                Operator::LessOrEqual => order.is_le(),
                Operator::Greater => order.is_gt(),
                Operator::GreaterOrEqual => order.is_ge(),
            })
        }
        Condition::Contains { field, value } => {
            let Some(wanted) = text(value, values) else {
                return false;
            };
            match values.get(&field.name) {
                Some(Attribute::Text(text)) => text.contains(&wanted),
                Some(Attribute::Texts(texts) | Attribute::Numbers(texts)) => {
                    texts.contains(&wanted)
                }
                Some(Attribute::List(entries)) => entries
                    .iter()
                    .any(|entry| plain(entry).as_deref() == Some(&wanted)),
                _ => false,
            }
        }
    }
}

fn compare(values: &Values, field: &str, value: &Value) -> Option<Ordering> {
    let ours = values.get(field)?;
    let theirs = text(value, values)?;
    if let Attribute::Number(ours) = ours {
        let (ours, theirs): (f64, f64) = (ours.parse().ok()?, theirs.parse().ok()?);
        return ours.partial_cmp(&theirs);
    }
    plain(ours).map(|ours| ours.cmp(&theirs))
}

fn text(value: &Value, values: &Values) -> Option<String> {
    match &value.kind {
        ValueKind::Word(text) | ValueKind::Quoted(text) | ValueKind::Number(text) => {
            Some(text.clone())
        }
        ValueKind::Field(name) => values.get(name).and_then(plain),
        ValueKind::Parameter(_) => None,
    }
}

fn plain(value: &Attribute) -> Option<String> {
    match value {
        Attribute::Text(text) | Attribute::Number(text) => Some(text.clone()),
        Attribute::Flag(flag) => Some(flag.to_string()),
        _ => None,
    }
}
