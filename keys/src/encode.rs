mod error;
mod plain;

use std::borrow::Cow;

pub use error::EncodeError;

use crate::{Encodings, Shape, escape, form, lower, shard, unsupported};

/// The value of a field, as a caller gives it.
///
/// Integers are given as such; every other shape as its text: an enum's spelling, a timestamp's ISO form. A whole decimal may be either.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyValue {
    /// Text, or the text of anything that is not an integer.
    Text(String),
    /// An integer.
    Integer(i64),
}

impl From<&str> for KeyValue {
    fn from(text: &str) -> KeyValue {
        KeyValue::Text(text.to_owned())
    }
}

impl From<String> for KeyValue {
    fn from(text: String) -> KeyValue {
        KeyValue::Text(text)
    }
}

impl From<i64> for KeyValue {
    fn from(integer: i64) -> KeyValue {
        KeyValue::Integer(integer)
    }
}

/// The text of one value in a key.
///
/// ```
/// use tablewright_keys::{Encodings, KeyValue, Shape, encode_piece};
/// let padded = Encodings { pad: Some(6), desc: true, ..Encodings::default() };
/// let text = encode_piece(&Shape::Integer { min: 0, max: 9999 }, &padded, false, &KeyValue::Integer(42));
/// assert_eq!(text.as_deref(), Ok("999957"));
/// ```
pub fn encode_piece(
    shape: &Shape,
    encodings: &Encodings,
    escaped: bool,
    value: &KeyValue,
) -> Result<String, EncodeError> {
    if let Some(why) = unsupported(shape, encodings) {
        return Err(EncodeError::Unsupported(why));
    }
    let plain = plain::plain_text(shape, value)?;
    let plain = if encodings.lower {
        Cow::Owned(lower::to_lower(&plain))
    } else {
        plain
    };
    if let Some(shards) = encodings.shard {
        let width = shard::width_of(shards);
        return Ok(format!("{:0width$}", shard::shard_of(&plain, shards)));
    }
    match shape {
        Shape::Integer { .. } => padded(plain, encodings),
        Shape::OneOf(spellings) if encodings.rank => Ok(ranked(spellings, &plain, encodings.desc)),
        Shape::Text { .. } | Shape::OneOf(_) if escaped => Ok(escape(&plain).into_owned()),
        _ if encodings.desc => {
            let form = form::fixed_form(shape).unwrap_or_default();
            Ok(form::complement(form, &plain))
        }
        _ => Ok(plain.into_owned()),
    }
}

fn padded(plain: Cow<'_, str>, encodings: &Encodings) -> Result<String, EncodeError> {
    let Some(width) = encodings.pad else {
        return Ok(plain.into_owned());
    };
    if plain.starts_with('-') || plain.len() > usize::from(width) {
        return Err(EncodeError::DoesNotFitWidth {
            value: plain.into_owned(),
            width,
        });
    }
    let text = format!("{plain:0>width$}", width = usize::from(width));
    Ok(if encodings.desc {
        form::complement_digits(&text)
    } else {
        text
    })
}

fn ranked(spellings: &[String], plain: &str, desc: bool) -> String {
    let last = spellings.len().saturating_sub(1);
    let rank = spellings
        .iter()
        .position(|spelling| spelling == plain)
        .unwrap_or(last);
    let rank = if desc { last - rank } else { rank };
    format!("{rank:0width$}", width = rank_width(spellings.len()))
}

