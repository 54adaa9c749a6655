use std::borrow::Cow;

use super::{EncodeError, KeyValue};
use crate::{CharSet, Precision, Shape, form};

/// The one text of a value before any encoding, once the value is known to belong to the shape.
pub(super) fn plain_text<'v>(
    shape: &Shape,
    value: &'v KeyValue,
) -> Result<Cow<'v, str>, EncodeError> {
    match (shape, value) {
        (Shape::Integer { min, max }, KeyValue::Integer(integer)) => {
            if (min..=max).contains(&integer) {
                Ok(Cow::Owned(integer.to_string()))
            } else {
                Err(EncodeError::OutOfRange {
                    value: *integer,
                    min: *min,
                    max: *max,
                })
            }
        }
        // A whole decimal is stored as any other number is, and comes back as an integer.
        (Shape::Decimal, KeyValue::Integer(integer)) => Ok(Cow::Owned(integer.to_string())),
        (Shape::Integer { .. }, KeyValue::Text(_)) | (_, KeyValue::Integer(_)) => {
            Err(EncodeError::WrongType {
                expected: shape.name(),
            })
        }
        (Shape::Text { chars, min, max }, KeyValue::Text(text)) => {
            check_text(chars, *min, *max, text)?;
            Ok(Cow::Borrowed(text))
        }
        (Shape::OneOf(spellings), KeyValue::Text(text)) => {
            if spellings.contains(text) {
                Ok(Cow::Borrowed(text))
            } else {
                Err(EncodeError::NotInSet {
                    value: text.clone(),
                    allowed: spellings.clone(),
                })
            }
        }
        (Shape::Decimal, KeyValue::Text(text)) => canonical_decimal(text)
            .map(Cow::Owned)
            .ok_or_else(|| bad_form(shape, text)),
        (Shape::UnevenTimestamp, KeyValue::Text(text)) => {
            if is_uneven_timestamp(text) {
                Ok(Cow::Borrowed(text))
            } else {
                Err(bad_form(shape, text))
            }
        }
        (_, KeyValue::Text(text)) => {
            let form = form::fixed_form(shape).unwrap_or_default();
            if form::matches(form, text) {
                Ok(Cow::Borrowed(text))
            } else {
                Err(bad_form(shape, text))
            }
        }
    }
}

fn bad_form(shape: &Shape, text: &str) -> EncodeError {
    let example = match shape {
        Shape::Date => "2024-01-31",
        Shape::Timestamp(Precision::Millis) => "2024-01-31T10:00:00.000Z",
        Shape::Timestamp(Precision::Micros) => "2024-01-31T10:00:00.000000Z",
        Shape::Timestamp(_) | Shape::UnevenTimestamp => "2024-01-31T10:00:00Z",
        Shape::Ulid => "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        Shape::Uuid => "0190b6d0-0000-7abc-8def-0123456789ab",
        _ => "12.5",
    };
    EncodeError::BadForm {
        value: text.to_owned(),
        expected: shape.name(),
        example,
    }
}

fn check_text(chars: &CharSet, min: u32, max: Option<u32>, text: &str) -> Result<(), EncodeError> {
    if let Some(bad) = text.chars().find(|&c| !chars.contains(c)) {
        return Err(EncodeError::BadCharacter {
            value: text.to_owned(),
            character: bad,
        });
    }
    let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    match max {
        _ if length < min => Err(EncodeError::TooShort { length, min }),
        Some(max) if length > max => Err(EncodeError::TooLong { length, max }),
        _ => Ok(()),
    }
}

fn is_uneven_timestamp(text: &str) -> bool {
    let Some(fraction) =
        form::strip(&form::DATE_AND_TIME, text).and_then(|rest| rest.strip_suffix('Z'))
    else {
        return false;
    };
    match fraction.strip_prefix('.') {
        Some(digits) => {
            (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => fraction.is_empty(),
    }
}

/// The decimal without superfluous zeros or sign, or `None` when `text` is not digits around one point.
fn canonical_decimal(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    Some(match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (_, "") => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_decimal_has_one_text() {
        for (given, canonical) in [
            ("1.50", "1.5"),
            ("-0.0", "0"),
            ("007", "7"),
            ("0.10", "0.1"),
            ("-00.5", "-0.5"),
            ("-3", "-3"),
        ] {
            assert_eq!(canonical_decimal(given).as_deref(), Some(canonical));
        }
        for wrong in ["", "-", ".5", "5.", "1e3", "+1", "1.2.3", "--1"] {
            assert_eq!(canonical_decimal(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn uneven_timestamps_have_up_to_nine_digits() {
        let ends = ["Z", ".1Z", ".123456789Z"];
        assert!(
            ends.iter()
                .all(|end| is_uneven_timestamp(&format!("2024-01-31T10:00:00{end}")))
        );
        let wrong = ["", ".Z", ".1234567890Z", ".1", "+01:00", "ZZ"];
        assert!(
            !wrong
                .iter()
                .any(|end| is_uneven_timestamp(&format!("2024-01-31T10:00:00{end}")))
        );
    }
}
