//! What a pattern keeps of all records: `by`, `range`, `where`, refinements and words.

use std::cmp::Ordering;

use serde_json::Value;
use tablewright_model::model::{Access, Ends, Entity, EntityId, FieldId, Verb};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::compare::{folded, order, same};
use super::condition::{has, holds, member};
use super::{Oracle, folds};
use crate::question::{Question, Refinement};
use crate::record::{Record, canonical};

/// What a record must be to be asked for.
pub(super) struct Filter<'f> {
    oracle: &'f Oracle<'f>,
    access: &'f Access,
    entity: &'f Entity,
    question: &'f Question,
    /// The fields of `by` with the value asked for, and whether case counts.
    known: Vec<(FieldId, Value, bool)>,
    /// A field is asked for that this entity does not have, or no value is given for one.
    impossible: bool,
    refined: Vec<(FieldId, Refinement)>,
    words: Vec<String>,
}

impl<'f> Filter<'f> {
    pub(super) fn new(
        oracle: &'f Oracle<'f>,
        access: &'f Access,
        id: EntityId,
        question: &'f Question,
    ) -> Self {
        let entity = oracle.model.entity(id);
        let mut filter = Filter {
            oracle,
            access,
            entity,
            question,
            known: Vec::new(),
            impossible: false,
            refined: Vec::new(),
            words: Vec::new(),
        };
        for by in &access.by {
            let name = by.written.as_str();
            match (entity.field_named(name), question.given.get(name)) {
                (Some(field), Some(value)) => {
                    let value = canonical(oracle.model, entity.field(field).kind(), value.clone());
                    let folds = folds(entity, field);
                    filter
                        .known
                        .push((field, folded(&value, folds).into_owned(), folds));
                }
                _ => filter.impossible = true,
            }
        }
        for (name, wanted) in &question.refine {
            match entity.field_named(name) {
                Some(field) => {
                    let kind = member(entity.field(field).kind());
                    let wanted = wanted.map(|value| canonical(oracle.model, kind, value.clone()));
                    filter.refined.push((field, wanted));
                }
                None => filter.impossible = true,
            }
        }
        if let Verb::Search { .. } = access.verb {
            let words = question.words.as_deref().unwrap_or_default();
            let words = words.split_whitespace().map(bare);
            filter.words = words.filter(|word| !word.is_empty()).collect();
        }
        filter
    }

    pub(super) fn keeps(&self, record: &Record) -> bool {
        !self.impossible
            && self
                .known
                .iter()
                .all(|(field, value, folds)| self.is(record, *field, value, *folds))
            && self.in_range(record)
            && self.meets_condition(record)
            && self
                .refined
                .iter()
                .all(|(field, wanted)| self.fits(record, *field, wanted))
            && self.has_words(record)
    }

    fn is(&self, record: &Record, field: FieldId, value: &Value, folds: bool) -> bool {
        let kind = self.entity.field(field).kind();
        record
            .value(field)
            .is_some_and(|mine| same(kind, &folded(mine, folds), value))
    }

    fn in_range(&self, record: &Record) -> bool {
        let Some(range) = &self.access.range else {
            return true;
        };
        // The range names a field of the first entity; the others of a list have it by name.
        let first = self.oracle.model.entity(self.access.verb.entity().id);
        let name = first.field(range.id).name.as_str();
        let Some(field) = self.entity.field_named(name) else {
            return false;
        };
        let folds = folds(self.entity, field);
        let Some(mine) = record.value(field).map(|mine| folded(mine, folds)) else {
            return false;
        };
        let kind = self.entity.field(field).kind();
        let against = |end: &str| {
            let end = folded(self.question.given.get(end)?, folds);
            let end = canonical(self.oracle.model, kind, end.into_owned());
            order(kind, &mine, &end)
        };
        match range.ends {
            Ends::Both => {
                against(&format!("{name}_from")).is_some_and(Ordering::is_ge)
                    && against(&format!("{name}_to")).is_some_and(Ordering::is_le)
            }
            Ends::From => against(name).is_some_and(Ordering::is_ge),
            Ends::After => against(name).is_some_and(Ordering::is_gt),
            Ends::Until => against(name).is_some_and(Ordering::is_le),
            Ends::Before => against(name).is_some_and(Ordering::is_lt),
        }
    }

    fn meets_condition(&self, record: &Record) -> bool {
        let condition = self.access.condition.as_ref();
        condition.is_none_or(|condition| {
            holds(
                self.oracle.model,
                &condition.condition,
                record,
                &self.question.given,
            )
        })
    }

    /// As a caller wants it in addition. Equal to a value is, of a list or set, containing it; what is not there is within no range.
    fn fits(&self, record: &Record, field: FieldId, wanted: &Refinement) -> bool {
        let kind = self.entity.field(field).kind();
        let mine = record.value(field);
        let is = |value: &Value| {
            mine.is_some_and(|mine| match mine {
                Value::Array(_) => has(kind, mine, value),
                mine => same(kind, mine, value),
            })
        };
        let against = |end: &Value| order(kind, mine?, end);
        match wanted {
            Refinement::Is(value) => is(value),
            Refinement::OneOf(values) => values.iter().any(is),
            Refinement::From(low) => against(low).is_some_and(Ordering::is_ge),
            Refinement::Until(high) => against(high).is_some_and(Ordering::is_le),
            Refinement::Between(low, high) => {
                against(low).is_some_and(Ordering::is_ge)
                    && against(high).is_some_and(Ordering::is_le)
            }
            Refinement::Present => mine.is_some(),
            Refinement::Absent => mine.is_none(),
        }
    }

    /// Every word is in one of the fields, whatever its case and its accents.
    fn has_words(&self, record: &Record) -> bool {
        let Verb::Search { matches, .. } = &self.access.verb else {
            return true;
        };
        let texts = matches
            .iter()
            .filter_map(|field| record.value(field.id)?.as_str());
        let texts: Vec<String> = texts.map(bare).collect();
        self.words
            .iter()
            .all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// A text as a search reads it: without case and accents, and compatible letters as one. Marks on letters of other scripts than Latin, Greek and
/// Cyrillic are no accents.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut base = ' ';
    for letter in text.nfkd() {
        if !is_combining_mark(letter) {
            base = letter;
            bare.extend(letter.to_lowercase());
        } else if base.is_alphabetic() && !is_european(base) {
            bare.push(letter);
        }
    }
    let mut bare: String = bare.nfc().collect();
    // Letters that are two in capitals, or have another form at the end of a word, or a stroke that is no mark.
    let plain = [
        "ßss", "ςσ", "æae", "œoe", "øo", "łl", "đd", "ðd", "þth", "ħh", "ŧt", "ıi",
    ];
    for pair in plain {
        let (letter, letters) = pair.split_at(pair.chars().next().map_or(0, char::len_utf8));
        if bare.contains(letter) {
            bare = bare.replace(letter, letters);
        }
    }
    bare
}

/// Whether a letter is Latin, Greek or Cyrillic, by the blocks of Unicode.
fn is_european(letter: char) -> bool {
    let blocks = [
        (0, 0x52f),
        (0x1c80, 0x1c8f),
        (0x1d00, 0x1dbf),
        (0x1e00, 0x1fff),
        (0x2c60, 0x2c7f),
        (0xa640, 0xa69f),
        (0xa720, 0xa7ff),
        (0xab30, 0xab6f),
    ];
    let code = u32::from(letter);
    blocks
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&code))
}
