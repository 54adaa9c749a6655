//! What a pattern must give.

use tablewright_model::Model;

use crate::record::Record;

/// The answer a pattern's intent demands.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// Of a `get`: the item, or nothing.
    One(Option<Record>),
    /// Of a batch of keys: for each in its turn the item, or nothing.
    Each(Vec<Option<Record>>),
    /// Of a list or a search.
    Many {
        /// The items, in the order asked for.
        records: Vec<Record>,
        /// For each the number of the group of equals in that order it belongs to: within a group any order is right. Without an asked
        /// order all are one group.
        groups: Vec<u32>,
    },
    /// Of a count.
    Count(u64),
}

impl Expected {
    /// How many items, or the number that was counted.
    pub fn len(&self) -> u64 {
        match self {
            Expected::One(found) => u64::from(found.is_some()),
            Expected::Each(found) => found.iter().flatten().count() as u64,
            Expected::Many { records, .. } => records.len() as u64,
            Expected::Count(count) => *count,
        }
    }

    /// Whether it is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// None when these are the items and their order is right; otherwise the first difference in words.
    pub fn difference(&self, model: &Model, got: &[Record]) -> Option<String> {
        crate::difference::whole(self, model, got)
    }

    /// None when these can be the first of the items; otherwise the first difference in words.
    pub fn difference_of_first(&self, model: &Model, got: &[Record]) -> Option<String> {
        crate::difference::first(self, model, got)
    }

    /// None when these are the items of a batch in its order; otherwise the first difference in words.
    pub fn difference_of_each(&self, model: &Model, got: &[Option<Record>]) -> Option<String> {
        crate::difference::each(self, model, got)
    }
}
