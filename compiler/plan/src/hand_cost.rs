//! What a request written by hand costs, where it is about single items.

use tablewright_model::model::{Access, ActionKind, FieldChanges, Model, Request, Verb};

use crate::Cost;
use crate::cost;
use crate::hand::HandPlan;

/// The cost of a GetItem, or of a write of one item with all its indexes; of a batch, for each item. A Query by hand has
/// none: how much it reads depends on what its condition finds.
pub fn cost_by_hand(model: &Model, access: &Access, plan: &HandPlan) -> Option<Cost> {
    let entity = model.entity(access.verb.entity().id);
    let nothing = FieldChanges::default();
    let (kind, changes) = match &access.verb {
        Verb::Create(_) => (ActionKind::Create, &nothing),
        Verb::Update { changes, .. } => (ActionKind::Update, changes),
        Verb::Delete(_) => (ActionKind::Delete, &nothing),
        Verb::Batch(action) => (action.kind, &action.changes),
        Verb::Get(_) => (ActionKind::Get, &nothing),
        _ => return None,
    };
    match plan.request {
        Request::GetItem | Request::BatchGetItem if kind == ActionKind::Get => {
            Some(cost::of_item(model, entity, access.consistency.value))
        }
        Request::PutItem | Request::UpdateItem | Request::DeleteItem | Request::BatchWriteItem => {
            let indexes = cost::index_writes(model, entity, kind, changes);
            Some(cost::sum(&[cost::of_write(model, entity, &indexes)], false))
        }
        _ => None,
    }
}
