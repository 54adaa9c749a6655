//! Whether a stored value is one of its type, and what it is then.

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use jiff::civil::Date;
use tablewright::descriptor::field_type::FieldType;
use tablewright_keys::Precision;

use crate::model::LakeEntity;

/// A whole number.
pub(crate) fn int(value: &AttributeValue) -> Option<i64> {
    value.as_n().ok()?.parse().ok()
}

/// Days since 1970.
pub(crate) fn days(value: &AttributeValue) -> Option<i32> {
    let date: Date = value.as_s().ok()?.parse().ok()?;
    let epoch = Date::constant(1970, 1, 1);
    let span = date.since((jiff::Unit::Day, epoch)).ok()?;
    Some(span.get_days())
}

/// Milliseconds since 1970.
pub(crate) fn millis(kind: &FieldType, value: &AttributeValue) -> Option<i64> {
    match kind {
        FieldType::EpochSeconds => int(value)?.checked_mul(1000),
        FieldType::EpochMillis => int(value),
        _ => Some(moment(value)?.as_millisecond()),
    }
}

/// Microseconds since 1970.
pub(crate) fn micros(value: &AttributeValue) -> Option<i64> {
    Some(moment(value)?.as_microsecond())
}

fn moment(value: &AttributeValue) -> Option<Timestamp> {
    value.as_s().ok()?.parse().ok()
}

impl LakeEntity {
    /// Whether a stored value is one of its type.
    pub(crate) fn fits(&self, kind: &FieldType, value: &AttributeValue) -> bool {
        match (kind, value) {
            (FieldType::Bool, value) => value.is_bool(),
            (FieldType::Int { .. }, value) => int(value).is_some(),
            (FieldType::Decimal, value) => value.is_n(),
            (FieldType::Date, value) => days(value).is_some(),
            (
                FieldType::EpochSeconds
                | FieldType::EpochMillis
                | FieldType::Timestamp(Precision::Seconds | Precision::Millis),
                value,
            ) => millis(kind, value).is_some(),
            (FieldType::Timestamp(Precision::Micros) | FieldType::UnevenTimestamp, value) => {
                micros(value).is_some()
            }
            (FieldType::Binary(_), value) => value.is_b(),
            (FieldType::List(of, _), AttributeValue::L(values)) => {
                values.iter().all(|value| self.fits(of, value))
            }
            (FieldType::Set(of, _), AttributeValue::Ns(numbers)) => {
                let mut numbers = numbers.iter().cloned().map(AttributeValue::N);
                numbers.all(|number| self.fits(of, &number))
            }
            (FieldType::Set(of, _), AttributeValue::Ss(texts)) => {
                let mut texts = texts.iter().cloned().map(AttributeValue::S);
                texts.all(|text| self.fits(of, &text))
            }
            (FieldType::Map(of, _), AttributeValue::M(values)) => {
                values.values().all(|value| self.fits(of, value))
            }
            (FieldType::Struct(name), AttributeValue::M(values)) => {
                let fields = self.structure(name).into_iter();
                let mut fields = fields.flat_map(|structure| &structure.fields);
                fields.all(|field| {
                    let value = values.get(&field.name);
                    value.is_none_or(|value| self.fits(&field.declared.kind, value))
                })
            }
            (FieldType::Json(_), _) => true,
            (
                FieldType::List(..)
                | FieldType::Set(..)
                | FieldType::Map(..)
                | FieldType::Struct(_),
                _,
            ) => false,
            (
                FieldType::String(_)
                | FieldType::Id
                | FieldType::Uuid
                | FieldType::Ulid
                | FieldType::Email
                | FieldType::Enum(_)
                | FieldType::Ordered(_),
                value,
            ) => value.is_s(),
        }
    }
}
