//! Stored values as columns.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Int64Array, ListArray, MapArray, StringArray,
    StructArray, TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::ArrowError;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Number, Value};
use tablewright::descriptor::field_type::FieldType;
use tablewright_keys::Precision;

use crate::fits;
use crate::model::LakeEntity;

type Values<'v> = [Option<&'v AttributeValue>];

impl LakeEntity {
    /// Values of one type as a column. What does not fit is null; see [`LakeEntity::fits`].
    pub(crate) fn array(
        &self,
        kind: &FieldType,
        values: &Values<'_>,
    ) -> Result<ArrayRef, ArrowError> {
        let each = values.iter();
        Ok(match kind {
            FieldType::Bool => {
                let truth =
                    |value: &Option<&AttributeValue>| value.as_ref()?.as_bool().ok().copied();
                Arc::new(each.map(truth).collect::<BooleanArray>())
            }
            FieldType::Int { .. } => {
                let numbers = each.map(|value| value.and_then(fits::int));
                Arc::new(numbers.collect::<Int64Array>())
            }
            FieldType::Date => {
                let days = each.map(|value| value.and_then(fits::days));
                Arc::new(days.collect::<Date32Array>())
            }
            FieldType::EpochSeconds
            | FieldType::EpochMillis
            | FieldType::Timestamp(Precision::Seconds | Precision::Millis) => {
                let millis = each.map(|value| value.and_then(|value| fits::millis(kind, value)));
                let millis: TimestampMillisecondArray = millis.collect();
                Arc::new(millis.with_timezone("UTC"))
            }
            FieldType::Timestamp(Precision::Micros) | FieldType::UnevenTimestamp => {
                let micros = each.map(|value| value.and_then(fits::micros));
                let micros: TimestampMicrosecondArray = micros.collect();
                Arc::new(micros.with_timezone("UTC"))
            }
            FieldType::Binary(_) => {
                let bytes = each.map(|value| Some(value.as_ref()?.as_b().ok()?.as_ref()));
                Arc::new(bytes.collect::<BinaryArray>())
            }
            FieldType::Decimal => Arc::new(each.map(number).collect::<StringArray>()),
            FieldType::Json(_) => {
                let texts = each.map(|value| value.map(|value| plain(value).to_string()));
                Arc::new(texts.collect::<StringArray>())
            }
            FieldType::List(of, _) => Arc::new(self.lists(of, values)?),
            FieldType::Set(of, _) => self.sets(of, values)?,
            FieldType::Map(of, _) => Arc::new(self.maps(of, values)?),
            FieldType::Struct(name) => Arc::new(self.structs(name, values)?),
            FieldType::String(_)
            | FieldType::Id
            | FieldType::Uuid
            | FieldType::Ulid
            | FieldType::Email
            | FieldType::Enum(_)
            | FieldType::Ordered(_) => Arc::new(each.map(text).collect::<StringArray>()),
        })
    }

    fn lists(&self, of: &FieldType, values: &Values<'_>) -> Result<ListArray, ArrowError> {
        let list = |value: &Option<&AttributeValue>| match value {
            Some(AttributeValue::L(values)) => values.len(),
            _ => 0,
        };
        let offsets = OffsetBuffer::from_lengths(values.iter().map(list));
        let elements = values
            .iter()
            .flatten()
            .filter_map(|value| value.as_l().ok());
        let elements: Vec<Option<&AttributeValue>> = elements.flatten().map(Some).collect();
        let elements = self.array(of, &elements)?;
        let nulls = nulls(values, AttributeValue::is_l);
        ListArray::try_new(Arc::new(self.element(of)), offsets, elements, nulls)
    }

    /// Sets are lists, in the order of their members.
    fn sets(&self, of: &FieldType, values: &Values<'_>) -> Result<ArrayRef, ArrowError> {
        let lists: Vec<Option<AttributeValue>> =
            values.iter().map(|value| value.and_then(as_list)).collect();
        let lists: Vec<Option<&AttributeValue>> = lists.iter().map(Option::as_ref).collect();
        Ok(Arc::new(self.lists(of, &lists)?))
    }

