//! Samples: values as DynamoDB writes them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::error::ImportError;
use super::members::{MOST, object, one_line};

/// The attributes of a sample.
pub(in super::super) type Item = BTreeMap<String, Sample>;

/// The value of an attribute in a sample.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Sample {
    Text(String),
    Number(String),
    Flag,
    Bytes,
    Null,
    Texts(Vec<String>),
    Numbers(Vec<String>),
    /// Sets of bytes, which the language has not.
    ManyBytes,
    List(Vec<Sample>),
    Map(Item),
}

/// The samples of a table or a facet, as many as are needed.
pub(super) fn read_items(
    members: &Map<String, Value>,
    place: &str,
    of: &str,
    lost: &mut Vec<String>,
) -> Result<Vec<Item>, ImportError> {
    let place = format!("{place}.TableData");
    let Some(items) = members.get("TableData") else {
        return Ok(Vec::new());
    };
    let items = items
        .as_array()
        .ok_or_else(|| ImportError::wrong(&place, "a list is expected"))?;
    if items.len() > MOST {
        let more = items.len() - MOST;
        lost.push(format!("the last {more} samples of {of} are not looked at"));
    }
    let items = items.iter().take(MOST).enumerate();
    items
        .map(|(at, item)| read_item(item, &format!("{place}[{at}]")))
        .collect()
}

fn read_item(value: &Value, place: &str) -> Result<Item, ImportError> {
    let attributes = object(value, place)?;
    if attributes.len() > MOST {
        let many = attributes.len();
        return Err(ImportError::wrong(
            place,
            format!("it has {many} attributes; at most {MOST} are read"),
        ));
    }
    let attributes = attributes.iter();
    attributes
        .map(|(name, value)| {
            let sample = sample(value).ok_or_else(|| {
                let place = format!("{place}.{}", one_line(name));
                ImportError::wrong(
                    &place,
                    "a value as DynamoDB writes it is expected: { \"S\": \"text\" }",
                )
            })?;
            Ok((name.clone(), sample))
        })
        .collect()
}

fn sample(value: &Value) -> Option<Sample> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    let (letter, value) = members.iter().next()?;
    let texts = |value: &Value| -> Option<Vec<String>> {
        let texts = value.as_array()?.iter();
        texts.map(plain).collect()
    };
    Some(match letter.as_str() {
        "S" => Sample::Text(value.as_str()?.to_owned()),
        "N" => Sample::Number(plain(value)?),
        "BOOL" => {
            let _is_one = value.as_bool().or_else(|| value.as_str()?.parse().ok())?;
            Sample::Flag
        }
        "B" => Sample::Bytes,
        "NULL" => Sample::Null,
        "SS" => Sample::Texts(texts(value)?),
        "NS" => Sample::Numbers(texts(value)?),
        "BS" => Sample::ManyBytes,
        "L" => Sample::List(
            value
                .as_array()?
                .iter()
                .map(sample)
                .collect::<Option<_>>()?,
        ),
        "M" => {
            let members = value.as_object()?.iter();
            let members = members.map(|(name, value)| Some((name.clone(), sample(value)?)));
            Sample::Map(members.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// Text, or a number that was written as one.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
