//! A field, taken from the keys that bronze has.

use std::borrow::Cow;

use tablewright::descriptor::{Entity, KeyPart};
use tablewright_keys::KeyValue;

/// A field of a key.
#[derive(Debug)]
pub(crate) struct KeyField<'e> {
    name: &'e str,
    part: &'e KeyPart,
    /// Which of the values of a key has it.
    place: usize,
}

impl<'e> KeyField<'e> {
    /// A field of an entity's key; none when it is no part of it that can be read back.
    pub(crate) fn of(entity: &'e Entity, name: &'e str) -> Option<Self> {
        let parts = entity.key.parts().enumerate();
        let mut own = parts.filter(|(_, part)| part.fields().any(|field| field == name));
        let (place, part) = own.next()?;
        Some(KeyField { name, part, place })
    }

    /// The part of a key the field is in. `key` is the text of bronze.
    pub(crate) fn part_of<'k>(&self, key: &'k str) -> Option<Cow<'k, str>> {
        let parts: Vec<Text<'k>> = serde_json::from_str(key).ok()?;
        parts.into_iter().nth(self.place).map(|part| part.0)
    }

    /// The field, of a part of a key.
    pub(crate) fn value_in(&self, part: &str) -> Option<String> {
        if self.part.natural {
            return Some(part.to_owned());
        }
        match self.part.template.decode(part)?.remove(self.name)? {
            KeyValue::Text(text) => Some(text),
            KeyValue::Integer(number) => Some(number.to_string()),
        }
    }
}

/// A text that is copied only where it has to be.
#[derive(serde::Deserialize)]
struct Text<'k>(#[serde(borrow)] Cow<'k, str>);
