//! How often a second tables and indexes are written and read, as far as patterns declare it.

use std::collections::{HashMap, HashSet};

use tablewright_model::model::{EntityId, IndexId, TableId};
use tablewright_plan::{Answer, Place};

use crate::context::Context;

/// What patterns declare to do in a second.
#[derive(Default)]
pub(crate) struct Rates {
    /// Writes of each entity.
    pub(crate) writes: HashMap<EntityId, f64>,
    /// Reads through each index.
    pub(crate) reads: HashMap<(TableId, IndexId), f64>,
    /// The indexes that requests by hand go through.
    pub(crate) by_hand: HashSet<(TableId, IndexId)>,
}

impl Rates {
    pub(crate) fn of(context: &Context<'_>) -> Self {
        let mut rates = Rates::default();
        for (_, access, plan) in context.accesses() {
            let rate = access.rate.unwrap_or_default();
            for (_, entity, _) in access.verb.writes() {
                *rates.writes.entry(entity.id).or_default() += rate;
            }
            let place = match &plan.answer {
                Answer::Read(read) => Some(read.place),
                Answer::ByHand(hand) => Some(hand.place),
                Answer::Write(_) | Answer::Nothing(_) => None,
            };
            let Some(Place {
                table,
                index: Some(index),
            }) = place
            else {
                continue;
            };
            *rates.reads.entry((table, index)).or_default() += rate;
            if let Answer::ByHand(_) = plan.answer {
                rates.by_hand.insert((table, index));
            }
        }
        rates
    }
}
