//! What the spelling of keys tells.

use tablewright_keys::Template;

use super::fields::FieldDraft;
use super::groups::Group;
use super::source::{Sample, TableSource};
use crate::rust::names::snake;

/// Whether an alias can be read as a template of these fields.
pub(super) fn reads_as_template(alias: &str, fields: &[FieldDraft]) -> bool {
    let Ok(template) = Template::parse(alias) else {
        return false;
    };
    let known = |name: &str| fields.iter().any(|field| field.name == name);
    !alias.is_empty() && template.fields().all(|field| known(&field.name))
}

/// Whether the keys of a group have characters that this library would have escaped.
pub(super) fn is_raw(table: &TableSource, group: &Group) -> bool {
    let of_indexes = table.indexes.iter().map(|index| &index.keys);
    let keys = std::iter::once(&table.keys).chain(of_indexes);
    let attributes: Vec<&String> = keys
        .flat_map(|keys| std::iter::once(&keys.partition).chain(&keys.sort))
        .map(|(name, _)| name)
        .collect();
    let raw = |part: &str| tablewright_keys::unescape(part).is_none();
    group.items.iter().any(|item| {
        attributes
            .iter()
            .any(|attribute| match item.get(*attribute) {
                Some(Sample::Text(text)) if text.contains('#') => text.split('#').any(raw),
                // A field that is a key by itself is stored as it is in any case; a copy of one is not.
                Some(text @ Sample::Text(plain)) if raw(plain) => item
                    .iter()
                    .any(|(name, value)| name != *attribute && value == text),
                _ => false,
            })
    })
}

pub(super) fn unescaped(text: &str, escaped: bool) -> String {
    let plain = escaped.then(|| tablewright_keys::unescape(text)).flatten();
    plain.unwrap_or_else(|| text.to_owned())
}

/// Whether a key attribute has a name that says nothing: `PK`, `GSI1SK`.
pub(super) fn is_generic(attribute: &str) -> bool {
    let plain = attribute.to_lowercase();
    plain.ends_with("pk") || plain.ends_with("sk")
}

/// A word in capitals, as fixed texts are written.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-'))
}

/// Whether a field is called like the fixed text before it: `STATUS#` and `status`, `USER#` and `user_id`.
pub(super) fn sounds_like(before: &str, field: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase()
    };
    let (before, field) = (
        plain(before),
        plain(field.split(':').next().unwrap_or(field)),
    );
    before.len() > 1 && (field.starts_with(&before) || before.starts_with(&field))
}

/// Whether an index has the name of a field in its own: `ByDailyPoints` and `daily_points`.
pub(super) fn is_called_by(index: &str, field: &str) -> bool {
    let words = |name: &str| format!("_{}_", snake(name));
    !index.is_empty() && words(index).contains(&words(field))
}