/// The digits of the highest rank among `count` values.
pub(crate) fn rank_width(count: usize) -> usize {
    count.saturating_sub(1).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharSet, Precision};

    fn encode(
        shape: &Shape,
        encodings: &str,
        value: impl Into<KeyValue>,
    ) -> Result<String, EncodeError> {
        let template = crate::Template::parse(&format!("{{f{encodings}}}")).unwrap();
        let encodings = template.fields().next().unwrap().encodings;
        let escaped = matches!(shape, Shape::Text { .. }) && !encodings.raw;
        encode_piece(shape, &encodings, escaped, &value.into())
    }

    fn text(min: u32, max: u32) -> Shape {
        Shape::Text {
            chars: CharSet::any(),
            min,
            max: Some(max),
        }
    }

    #[test]
    fn integers_are_plain_padded_or_descending() {
        let integer = Shape::Integer { min: -5, max: 1000 };
        assert_eq!(encode(&integer, "", -5).unwrap(), "-5");
        assert_eq!(encode(&integer, ":04", 7).unwrap(), "0007");
        assert_eq!(encode(&integer, ":04:desc", 7).unwrap(), "9992");
        assert_eq!(
            encode(&integer, "", 1001),
            Err(EncodeError::OutOfRange {
                value: 1001,
                min: -5,
                max: 1000
            })
        );
        let misfit = |value: &str, width| {
            Err(EncodeError::DoesNotFitWidth {
                value: value.into(),
                width,
            })
        };
        assert_eq!(encode(&integer, ":03", 1000), misfit("1000", 3));
        assert_eq!(encode(&integer, ":03", -1), misfit("-1", 3));
        assert_eq!(
            encode(
                &Shape::Integer {
                    min: 0,
                    max: i64::MAX
                },
                ":019:desc",
                i64::MAX
            )
            .unwrap(),
            "0776627963145224192"
        );
    }

    #[test]
    fn a_whole_decimal_is_the_same_as_a_number_and_as_text() {
        assert_eq!(encode(&Shape::Decimal, "", 10).unwrap(), "10");
        assert_eq!(encode(&Shape::Decimal, "", "10.0").unwrap(), "10");
        assert_eq!(encode(&Shape::Decimal, "", -3).unwrap(), "-3");
        assert!(encode(&text(0, 9), "", 10).is_err());
    }

    #[test]
    fn ranks_are_as_wide_as_the_highest() {
        let eleven = Shape::OneOf((0..11).map(|n| format!("v{n}")).collect());
        assert_eq!(encode(&eleven, ":rank", "v2").unwrap(), "02");
        assert_eq!(encode(&eleven, ":rank:desc", "v2").unwrap(), "08");
        assert_eq!(encode(&eleven, "", "v2").unwrap(), "v2");
        assert!(matches!(
            encode(&eleven, ":rank", "v11"),
            Err(EncodeError::NotInSet { .. })
        ));
    }

    #[test]
    fn text_is_escaped_unless_raw() {
        assert_eq!(encode(&text(0, 9), "", "a #").unwrap(), "a$20$23");
        assert_eq!(encode(&text(0, 9), ":raw", "a #").unwrap(), "a #");
        assert_eq!(encode(&text(0, 9), ":lower", "A #").unwrap(), "a$20$23");
        assert_eq!(
            encode(&text(2, 9), "", "é"),
            Err(EncodeError::TooShort { length: 1, min: 2 })
        );
        assert_eq!(
            encode(&text(0, 2), "", "ééé"),
            Err(EncodeError::TooLong { length: 3, max: 2 })
        );
        let id = Shape::Text {
            chars: CharSet::ascii_id(),
            min: 0,
            max: None,
        };
        assert!(matches!(
            encode(&id, "", "a#"),
            Err(EncodeError::BadCharacter { character: '#', .. })
        ));
    }

    #[test]
    fn a_shard_is_that_of_the_plain_text() {
        assert_eq!(encode(&text(0, 9), ":shard(16)", "foobar").unwrap(), "08");
        assert_eq!(
            encode(&text(0, 9), ":lower:shard(16)", "FooBar").unwrap(),
            "08"
        );
        let integer = Shape::Integer { min: 0, max: 9 };
        assert_eq!(
            encode(&integer, ":shard(16)", 7).unwrap(),
            encode(&text(0, 9), ":shard(16)", "7").unwrap()
        );
    }

    #[test]
    fn descending_forms_are_complemented() {
        assert_eq!(
            encode(&Shape::Date, ":desc", "2024-01-31").unwrap(),
            "7975-98-68"
        );
        let stamp = Shape::Timestamp(Precision::Millis);
        assert_eq!(
            encode(&stamp, ":desc", "2024-01-31T10:00:00.000Z").unwrap(),
            "7975-98-68T89:99:99.999Z"
        );
        assert!(matches!(
            encode(&text(0, 9), ":desc", "a"),
            Err(EncodeError::Unsupported(_))
        ));
    }

    #[test]
    fn a_value_of_the_wrong_type_is_refused() {
        assert!(matches!(
            encode(&Shape::Date, "", 5),
            Err(EncodeError::WrongType { .. })
        ));
        let integer = Shape::Integer { min: 0, max: 9 };
        assert!(matches!(
            encode(&integer, "", "5"),
            Err(EncodeError::WrongType { .. })
        ));
        assert!(matches!(
            encode(&Shape::Uuid, "", "x"),
            Err(EncodeError::BadForm { .. })
        ));
    }
}
