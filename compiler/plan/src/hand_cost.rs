//! What a request written by hand costs.

use tablewright_model::model::{
    Access, ActionKind, Entity, EntityId, FieldChanges, Model, Request, Verb,
};

use crate::cost::{self, IndexWrite, QueryShape, Written};
use crate::expression::KeyTest;
use crate::hand::{Alignment, HandOperand, HandPlan};
use crate::{Cost, CostOf};

/// The cost of a request by hand, of what [`CostOf`] says: of a write with all its indexes, and nothing but what its pattern names.
pub fn cost_by_hand(model: &Model, access: &Access, plan: &HandPlan) -> Option<Cost> {
    match plan.request {
        Request::Scan => Some(cost::of_scan(
            model,
            plan.place.table,
            access.consistency.value,
        )),
        Request::Query => Some(query(model, access, plan)),
        _ if access.verb.is_read() => one_or_many(model, access),
        request => {
            let items = written(model, access);
            let costs: Vec<_> = items
                .iter()
                .map(|(entity, indexes)| cost::of_write(model, entity, indexes))
                .collect();
            let together = request == Request::TransactWriteItems;
            (!costs.is_empty()).then(|| cost::sum(&costs, together))
        }
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

/// What is read by whole keys.
fn one_or_many(model: &Model, access: &Access) -> Option<Cost> {
    let entity = model.entity(access.verb.entity().id);
    let one = || cost::of_item(model, entity, access.consistency.value);
    match (&access.verb, CostOf::of(access)) {
        (Verb::Batch(_), CostOf::Batch(keys)) => Some(one().times(keys)),
        (Verb::Batch(_) | Verb::Get(_), _) => Some(one()),
        _ => None,
    }
}

/// The items a write by hand names, each with what its indexes have to write; no guard, no count, and of a check the item alone.
pub(crate) fn written<'m>(model: &'m Model, access: &Access) -> Vec<(&'m Entity, Vec<IndexWrite>)> {
    let of = |kind: ActionKind, id: EntityId, changes: &FieldChanges| {
        let entity = model.entity(id);
        // Its conditions are not those of the language, and say nothing here.
        let by_hand = Written {
            entity,
            kind,
            changes,
            condition: None,
        };
        (entity, cost::index_writes(model, by_hand))
    };
    match &access.verb {
        Verb::Transact(actions) => {
            let actions = actions
                .iter()
                .filter(|action| action.kind != ActionKind::Get);
            actions
                .map(|action| of(action.kind, action.entity.id, &action.changes))
                .collect()
        }
        verb => {
            let writes = verb.writes().into_iter();
            writes
                .map(|(kind, entity, changes)| of(kind, entity.id, changes))
                .collect()
        }
    }
}
