//! The reads by which batches find their items, asked like any list.

use tablewright_model::model::{Access, Verb};
use tablewright_plan::{Plan, found_by};

/// What a batch asks for, and what of it is meant.
#[derive(Debug)]
pub(crate) struct Finding {
    /// All that is found.
    pub(crate) all: Access,
    /// What of it meets the condition of the write: what the batch is for.
    pub(crate) meant: Access,
}

impl Finding {
    /// The finding of a batch that is not given the keys of its items.
    pub(crate) fn of(access: &Access, plan: &Plan) -> Option<Self> {
        plan.read().filter(|_| !access.verb.is_read())?;
        let all = found_by(access)?;
        let Verb::Batch(action) = &access.verb else {
            return None;
        };
        let meant = Access {
            condition: action.condition.clone(),
            ..all.clone()
        };
        Some(Finding { all, meant })
    }
}
