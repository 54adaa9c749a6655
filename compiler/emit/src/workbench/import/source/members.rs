//! Members of an object, each with what is expected there.

use serde_json::{Map, Value};

use super::super::error::ImportError;

/// More tables, facets, indexes or attributes than any model has, and more samples than are needed to know one by.
pub(super) const MOST: usize = 1000;

/// The name of a table or an index, as DynamoDB takes it.
pub(super) fn name_of(
    members: &Map<String, Value>,
    member: &str,
    place: &str,
) -> Result<String, ImportError> {
    let name = text(members, member, place)?;
    let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 255 || !name.chars().all(usual) {
        let expected = format!(
            "`{}` is no name DynamoDB takes: letters, digits, `-`, `_` and `.`",
            one_line(&name)
        );
        return Err(ImportError::wrong(&format!("{place}.{member}"), expected));
    }
    Ok(name)
}

pub(super) fn text(
    members: &Map<String, Value>,
    member: &str,
    place: &str,
) -> Result<String, ImportError> {
    let text = members.get(member).and_then(Value::as_str);
    let missing = || ImportError::wrong(&format!("{place}.{member}"), "a text is expected");
    text.map(str::to_owned).ok_or_else(missing)
}

pub(super) fn object<'v>(
    value: &'v Value,
    place: &str,
) -> Result<&'v Map<String, Value>, ImportError> {
    let missing = || ImportError::wrong(place, "an object is expected");
    value.as_object().ok_or_else(missing)
}

pub(super) fn list<'v>(value: &'v Value, place: &str) -> Result<&'v [Value], ImportError> {
    let list = value
        .as_array()
        .ok_or_else(|| ImportError::wrong(place, "a list is expected"))?;
    if list.len() > MOST {
        return Err(ImportError::wrong(
            place,
            format!("it has {} entries; at most {MOST} are read", list.len()),
        ));
    }
    Ok(list)
}

pub(super) fn optional_list<'v>(
    members: &'v Map<String, Value>,
    member: &str,
    place: &str,
) -> Result<&'v [Value], ImportError> {
    match members.get(member) {
        None | Some(Value::Null) => Ok(&[]),
        Some(value) => list(value, &format!("{place}.{member}")),
    }
}

/// Somebody's text as it can stand in a message: on one line, and not for ever.
pub(in super::super) fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match plain.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &plain[..at]),
        None => plain,
    }
}

/// A note of every member that is not known, with what it says.
pub(super) fn unknown(
    members: &Map<String, Value>,
    known: &[&str],
    of: &str,
    lost: &mut Vec<String>,
) {
    let others = members
        .iter()
        .filter(|(name, value)| !known.contains(&name.as_str()) && !is_nothing(value));
    lost.extend(others.map(|(name, value)| noted(name, of, value)));
}

/// A note of a member that cannot be kept.
pub(super) fn noted(name: &str, of: &str, value: &Value) -> String {
    let said = match value {
        Value::String(text) => one_line(text),
        value => one_line(&value.to_string()),
    };
    format!("`{}` of {of}: {said}", one_line(name))
}

/// Whether a member says nothing: the program writes many that are empty.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => entries.iter().all(is_nothing),
        Value::Object(members) => members.values().all(is_nothing),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
