//! How values compare, as the language says it: words of an ordered enum by rank, numbers by size, moments by time, texts by their bytes.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;
use tablewright_model::field_type::FieldType;

use crate::fold::fold;

/// How two values of a type compare; none when they cannot be compared.
pub(crate) fn order(kind: &FieldType, a: &Value, b: &Value) -> Option<Ordering> {
    match (kind, a, b) {
        (FieldType::Ordered(words), Value::String(a), Value::String(b)) => {
            let rank = |word: &String| words.iter().position(|known| known == word);
            Some(rank(a)?.cmp(&rank(b)?))
        }
        (FieldType::Decimal, Value::String(a), Value::String(b)) => Some(decimals(a, b)),
        (FieldType::UnevenTimestamp, Value::String(a), Value::String(b)) => {
            Some(moment(a).cmp(&moment(b)))
        }
        (_, Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (_, Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
        (_, Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (FieldType::Binary(_), Value::Array(a), Value::Array(b)) => {
            let bytes = |all: &[Value]| all.iter().filter_map(Value::as_u64).collect::<Vec<u64>>();
            Some(bytes(a).cmp(&bytes(b)))
        }
        _ => None,
    }
}

/// Whether two values of a type are the same.
pub(crate) fn same(kind: &FieldType, a: &Value, b: &Value) -> bool {
    a == b || order(kind, a, b).is_some_and(Ordering::is_eq)
}

/// A value, in lower case where its field is compared so.
pub(crate) fn folded(value: &Value, folds: bool) -> Cow<'_, Value> {
    match value {
        Value::String(text) if folds => Cow::Owned(Value::String(fold(text))),
        other => Cow::Borrowed(other),
    }
}

/// A moment whatever its precision: its second, and the fraction of it without zeros at the end.
fn moment(text: &str) -> (&str, &str) {
    let text = text.trim_end_matches('Z');
    let (second, fraction) = text.split_once('.').unwrap_or((text, ""));
    (second, fraction.trim_end_matches('0'))
}

/// Numbers in their shortest form, to the last digit.
fn decimals(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => magnitudes(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => magnitudes(a, b),
    }
}

fn magnitudes(a: &str, b: &str) -> Ordering {
    let parts = |text: &'_ str| -> (String, String) {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        (whole, fraction.trim_end_matches('0').to_owned())
    };
    let ((a_whole, a_fraction), (b_whole, b_fraction)) = (parts(a), parts(b));
    let wholes = a_whole
        .len()
        .cmp(&b_whole.len())
        .then_with(|| a_whole.cmp(&b_whole));
    wholes.then_with(|| a_fraction.cmp(&b_fraction))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tablewright_model::field_type::parse;

    use super::*;

    fn ordered(kind: &str, values: &[Value]) -> bool {
        let kind = parse(kind).unwrap().kind;
        values
            .windows(2)
            .all(|pair| order(&kind, &pair[0], &pair[1]) == Some(Ordering::Less))
    }

    #[test]
    fn values_compare_as_their_type_means() {
        assert!(ordered(
            "ordered(low, medium, high)",
            &[json!("low"), json!("medium"), json!("high")]
        ));
        assert!(ordered(
            "enum(low, medium, high)",
            &[json!("high"), json!("low"), json!("medium")]
        ));
        assert!(ordered(
            "int",
            &[json!(-10), json!(-9), json!(2), json!(10)]
        ));
        assert!(ordered(
            "decimal",
            &[
                json!("-10.5"),
                json!("-9"),
                json!("0"),
                json!("0.05"),
                json!("0.5"),
                json!("9.99"),
                json!("10")
            ]
        ));
        // By bytes: what is longer comes after its beginning, capitals before small letters, astral characters last.
        assert!(ordered(
            "string",
            &[
                json!(""),
                json!(" a"),
                json!("#"),
                json!("A"),
                json!("a"),
                json!("a "),
                json!("a#b"),
                json!("ab"),
                json!("\u{e9}"),
                json!("\u{ff5e}"),
                json!("\u{1f600}")
            ]
        ));
        assert!(ordered("date", &[json!("2049-12-31"), json!("2050-01-01")]));
        assert_eq!(
            order(&parse("int").unwrap().kind, &json!(1), &json!("1")),
            None
        );
        assert!(same(
            &parse("decimal").unwrap().kind,
            &json!("1.50"),
            &json!("1.5")
        ));
    }
}
