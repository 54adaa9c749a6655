//! The planner: from what an access pattern asks to the DynamoDB request that answers it, with its cost.
//!
//! A read is answered by the table or the index whose partition template the caller's values fill, whose sort
//! template has the longest filled prefix, and whose order is the one asked for. Ranges cover exactly what was
//! asked. Where nothing answers, the plan says why, and which key would.

pub mod bill;
mod bound;
mod collection;
mod cost;
pub mod expression;
mod fingerprint;
mod fit;
pub mod hand;
mod hand_cost;
mod implied;
mod json;
mod lower;
mod order;
pub mod print;
mod projected;
mod read;
mod size;
mod suggest_key;
mod text;
mod write;

use tablewright_model::Model;
use tablewright_model::model::Access;

pub use cost::{Cost, CostOf, LARGEST_PAGE, bounds_a_page, without_items};
pub use fingerprint::fingerprint;
pub use fit::{Misfit, MisfitReason};
pub use hand_cost::cost_by_hand;
pub use lower::{found_by, items_found, lower, lower_planned};
pub use order::OrderGiven;
pub use projected::{holds_attribute, needed_attributes};
pub use read::{NoAnswer, Operation, Place, ReadPlan, Via};
pub use suggest_key::{
    FEW_VALUES, SuggestedKey, shard_part, suggestion as suggested_key, when as when_of,
};
pub use tablewright_descriptor::key_text::{
    KeyPiece, KeyText, Origin, SortTest, Tail, is_prefix_free,
};
pub use write::{IndexEntries, ItemRole, ItemWrite, WritePlan, deciding, needs_the_sum};

/// The bytes read or written for an item of an entity, in its table or in an index of it; none when the facts it needs are
/// not declared.
pub fn stored_size(
    model: &Model,
    entity: tablewright_model::model::EntityId,
    index: Option<tablewright_model::model::IndexId>,
) -> Option<u64> {
    size::of_item(model, model.entity(entity), index).ok()
}

/// How one access pattern is answered.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The pattern's name.
    pub pattern: String,
    /// Its place among the patterns of the model; none of a pattern that was planned alone.
    position: Option<usize>,
    /// The answer.
    pub answer: Answer,
}

/// What the planner found.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "a model has thousands of answers at most, and boxes would be in every reader's way"
)]
pub enum Answer {
    /// A read.
    Read(ReadPlan),
    /// A write.
    Write(WritePlan),
    /// A request written by hand, verified by the checker.
    ByHand(hand::HandPlan),
    /// No key answers it.
    Nothing(NoAnswer),
}

/// Plans every pattern of a model, in its order.
pub fn plan(model: &Model) -> Vec<Plan> {
    model
        .accesses
        .iter()
        .enumerate()
        .map(|(position, access)| Plan {
            position: Some(position),
            ..plan_one(model, access)
        })
        .collect()
}

impl Plan {
    /// The read it is: its own, or the one by which a batch finds its items.
    pub fn read(&self) -> Option<&ReadPlan> {
        match &self.answer {
            Answer::Read(read) => Some(read),
            Answer::Write(write) => write.finds.as_deref(),
            Answer::ByHand(_) | Answer::Nothing(_) => None,
        }
    }

    /// The pattern it is the plan of, without a search where its place is known: of many patterns each is looked for.
    fn access<'m>(&self, model: &'m Model) -> Option<&'m Access> {
        let known = self.position.and_then(|at| model.accesses.get(at));
        known
            .filter(|access| access.name.value == self.pattern)
            .or_else(|| model.access(&self.pattern))
    }
}

/// Plans one pattern.
pub fn plan_one(model: &Model, access: &Access) -> Plan {
    let answer = if let Some(by_hand) = &access.by_hand {
        Answer::ByHand(hand::verify(model, access, by_hand))
    } else if access.verb.is_read() {
        read::plan(model, access)
    } else {
        write::plan(model, access)
    };
    Plan {
        pattern: access.name.value.clone(),
        position: None,
        answer,
    }
}
