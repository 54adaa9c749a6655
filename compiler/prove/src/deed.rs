//! One call of a write pattern.

use std::fmt;

use serde_json::{Map, Value};

use crate::record::Record;

/// One call of a write pattern and its effect on the records.
#[derive(Debug, Clone, PartialEq)]
pub struct Deed {
    /// What the caller gives beside keys and items: the `:names` of conditions; of a batch that finds its items, the fields of `by`.
    pub given: Map<String, Value>,
    /// Its actions in the order of the pattern. Of a batch, one for each item, all of one name and each for itself. A batch that finds
    /// its items names what it must find.
    pub actions: Vec<DeedAction>,
    /// The record of the request, where the pattern has one.
    pub claim: Option<Record>,
    /// Items that are made first, by other means than the pattern: there was none as dear to write.
    pub prepared: Vec<Record>,
    /// Items that are there and are made like this first, by other means than the pattern: none was what it demands, and there is no key for another.
    pub made_over: Vec<Record>,
    /// Items that are taken away first, by other means than the pattern: the place of one is the only one there is, or it is larger than declared
    /// and would be deleted with others that are not.
    pub freed: Vec<Record>,
    /// What becomes of the records, in order. Nothing when it is refused.
    pub after: Vec<Effect>,
    /// What it is meant to show, in words.
    pub about: String,
    /// Every item it writes is as dear as one of the declared size at most, and none takes the place of one that is over and still stored: only then a budget must
    /// be kept.
    pub within_facts: bool,
}

impl Deed {
    /// The records that are made first, or made over.
    pub(crate) fn made_first(&self) -> impl Iterator<Item = &Record> {
        self.prepared.iter().chain(&self.made_over)
    }

    /// Whether it does something.
    pub fn is_legal(&self) -> bool {
        !self.after.is_empty() || !self.is_refused()
    }

    /// Whether it must be refused as a whole. The items of a batch are refused each for itself.
    pub fn is_refused(&self) -> bool {
        self.actions.iter().any(|action| action.refused.is_some())
    }
}

/// One action of a deed.
#[derive(Debug, Clone, PartialEq)]
pub struct DeedAction {
    /// Its name among the actions of the pattern.
    pub name: String,
    /// What it does.
    pub act: Act,
    /// Why it must be refused, if it must.
    pub refused: Option<Refusal>,
    /// Its item is as dear as one of the declared size at most.
    pub within_facts: bool,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A new item.
    Create(Record),
    /// A change of the item of a key.
    Update {
        /// Its key.
        key: Map<String, Value>,
        /// The fields that are set; `null` takes a value away.
        set: Map<String, Value>,
        /// The numbers that are raised, or lowered.
        add: Vec<(String, i64)>,
    },
    /// The end of the item of a key.
    Delete {
        /// Its key.
        key: Map<String, Value>,
    },
    /// A look at the item of a key.
    Check {
        /// Its key.
        key: Map<String, Value>,
    },
}

/// Why an action must be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is such an item already.
    Exists,
    /// There is no such item, or its time has passed.
    NotFound,
    /// Another item has this unique value: the name of the guard.
    Taken(String),
    /// Who counts the item is not there: the name of the entity.
    NoKeeper(String),
    /// The item does not meet the condition.
    Condition,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Exists => f.write_str("is there already"),
            Refusal::NotFound => f.write_str("is not there"),
            Refusal::Taken(unique) => write!(f, "has a taken {unique}"),
            Refusal::NoKeeper(keeper) => write!(f, "has no {keeper} that counts it"),
            Refusal::Condition => f.write_str("does not meet the condition"),
        }
    }
}

/// What becomes of one record.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// It is new, or takes the place of one whose time had passed.
    Insert(Record),
    /// It is like this now.
    Replace(Record),
    /// It is no more.
    Remove(Record),
}

impl Effect {
    /// The record it is about: as it is then, or as it was.
    pub fn record(&self) -> &Record {
        let (Effect::Insert(record) | Effect::Replace(record) | Effect::Remove(record)) = self;
        record
    }
}
