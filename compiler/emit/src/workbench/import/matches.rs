//! Which field a part of a key is made of.

use tablewright_keys::{escape, shard_of, shard_texts, to_lower};

use super::fields::is_email;
use super::source::{Item, Sample};

/// Numbers of shards that people choose.
const SHARDS: [u16; 14] = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 32, 64, 100, 128];

/// A part of the keys of several items: the items that have it, each with its text.
pub(super) type Column<'i> = Vec<(&'i Item, &'i str)>;

/// `{field}`, with its encoding, if a field gives every text of the column.
pub(super) fn field(column: &Column<'_>, name: &str, escaped: bool) -> Option<String> {
    let mut values = Vec::new();
    for (item, text) in column {
        values.push((item.get(name)?, *text));
    }
    let texts: Option<Vec<(&str, &str)>> = values
        .iter()
        .map(|(value, text)| match value {
            Sample::Text(value) if !value.is_empty() => Some((value.as_str(), *text)),
            _ => None,
        })
        .collect();
    if let Some(texts) = texts {
        return of_text(&texts, name, escaped);
    }
    let numbers: Option<Vec<(&str, &str)>> = values
        .iter()
        .map(|(value, text)| match value {
            Sample::Number(value) if value.parse::<i64>().is_ok() => Some((value.as_str(), *text)),
            _ => None,
        })
        .collect();
    of_number(&numbers?, name)
}

fn of_text(texts: &[(&str, &str)], name: &str, escaped: bool) -> Option<String> {
    let written = |value: &str| match escaped {
        true => escape(value).into_owned(),
        false => value.to_owned(),
    };
    let lower = |value: &str| written(&to_lower(value));
    if texts.iter().all(|(value, text)| written(value) == *text) {
        // People spell addresses as they like, and mean one: what is in lower case in every sample is so by the key.
        let addresses = texts
            .iter()
            .all(|(value, text)| is_email(value) && lower(value) == *text);
        let how = if addresses { ":lower" } else { "" };
        return Some(format!("{{{name}{how}}}"));
    }
    texts
        .iter()
        .all(|(value, text)| lower(value) == *text)
        .then(|| format!("{{{name}:lower}}"))
}

fn of_number(numbers: &[(&str, &str)], name: &str) -> Option<String> {
    if numbers.iter().all(|(value, text)| value == text) {
        return Some(format!("{{{name}}}"));
    }
    let width = numbers.first()?.1.len();
    let padded = |value: &str| format!("{value:0>width$}");
    let fits = (1..=19).contains(&width)
        && numbers
            .iter()
            .all(|(value, text)| !value.starts_with('-') && padded(value) == *text);
    fits.then(|| format!("{{{name}:0{width}}}"))
}

/// `{field:shard(8)}`, if every text of the column is the shard of the field, and there are enough of them.
pub(super) fn shard(column: &Column<'_>, name: &str, enough: usize) -> Option<String> {
    if column.len() < enough {
        return None;
    }
    let mut values = Vec::new();
    for (item, text) in column {
        match item.get(name)? {
            Sample::Text(value) => values.push((value.as_str(), *text)),
            _ => return None,
        }
    }
    let all_are = |shards: u16| {
        let texts: Vec<String> = shard_texts(shards).collect();
        values.iter().all(|(value, text)| {
            let shard = usize::from(shard_of(value, shards));
            texts.get(shard).is_some_and(|known| known == text)
        })
    };
    let shards = SHARDS.into_iter().find(|shards| all_are(*shards))?;
    Some(format!("{{{name}:shard({shards})}}"))
}
