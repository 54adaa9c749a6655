//! Values beside other values.

use tablewright_model::field_type::FieldType;

use super::chance::Chance;
use super::text;

/// A value that begins with another of its type, where the type has room for one.
pub(super) fn longer(kind: &FieldType, known: &str, chance: &mut Chance) -> Option<String> {
    let (delimiters, max) = match kind {
        FieldType::Id => (&["0", ":x", "|"][..], 128),
        FieldType::String(length) => (
            &["#b", "0", " b", "$"][..],
            length.max.unwrap_or(200).min(200),
        ),
        _ => return None,
    };
    let text = format!("{known}{}", chance.pick(delimiters));
    (text.chars().count() <= max as usize).then_some(text)
}

/// A value beside another of its type, where the type has room for one.
pub(super) fn beside(kind: &FieldType, known: &str, chance: &mut Chance) -> Option<String> {
    match kind {
        FieldType::Id => {
            let text = text::neighbour(known, &[":", "-", "~", "|"], chance);
            Some(text::fitted(&text, 1, 128))
        }
        FieldType::String(length) => {
            let text = text::neighbour(known, &["#", "$", " ", ":"], chance);
            let max = length.max.map_or(200, |max| max.min(200)) as usize;
            Some(text::fitted(&text, length.min.max(1) as usize, max))
        }
        _ => None,
    }
}
