//! Values that may meet a comparison: those it names and those beside them, the ends of a type, its words.

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::condition::{Condition, ValueKind};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::FieldId;

use super::{Demand, Part};
use crate::data::fitted;
use crate::oracle::condition::{literal, member};
use crate::record::canonical;
use crate::valid::is_of;

impl Demand<'_> {
    /// What a field may be to meet a way, each once; nothing is among it where the field may be absent.
    pub(super) fn near(
        &self,
        way: &[Part<'_>],
        field: FieldId,
        invent: &mut dyn FnMut(FieldId) -> Value,
    ) -> Vec<Value> {
        let model = self.model;
        let declared = model.entity(self.id).field(field);
        let kind = declared.kind();
        let any = invent(field);
        let (mut values, mut contained) = (Vec::new(), Vec::new());
        // Where fields are compared with each other, what is said of one tells of the other.
        let mut compared = way.iter().flat_map(|part| part.said.values());
        let by_each_other = compared.any(|value| matches!(value.kind, ValueKind::Field(_)));
        for part in way {
            let about = part.said.field().map(|about| about.name.as_str());
            if about != Some(declared.name.as_str()) && !by_each_other {
                continue;
            }
            let named = part.said.values().iter();
            let named = named.filter_map(|value| literal(model, member(kind), value));
            match part.said {
                Condition::Contains { .. } if part.holds => contained.extend(named),
                _ => values.extend(named.flat_map(|named| beside(kind, named))),
            }
        }
        values.extend(holding(kind, &any, contained));
        values.extend(ends(kind));
        values.push(any);
        let mut near: Vec<Value> = Vec::new();
        for value in values {
            let value = canonical(model, kind, value);
            if may_be(model, kind, &value) && !near.contains(&value) {
                near.push(value);
            }
        }
        if declared.is_optional() {
            near.push(Value::Null);
        }
        near
    }
}

fn may_be(model: &Model, kind: &FieldType, value: &Value) -> bool {
    !value.is_null() && is_of(model, kind, value)
}

/// A value, and some less and greater.
pub(crate) fn beside(kind: &FieldType, value: Value) -> Vec<Value> {
    let mut all = vec![value.clone()];
    match (kind, &value) {
        (_, Value::Number(number)) => {
            let number = number.as_i64().unwrap_or(0);
            all.extend([number.saturating_add(1), number.saturating_sub(1)].map(Value::from));
        }
        (FieldType::Decimal, Value::String(text)) => {
            let whole = text.split('.').next().unwrap_or_default();
            let whole: i64 = whole.parse().unwrap_or(0);
            let beside = [whole.saturating_add(1), whole.saturating_sub(1)];
            all.extend(beside.map(|number| json!(number.to_string())));
        }
        (
            FieldType::Date | FieldType::Timestamp(_) | FieldType::UnevenTimestamp,
            Value::String(text),
        ) => {
            // The middle of the years beside it.
            let year = text.get(..4).and_then(|year| year.parse::<i64>().ok());
            let time = text.get(10..).unwrap_or_default();
            let years = year.map(|year| [year + 1, year - 1]).into_iter().flatten();
            let years = years.filter(|year| (1..=9999).contains(year));
            all.extend(years.map(|year| json!(format!("{year:04}-06-15{time}"))));
        }
        (FieldType::String(length), Value::String(text)) => {
            let (least, most) = (length.min as usize, length.max.unwrap_or(u32::MAX) as usize);
            let mut shorter = text.clone();
            shorter.pop();
            for other in [format!("{text}0"), shorter, "0".to_owned(), "~".to_owned()] {
                all.push(json!(fitted(&other, least, most)));
            }
        }
        (_, Value::String(text)) => {
            let mut shorter = text.clone();
            shorter.pop();
            all.extend([format!("{text}0"), shorter].map(Value::String));
        }
        _ => {}
    }
    all
}

/// Something that holds all of some values: a list or set of them, and another with them; a text of them.
pub(super) fn holding(kind: &FieldType, any: &Value, parts: Vec<Value>) -> Vec<Value> {
    match kind {
        _ if parts.is_empty() => Vec::new(),
        FieldType::List(_, length) | FieldType::Set(_, length) => {
            let most = length.max.unwrap_or(u32::MAX) as usize;
            let mut others = any.as_array().cloned().unwrap_or_default();
            others.truncate(most.saturating_sub(parts.len()));
            others.extend(parts.clone());
            vec![Value::Array(parts), Value::Array(others)]
        }
        FieldType::String(length) => {
            let (least, most) = (length.min as usize, length.max.unwrap_or(u32::MAX) as usize);
            let texts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            vec![json!(fitted(&texts.join(" "), least, most))]
        }
        _ => Vec::new(),
    }
}

/// The words of a type, or its ends.
fn ends(kind: &FieldType) -> Vec<Value> {
    if let Some(words) = kind.words() {
        return words.iter().cloned().map(Value::String).collect();
    }
    match kind {
        FieldType::Bool => vec![json!(false), json!(true)],
        FieldType::Int { min, max } => min.iter().chain(max).map(|end| json!(end)).collect(),
        _ => Vec::new(),
    }
}
