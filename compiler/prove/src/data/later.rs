//! What records that come later have, and nobody else may have before them.

use std::collections::HashSet;

use tablewright_model::Model;

use super::about::{key_mark, marks, unique_marks};
use crate::record::Record;

/// The keys and unique values of records that come later. The table is filled with them as they are, whoever else has their keys by then: so no
/// deed may give them away.
#[derive(Debug, Clone, Default)]
pub struct Later {
    marks: HashSet<u64>,
}

impl Later {
    /// Of these records.
    pub fn of<'r>(model: &Model, records: impl IntoIterator<Item = &'r Record>) -> Self {
        let marks = records.into_iter().flat_map(|record| {
            let id = record.entity();
            marks(model.entity(id), id, record.slots())
        });
        Later {
            marks: marks.collect(),
        }
    }

    pub(super) fn has_mark(&self, mark: u64) -> bool {
        self.marks.contains(&mark)
    }

    /// Whether one of them has the key of a record.
    pub(crate) fn has_key_of(&self, model: &Model, record: &Record) -> bool {
        let id = record.entity();
        let key = key_mark(model.entity(id), id, record.slots());
        key.is_some_and(|mark| self.has_mark(mark))
    }

    /// Whether one of them has a unique value of a record.
    pub(crate) fn has_unique_of(&self, model: &Model, record: &Record) -> bool {
        let id = record.entity();
        let mut unique = unique_marks(model.entity(id), id, record.slots());
        unique.any(|mark| self.has_mark(mark))
    }
}