    fn maps(&self, of: &FieldType, values: &Values<'_>) -> Result<MapArray, ArrowError> {
        let (mut lengths, mut keys, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for value in values {
            let map = value.and_then(|value| value.as_m().ok());
            let mut entries: Vec<(&String, &AttributeValue)> = map.into_iter().flatten().collect();
            entries.sort_by_key(|(key, _)| *key);
            lengths.push(entries.len());
            for (key, value) in entries {
                keys.push(key.as_str());
                members.push(Some(value));
            }
        }
        let keys: ArrayRef = Arc::new(StringArray::from_iter_values(keys));
        let members = self.array(of, &members)?;
        let entries = StructArray::try_new(self.entry(of), vec![keys, members], None)?;
        let field = Arc::new(self.entries(of));
        let offsets = OffsetBuffer::from_lengths(lengths);
        let nulls = nulls(values, AttributeValue::is_m);
        MapArray::try_new(field, offsets, entries, nulls, false)
    }

    fn structs(&self, name: &str, values: &Values<'_>) -> Result<StructArray, ArrowError> {
        let mut columns = Vec::new();
        let fields = self.structure(name).into_iter();
        for field in fields.flat_map(|structure| &structure.fields) {
            let members: Vec<Option<&AttributeValue>> = values
                .iter()
                .map(|value| value.as_ref()?.as_m().ok()?.get(&field.name))
                .collect();
            columns.push(self.array(&field.declared.kind, &members)?);
        }
        let nulls = nulls(values, AttributeValue::is_m);
        StructArray::try_new_with_length(self.members(name), columns, nulls, values.len())
    }
}

fn nulls(values: &Values<'_>, is: fn(&AttributeValue) -> bool) -> Option<NullBuffer> {
    let there = values.iter().map(|value| value.is_some_and(is));
    Some(NullBuffer::from(there.collect::<Vec<bool>>()))
}

fn text<'v>(value: &Option<&'v AttributeValue>) -> Option<&'v str> {
    value.as_ref()?.as_s().ok().map(String::as_str)
}

fn number<'v>(value: &Option<&'v AttributeValue>) -> Option<&'v str> {
    value.as_ref()?.as_n().ok().map(String::as_str)
}

fn as_list(value: &AttributeValue) -> Option<AttributeValue> {
    let members = match value {
        AttributeValue::Ss(texts) => {
            let mut texts = texts.clone();
            texts.sort_unstable();
            texts.into_iter().map(AttributeValue::S).collect()
        }
        AttributeValue::Ns(numbers) => {
            let mut numbers = numbers.clone();
            let size = |number: &String| number.parse::<f64>().unwrap_or(f64::NAN);
            numbers.sort_by(|a, b| size(a).total_cmp(&size(b)));
            numbers.into_iter().map(AttributeValue::N).collect()
        }
        _ => return None,
    };
    Some(AttributeValue::L(members))
}

/// A value as plain JSON. A number that JSON readers would round is a text.
fn plain(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => Value::from(text.as_str()),
        AttributeValue::N(number) => match number.parse::<i64>() {
            Ok(whole) => Value::from(whole),
            Err(_) => unrounded(number).map_or_else(|| Value::from(number.as_str()), Value::Number),
        },
        AttributeValue::Bool(truth) => Value::Bool(*truth),
        AttributeValue::B(bytes) => Value::from(STANDARD.encode(bytes)),
        AttributeValue::L(values) => values.iter().map(plain).collect(),
        AttributeValue::M(values) => {
            let each = values
                .iter()
                .map(|(name, value)| (name.clone(), plain(value)));
            Value::Object(each.collect())
        }
        set => as_list(set).map_or(Value::Null, |list| plain(&list)),
    }
}

/// A number that is the same as a floating-point number; none when it would be rounded.
fn unrounded(number: &str) -> Option<Number> {
    let float: f64 = number.parse().ok()?;
    let same = digits(&float.to_string()) == digits(number);
    Number::from_f64(float).filter(|_| same)
}

/// A number as its sign, its digits without zeros around them, and the power of ten of the last one.
fn digits(number: &str) -> Option<(bool, String, i64)> {
    let (is_negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (number, power) = match number.split_once(['e', 'E']) {
        Some((number, power)) => (number, power.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{part}");
    let kept = all.trim_end_matches('0');
    let zeros = i64::try_from(all.len() - kept.len()).ok()?;
    let places = i64::try_from(part.len()).ok()?;
    let kept = kept.trim_start_matches('0');
    match kept {
        "" => Some((false, String::new(), 0)),
        kept => Some((is_negative, kept.to_owned(), power - places + zeros)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_would_be_rounded_is_a_text() {
        let shown = |number: &str| plain(&AttributeValue::N(number.to_owned())).to_string();
        for (number, json) in [
            ("7", "7"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("0.5", "0.5"),
            ("0.10", "0.1"),
            ("-12.75", "-12.75"),
            ("1E+2", "100.0"),
            ("0.0", "0.0"),
            ("12345678901234567890", "\"12345678901234567890\""),
            ("0.1234567890123456789", "\"0.1234567890123456789\""),
            ("1E-200", "1e-200"),
            ("9.99E+125", "9.99e+125"),
        ] {
            assert_eq!(shown(number), json, "{number}");
        }
    }
}
