//! How often a second tables and indexes are written and read, as far as patterns declare it.

use std::collections::HashMap;

use tablewright_model::model::{EntityId, IndexId, TableId};
use tablewright_plan::{Answer, Place};

use crate::context::Context;

/// Write units a second that one partition takes. A write is at least one unit.
pub(crate) const PARTITION_WRITES: f64 = 1000.0;
/// Read units a second that one partition takes.
pub(crate) const PARTITION_READS: f64 = 3000.0;

/// What patterns declare to do in a second.
#[derive(Default)]
pub(crate) struct Rates {
    writes: HashMap<EntityId, f64>,
    reads: HashMap<(TableId, IndexId), f64>,
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
                Answer::Read(_) | Answer::Write(_) => plan.read().map(|read| read.place),
                Answer::ByHand(hand) => Some(hand.place),
                Answer::Nothing(_) => None,
            };
            if let Some(Place {
                table,
                index: Some(index),
            }) = place
            {
                *rates.reads.entry((table, index)).or_default() += rate;
            }
        }
        rates
    }

    /// The writes of an entity.
    pub(crate) fn writes_of(&self, entity: EntityId) -> f64 {
        self.writes.get(&entity).copied().unwrap_or_default()
    }

    /// The reads through an index.
    pub(crate) fn reads_of(&self, table: TableId, index: IndexId) -> f64 {
        self.reads.get(&(table, index)).copied().unwrap_or_default()
    }
}
