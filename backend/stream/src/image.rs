//! Items in the three forms they have: as the tables' client knows them, as the streams' does, and as JSON.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::types::AttributeValue as Streamed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tablewright::Item;

use crate::record::NotARecord;

pub(crate) fn of_stream(
    image: std::collections::HashMap<String, Streamed>,
) -> Result<Item, NotARecord> {
    let each = image.into_iter();
    each.map(|(name, value)| Ok((name, streamed(value)?)))
        .collect()
}

fn streamed(value: Streamed) -> Result<AttributeValue, NotARecord> {
    let blob = |bytes: aws_sdk_dynamodbstreams::primitives::Blob| Blob::new(bytes.into_inner());
    Ok(match value {
        Streamed::S(text) => AttributeValue::S(text),
        Streamed::N(number) => AttributeValue::N(number),
        Streamed::B(bytes) => AttributeValue::B(blob(bytes)),
        Streamed::Bool(truth) => AttributeValue::Bool(truth),
        Streamed::Null(null) => AttributeValue::Null(null),
        Streamed::Ss(texts) => AttributeValue::Ss(texts),
        Streamed::Ns(numbers) => AttributeValue::Ns(numbers),
        Streamed::Bs(all) => AttributeValue::Bs(all.into_iter().map(blob).collect()),
        Streamed::L(values) => {
            let values: Result<_, _> = values.into_iter().map(streamed).collect();
            AttributeValue::L(values?)
        }
        Streamed::M(values) => AttributeValue::M(of_stream(values)?),
        other => return Err(NotARecord(format!("{other:?} is of an unknown type"))),
    })
}

/// About how large an item is in memory, in bytes.
pub(crate) fn weight(image: &Item) -> usize {
    let each = image.iter();
    each.map(|(name, value)| 60 + name.len() + value_weight(value))
        .sum()
}

fn value_weight(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(texts) | AttributeValue::Ns(texts) => {
            texts.iter().map(|text| 24 + text.len()).sum()
        }
        AttributeValue::Bs(all) => all.iter().map(|bytes| 24 + bytes.as_ref().len()).sum(),
        AttributeValue::L(values) => values.iter().map(|value| 60 + value_weight(value)).sum(),
        AttributeValue::M(values) => weight(values),
        _ => 0,
    }
}

/// An item in the JSON of DynamoDB: `{"title":{"S":"buy milk"}}`.
pub fn image_to_json(image: &Item) -> Value {
    to_json(image)
}

/// An item from the JSON of DynamoDB.
///
/// # Errors
/// [`NotARecord`] when something is not of its type.
pub fn image_of_json(image: &Value) -> Result<Item, NotARecord> {
    of_json(image)
}

pub(crate) fn to_json(image: &Item) -> Value {
    let each = image.iter();
    Value::Object(
        each.map(|(name, value)| (name.clone(), value_to_json(value)))
            .collect(),
    )
}

fn value_to_json(value: &AttributeValue) -> Value {
    let bytes = |bytes: &Blob| STANDARD.encode(bytes);
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        AttributeValue::B(one) => json!({ "B": bytes(one) }),
        AttributeValue::Bool(truth) => json!({ "BOOL": truth }),
        AttributeValue::Ss(texts) => json!({ "SS": texts }),
        AttributeValue::Ns(numbers) => json!({ "NS": numbers }),
        AttributeValue::Bs(all) => json!({ "BS": all.iter().map(bytes).collect::<Vec<_>>() }),
        AttributeValue::L(values) => {
            json!({ "L": values.iter().map(value_to_json).collect::<Vec<_>>() })
        }
        AttributeValue::M(values) => json!({ "M": to_json(values) }),
        // Types DynamoDB may get some day are refused when they are read from a stream.
        _ => json!({ "NULL": true }),
    }
}

pub(crate) fn of_json(image: &Value) -> Result<Item, NotARecord> {
    let image = image.as_object().ok_or_else(|| not_one(image))?;
    let each = image.iter();
    each.map(|(name, value)| Ok((name.clone(), value_of_json(value)?)))
        .collect()
}

fn not_one(value: &Value) -> NotARecord {
    NotARecord(format!("`{value}` is no value of DynamoDB"))
}

fn value_of_json(value: &Value) -> Result<AttributeValue, NotARecord> {
    let wrong = || not_one(value);
    let one = value.as_object().filter(|map| map.len() == 1);
    let (kind, inner) = one.and_then(|map| map.iter().next()).ok_or_else(wrong)?;
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
    let bytes = |value: &Value| {
        let decoded = value.as_str().and_then(|text| STANDARD.decode(text).ok());
        decoded.map(Blob::new).ok_or_else(wrong)
    };
    fn all<T>(
        values: &Value,
        wrong: impl Fn() -> NotARecord,
        each: impl Fn(&Value) -> Result<T, NotARecord>,
    ) -> Result<Vec<T>, NotARecord> {
        let values = values.as_array().ok_or_else(wrong)?;
        values.iter().map(each).collect()
    }
    Ok(match kind.as_str() {
        "S" => AttributeValue::S(text(inner)?),
        "N" => AttributeValue::N(text(inner)?),
        "B" => AttributeValue::B(bytes(inner)?),
        "BOOL" => AttributeValue::Bool(inner.as_bool().ok_or_else(wrong)?),
        "NULL" => AttributeValue::Null(inner.as_bool().ok_or_else(wrong)?),
        "SS" => AttributeValue::Ss(all(inner, wrong, text)?),
        "NS" => AttributeValue::Ns(all(inner, wrong, text)?),
        "BS" => AttributeValue::Bs(all(inner, wrong, bytes)?),
        "L" => AttributeValue::L(all(inner, wrong, value_of_json)?),
        "M" => AttributeValue::M(of_json(inner)?),
        _ => return Err(wrong()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_comes_back() {
        let text = json!({
            "s": { "S": "a#b\u{e9}" }, "n": { "N": "12345678901234567890.5" }, "b": { "B": "AP8=" }, "t": { "BOOL": true }, "z": { "NULL": true },
            "ss": { "SS": ["a", "b"] }, "ns": { "NS": ["1"] }, "bs": { "BS": ["AA=="] },
            "l": { "L": [{ "M": { "deep": { "L": [] } } }, { "S": "" }] },
        });
        let image = of_json(&text).unwrap();
        assert_eq!(to_json(&image), text);
    }

    #[test]
    fn what_is_none_is_refused() {
        for wrong in [
            json!([]),
            json!({ "a": "b" }),
            json!({ "a": { "S": 1 } }),
            json!({ "a": { "X": "1" } }),
            json!({ "a": { "B": "%" } }),
            json!({ "a": { "L": [{ "N": 1 }] } }),
            json!({ "a": { "S": "a", "N": "1" } }),
            json!({ "a": {} }),
        ] {
            assert!(of_json(&wrong).is_err(), "{wrong}");
        }
    }
}
