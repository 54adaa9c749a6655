//! Key conditions, with the texts in place of the placeholders.

use std::fmt::Write as _;

use tablewright_descriptor::key_text::{KeyText, SortTest, Tail};
use tablewright_model::Model;

use crate::read::{Place, ReadPlan};

/// The names of the keys asked.
fn key_names(model: &Model, place: Place) -> (String, String) {
    let table = model.table(place.table);
    let (partition, sort) = match place.index {
        None => (&table.partition_key, table.sort_key.as_ref()),
        Some(index) => {
            let index = table.index(index);
            (&index.partition_key, index.sort_key.as_ref())
        }
    };
    (
        partition.name.clone(),
        sort.map_or_else(String::new, |sort| sort.name.clone()),
    )
}

impl ReadPlan {
    /// The key condition, as DynamoDB reads it, with the texts in place of the placeholders.
    pub fn key_condition(&self, model: &Model) -> String {
        let (partition, sort) = key_names(model, self.place);
        let mut text = format!("{partition} = {}", shown(&self.partition));
        let test = match &self.sort {
            SortTest::All => return text,
            SortTest::Equals(value) => format!("{sort} = {}", shown(value)),
            SortTest::BeginsWith(value) => format!("begins_with({sort}, {})", shown(value)),
            SortTest::Between(low, high) => {
                format!("{sort} BETWEEN {} AND {}", shown(low), shown(high))
            }
            SortTest::AtLeast(value) => format!("{sort} >= {}", shown(value)),
            SortTest::Above(value) => format!("{sort} > {}", shown(value)),
            SortTest::AtMost(value) => format!("{sort} <= {}", shown(value)),
            SortTest::Below(value) => format!("{sort} < {}", shown(value)),
        };
        let _ = write!(text, " AND {test}");
        text
    }
}

impl ReadPlan {
    /// What the character behind a bound means, where there is one: `DUE#{to}$`.
    pub fn bound_told(&self) -> Option<String> {
        let texts = self.sort.texts();
        let ends = texts.iter().find_map(|text| match text.tail {
            Tail::Above(above) if above != char::MAX => Some(above),
            _ => None,
        })?;
        let delimiter = char::from_u32(u32::from(ends).saturating_sub(1))?;
        Some(format!(
            "`{ends}` is the character after `{delimiter}`: keys that go on with `{delimiter}` behind the value are included"
        ))
    }
}

/// A key text with its end told in words where a character would puzzle.
fn shown(text: &KeyText) -> String {
    let plain = KeyText {
        pieces: text.pieces.clone(),
        tail: Tail::Exact,
    }
    .to_string();
    match text.tail {
        Tail::Exact => plain,
        Tail::Above(above) if above != char::MAX => format!("{plain}{above}"),
        Tail::Above(_) => format!("{plain}<highest>"),
        Tail::AfterPrefix => tablewright_keys::bounds::after_prefix(&plain).unwrap_or(plain),
        Tail::JustBelow => format!("<just below {plain}>"),
    }
}
