//! What a request written by hand costs.

use tablewright_model::model::{Access, ActionKind, FieldChanges, Model, Request, Verb};

use crate::cost::{self, QueryShape, Written};
use crate::expression::KeyTest;
use crate::hand::{Alignment, HandOperand, HandPlan};
use crate::{Cost, CostOf};

/// The cost of a request by hand, of what [`CostOf`] says: of a write with all its indexes. Of several actions by
/// hand there is none: what a transaction holds besides them is not said.
pub fn cost_by_hand(model: &Model, access: &Access, plan: &HandPlan) -> Option<Cost> {
    match plan.request {
        Request::Scan => Some(cost::of_scan(
            model,
            plan.place.table,
            access.consistency.value,
        )),
        Request::Query => Some(query(model, access, plan)),
        Request::TransactWriteItems => item(model, access, true),
        _ => item(model, access, false),
    }
}

fn query(model: &Model, access: &Access, plan: &HandPlan) -> Cost {
    let entities: Vec<_> = plan.entities.iter().map(|id| model.entity(*id)).collect();
    let limit = access.by_hand.as_ref().and_then(|by_hand| by_hand.limit);
    let whole_key = plan.sort.as_ref().is_some_and(|sort| {
        let whole = |operand: &HandOperand| operand.alignment == Alignment::Whole;
        matches!(sort.test, KeyTest::Equals(_)) && sort.values.iter().all(whole)
    });
    // Its `Limit` counts what is read, whatever the filter drops.
    let shape = QueryShape {
        index: plan.place.index,
        requests: 1,
        consistency: access.consistency.value,
        filtered: plan.filter.is_some() && limit.is_none(),
        whole_key,
        page: limit.map_or(access.page.value, |limit| limit.value),
        // It asks for no more than the index holds.
        fetches: false,
    };
    cost::of_query(model, access, &entities, &shape)
}

fn item(model: &Model, access: &Access, transaction: bool) -> Option<Cost> {
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
    if kind == ActionKind::Get {
        let one = cost::of_item(model, entity, access.consistency.value);
        return Some(match CostOf::of(access) {
            CostOf::Batch(keys) => one.times(keys),
            _ => one,
        });
    }
    // Its conditions are not those of the language, and say nothing here.
    let by_hand = Written {
        entity,
        kind,
        changes,
        condition: None,
    };
    let indexes = cost::index_writes(model, by_hand);
    let written = cost::of_write(model, entity, &indexes);
    Some(cost::sum(&[written], transaction))
}
