//! What a cost is the cost of.

use std::fmt;

use tablewright_model::model::{Access, ActionKind, Verb};

/// What a cost is the cost of. What is planned, what a `budget` allows and what a proof measures are of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostOf {
    /// One answer, or one write.
    Request,
    /// A page of a list.
    Page,
    /// A page of a list before the caller refines it. Refined, a page reads on until it is full: as much for every so many items it
    /// passes over.
    PageUnrefined {
        /// Items a page.
        page: u64,
        /// How many a refined page looks at, where the model bounds that.
        looks_at: Option<u64>,
    },
    /// All keys of a batch that is read: as many as it `returns`.
    Batch(u64),
    /// One key of a batch that does not say how many it has.
    Key,
    /// One item of a batch that is written: each is a request of its own.
    Item,
}

impl CostOf {
    /// What the cost of a pattern is the cost of.
    pub fn of(access: &Access) -> Self {
        match &access.verb {
            Verb::List(_) if !access.refine.is_empty() => CostOf::PageUnrefined {
                page: access.page.value,
                looks_at: access.looks_at,
            },
            Verb::List(_) => CostOf::Page,
            Verb::Batch(action) if action.kind == ActionKind::Get => {
                access.returns.map_or(CostOf::Key, CostOf::Batch)
            }
            Verb::Batch(_) => CostOf::Item,
            _ => CostOf::Request,
        }
    }

    /// What is said behind a cost; nothing of a request and a page.
    pub fn note(self) -> String {
        match self {
            CostOf::Request | CostOf::Page => String::new(),
            CostOf::PageUnrefined {
                looks_at: Some(_), ..
            } => ", unrefined".to_owned(),
            CostOf::PageUnrefined { page, .. } => {
                format!(", unrefined; refined, as much for every {page} items it passes over")
            }
            CostOf::Batch(keys) => format!(", for {keys} keys"),
            CostOf::Key => ", for each key".to_owned(),
            CostOf::Item => ", for each item".to_owned(),
        }
    }
}

impl fmt::Display for CostOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostOf::Request => f.write_str("a request"),
            CostOf::Page => f.write_str("a page"),
            CostOf::PageUnrefined { .. } => f.write_str("a page unrefined"),
            CostOf::Batch(keys) => write!(f, "a batch of {keys}"),
            CostOf::Key => f.write_str("a key"),
            CostOf::Item => f.write_str("an item"),
        }
    }
}
