//! What a read needs of an index.

use tablewright_model::condition::Condition;
use tablewright_model::model::EntityId;
use tablewright_plan::needed_attributes;

use crate::Context;
use crate::asked::{Asked, Origin};

/// The attributes of an entity that the answer must hold.
pub(crate) fn needed<'c>(context: &Context<'c>, asked: &Asked<'c>, id: EntityId) -> Vec<&'c str> {
    let filtered: Vec<&'c str> = match &asked.origin {
        Origin::Planned(plan) => plan.filter.iter().flat_map(Condition::depends_on).collect(),
        Origin::ByHand(plan) => match (&plan.filter, &asked.access.by_hand) {
            (Some(filter), Some(by_hand)) => filter
                .paths()
                .map(|path| by_hand.attribute(&path.name.text))
                .collect(),
            _ => Vec::new(),
        },
    };
    needed_attributes(context.model, asked.access, id, filtered)
}
