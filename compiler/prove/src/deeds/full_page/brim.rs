//! Items exactly as large as declared, as far as their texts allow.

use std::collections::BTreeMap;

use serde_json::Value;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, FieldId, Key};

use super::Filler;
use crate::data::{Fixed, Reference, Style, ordinary};
use crate::record::Record;

/// How many characters texts of keys and guards have: of items without other texts to fill them.
pub(super) type Lengths = BTreeMap<FieldId, usize>;

/// The longest identifier, in characters.
const LONGEST_ID: usize = 128;

impl Filler<'_> {
    /// Makes texts longer, also those that are not there, or shorter, until an item is as large as declared.
    pub(super) fn filled(&mut self, mut item: Record, fixed: &Fixed, size: u64) -> Record {
        for field in self.maker.fillers(item.entity()).to_vec() {
            if fixed.contains_key(&field) {
                continue;
            }
            let before = item.clone();
            let declared = self.model.entity(item.entity()).field(field);
            let FieldType::String(length) = declared.kind() else {
                continue;
            };
            if item.value(field).is_none() {
                let least = ordinary(length.min.max(1) as usize, &mut self.chance);
                item = item.with([(field.0, Value::String(least))]);
            }
            let (Some(bytes), Some(text)) = ((self.measure)(&item), text_of(&item, field)) else {
                item = before;
                continue;
            };
            let has = text.chars().count();
            let most = length.max.map_or(usize::MAX, |max| max as usize);
            let wanted = match bytes <= size {
                true => has.saturating_add((size - bytes) as usize).min(most),
                false => has
                    .saturating_sub((bytes - size) as usize)
                    .max(length.min.max(1) as usize),
            };
            let text = match wanted > has {
                true => text + &ordinary(wanted - has, &mut self.chance),
                false => text.chars().take(wanted).collect(),
            };
            item = item.with([(field.0, Value::String(text))]);
            let is_too_large = (self.measure)(&item).is_none_or(|bytes| bytes > size);
            if is_too_large && before.value(field).is_none() {
                item = before;
            }
        }
        item
    }

    /// How long the texts of its key and of its guards are: those that are others in every item, so that all are of one size. Longer where an item would
    /// be smaller than declared otherwise, those of others last: who has the key of such an item becomes larger with it.
    pub(super) fn lengths(
        &self,
        item: &Record,
        fixed: &Fixed,
        apart: &[Reference],
        size: u64,
    ) -> Lengths {
        let entity = self.model.entity(item.entity());
        let mut item = item.clone();
        let mut lengths = Lengths::new();
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let own = entity.identity().into_iter();
        let mut fields: Vec<FieldId> = own.chain(guards.flat_map(Key::field_ids)).collect();
        let of_others = apart.iter().flat_map(|one| &one.fields);
        let of_others: Vec<FieldId> = of_others.map(|(mine, _)| *mine).collect();
        fields.sort_by_key(|field| of_others.contains(field));
        for field in fields {
            let longest = match entity.field(field).kind() {
                FieldType::Id => LONGEST_ID,
                FieldType::String(length) => length.max.map_or(LONGEST_ID, |max| max as usize),
                _ => continue,
            };
            let Some(text) = text_of(&item, field).filter(|_| !fixed.contains_key(&field)) else {
                continue;
            };
            let has = text.chars().count();
            let padded = |length: usize| Value::String(padded(&letters(&text), length));
            lengths.insert(field, has);
            item = item.with([(field.0, padded(has))]);
            let bytes = (self.measure)(&item);
            let Some(room) = bytes.and_then(|bytes| size.checked_sub(bytes)) else {
                continue;
            };
            let longest = longest.min(has.saturating_add(room as usize));
            // A character more is a byte at least, and may stand in several keys: the length is looked for.
            for length in (has + 1..=longest).rev() {
                let longer = item.with([(field.0, padded(length))]);
                if (self.measure)(&longer).is_some_and(|bytes| bytes <= size) {
                    lengths.insert(field, length);
                    item = longer;
                    break;
                }
            }
        }
        lengths
    }

    /// A new value of so many characters.
    pub(super) fn long(&mut self, id: EntityId, field: FieldId, length: usize) -> Value {
        let kind = self.model.entity(id).field(field).kind();
        if let FieldType::String(_) = kind {
            return Value::String(letters(&ordinary(length, &mut self.chance)));
        }
        let value = self.maker.value(id, field, Style::Plain, &mut self.chance);
        match value {
            Value::String(text) => Value::String(padded(&text, length)),
            value => value,
        }
    }
}

/// The same without what a key writes in more characters than it has.
fn letters(text: &str) -> String {
    let letter = |one: char| {
        if one.is_ascii_alphanumeric() {
            one
        } else {
            'x'
        }
    };
    text.chars().map(letter).collect()
}

fn text_of(item: &Record, field: FieldId) -> Option<String> {
    Some(item.value(field)?.as_str()?.to_owned())
}

fn padded(text: &str, length: usize) -> String {
    let filled = text.chars().chain(std::iter::repeat('x'));
    filled.take(length).collect()
}
