//! Values for the `:names` of a condition, so that it holds of a record, or does not.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::condition::{Condition, ValueKind};

use crate::data::Chance;
use crate::demand;
use crate::oracle::condition::holds;
use crate::record::Record;

/// The values that make a condition hold of a record, or not hold, in addition to those that are given; none when there are none.
pub(crate) fn found(
    model: &Model,
    condition: &Condition,
    record: &Record,
    given: &Map<String, Value>,
    wanted: bool,
    chance: &mut Chance,
) -> Option<Map<String, Value>> {
    let mut open: Vec<(String, Vec<Value>)> = Vec::new();
    condition.visit(&mut |part| {
        for value in part.values() {
            if let (ValueKind::Parameter(name), Some(field)) = (&value.kind, part.field())
                && !given.contains_key(name)
                && !open.iter().any(|(known, _)| known == name)
            {
                let (value, kind) = record.named(model, &field.name).unzip();
                open.push((name.clone(), beside(value.flatten(), kind)));
            }
        }
    });
    let mut combinations = vec![given.clone()];
    for (name, values) in open {
        let mut more = Vec::new();
        for combination in &combinations {
            for value in &values {
                let mut combination = combination.clone();
                combination.insert(name.clone(), value.clone());
                more.push(combination);
            }
        }
        combinations = more;
    }
    let good: Vec<Map<String, Value>> = combinations
        .into_iter()
        .filter(|given| holds(model, condition, record, given) == wanted)
        .collect();
    (!good.is_empty()).then(|| chance.pick(&good).clone())
}

/// The value itself, and a little less and more.
fn beside(
    value: Option<&Value>,
    kind: Option<&tablewright_model::field_type::FieldType>,
) -> Vec<Value> {
    use tablewright_model::field_type::FieldType;
    match (value, kind) {
        (Some(Value::Number(number)), _) => {
            let number = number.as_i64().unwrap_or(0);
            let least = if number > 0 { 0 } else { number };
            let all = [
                number,
                number.saturating_sub(1),
                number.saturating_add(1),
                least,
            ];
            all.into_iter().map(Value::from).collect()
        }
        (Some(Value::Array(members)), _) => members
            .iter()
            .take(2)
            .cloned()
            .chain([Value::from("nobody")])
            .collect(),
        (
            Some(Value::String(text)),
            Some(FieldType::Timestamp(_) | FieldType::UnevenTimestamp | FieldType::Date),
        ) => {
            // The same form at the ends of the calendar.
            let early = format!("0001{}", &text[4..]);
            let late = format!("9999{}", &text[4..]);
            [text.clone(), early, late].map(Value::String).to_vec()
        }
        (Some(Value::String(text)), Some(FieldType::Enum(words) | FieldType::Ordered(words))) => {
            let other = words.iter().find(|word| *word != text);
            [Some(text), other]
                .into_iter()
                .flatten()
                .cloned()
                .map(Value::String)
                .collect()
        }
        (Some(value), Some(kind @ FieldType::Decimal)) => demand::beside(kind, value.clone()),
        (Some(Value::String(text)), Some(kind @ (FieldType::Uuid | FieldType::Ulid))) => {
            let last = if *kind == FieldType::Uuid { "f" } else { "Z" };
            let begin = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
            let ends = ["0", last].map(|end| format!("{begin}{end}"));
            let all = std::iter::once(text.clone()).chain(ends);
            all.map(Value::String).collect()
        }
        (Some(Value::String(text)), _) => vec![
            Value::String(text.clone()),
            Value::String(format!("{text}0")),
        ],
        (Some(Value::Bool(value)), _) => vec![Value::Bool(*value), Value::Bool(!value)],
        (Some(value), _) => vec![value.clone()],
        (None, Some(FieldType::Decimal)) => vec![Value::from("1")],
        (None, Some(kind)) if kind.is_number() => vec![Value::from(1)],
        (None, _) => vec![Value::from("x")],
    }
}
