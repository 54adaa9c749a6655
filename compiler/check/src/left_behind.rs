//! What a write by hand leaves as it was, and the same write planned would take along: guards and counters.

use std::collections::BTreeMap;

use tablewright_model::Span;
use tablewright_model::model::{
    Access, ActionKind, Entity, EntityId, FieldChanges, Model, Request,
};
use tablewright_plan::{Answer, ItemRole, plan_one};

use crate::Context;

/// An action of a request that writes its own items and no others.
pub(crate) struct ByHand<'m> {
    pub(crate) position: usize,
    pub(crate) access: &'m Access,
    pub(crate) kind: ActionKind,
    pub(crate) entity: EntityId,
    pub(crate) changes: &'m FieldChanges,
    /// The characters to change.
    pub(crate) at: Span,
    /// The unique values whose guard would go along.
    pub(crate) guards: Vec<String>,
    /// Who counts what is written.
    pub(crate) keepers: Vec<EntityId>,
}

/// The writes by hand that leave something behind. A transaction by hand may have guards and counts among its items, and nothing says whether it has.
pub(crate) fn writes_by_hand<'m>(context: &Context<'m>) -> Vec<ByHand<'m>> {
    let model = context.model;
    let mut found = Vec::new();
    for (position, access, plan) in context.by_hand() {
        if !matches!(
            plan.request,
            Request::PutItem | Request::UpdateItem | Request::DeleteItem | Request::BatchWriteItem
        ) {
            continue;
        }
        let Some((guards, keepers)) = taken_along(model, access) else {
            continue;
        };
        for (kind, entity, changes) in access.verb.writes() {
            let counted_by = &model.entity(entity.id).counted_by;
            let write = ByHand {
                position,
                access,
                kind,
                entity: entity.id,
                changes,
                at: plan
                    .request_span
                    .unwrap_or_else(|| entity.written.content()),
                guards: guards.get(&entity.id).cloned().unwrap_or_default(),
                keepers: (keepers.iter().copied())
                    .filter(|keeper| counted_by.contains(keeper))
                    .collect(),
            };
            if !write.guards.is_empty() || !write.keepers.is_empty() {
                found.push(write);
            }
        }
    }
    found
}

type Guards = BTreeMap<EntityId, Vec<String>>;

/// The guards and the keepers among the items of a pattern, if it were planned.
fn taken_along(model: &Model, access: &Access) -> Option<(Guards, Vec<EntityId>)> {
    let planned = Access {
        by_hand: None,
        ..access.clone()
    };
    let Answer::Write(plan) = plan_one(model, &planned).answer else {
        return None;
    };
    let (mut guards, mut keepers) = (Guards::new(), Vec::new());
    for item in &plan.items {
        match &item.role {
            ItemRole::Guard(name) => {
                let names = guards.entry(item.entity).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            _ if item.counts && !keepers.contains(&item.entity) => keepers.push(item.entity),
            _ => {}
        }
    }
    Some((guards, keepers))
}

impl ByHand<'_> {
    /// The counters of a keeper that the write would change, by name.
    pub(crate) fn counters<'k>(&self, keeper: &'k Entity) -> Vec<&'k str> {
        let touches = |name: &str| {
            let mut touched = self.changes.set.iter().chain(&self.changes.add);
            touched.any(|known| known.written.value == name)
        };
        let mut identity = keeper.identity().into_iter();
        let moves = self.kind != ActionKind::Update
            || identity.any(|field| touches(keeper.field(field).name.as_str()));
        let counters = keeper.counters.iter().filter(|counter| {
            let per = counter.per.as_ref();
            counter.counts.1 == self.entity
                && counter.kept_by.is_none()
                && (moves || per.is_some_and(|(per, _)| touches(per.as_str())))
        });
        counters.map(|counter| counter.name.as_str()).collect()
    }
}
