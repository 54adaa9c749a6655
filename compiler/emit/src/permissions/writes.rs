//! What writes need: the items they write, and those they look at.

use tablewright_model::model::{
    Access, ActionKind, Entity, EntityId, FieldChanges, FieldId, Model, Verb,
};
use tablewright_plan::{ItemRole, WritePlan, deciding, needs_the_sum};

use super::reads::action_of;
use super::{Action, Needs};

/// The actions of a write: what is done to which entity.
pub(super) fn actions(access: &Access) -> Vec<(ActionKind, EntityId)> {
    match &access.verb {
        Verb::Transact(actions) => {
            let actions = actions.iter();
            actions
                .map(|action| (action.kind, action.entity.id))
                .collect()
        }
        Verb::Batch(action) => vec![(action.kind, action.entity.id)],
        verb => {
            let writes = verb.writes().into_iter();
            writes.map(|(kind, entity, _)| (kind, entity.id)).collect()
        }
    }
}

/// One action of a write, with what decides whether its item is looked at.
struct Named<'a> {
    kind: ActionKind,
    entity: EntityId,
    changes: &'a FieldChanges,
    has_condition: bool,
}

impl Needs<'_> {
    pub(super) fn write(&mut self, access: &Access, plan: &WritePlan) {
        let model = self.model;
        // The items, with their guards, their counts and the claim.
        for item in &plan.items {
            match &item.role {
                ItemRole::Guard(name) => {
                    let unique = model.entity(item.entity).unique.iter();
                    let mut named = unique.filter(|unique| unique.name.value == *name);
                    if let Some(guard) = named.find_map(|unique| unique.guard.as_ref()) {
                        self.on_item(action_of(item.kind), item.entity, guard);
                    }
                }
                // The record of a request that is repeated is read.
                ItemRole::Claim => {
                    self.on(Action::PutItem, item.entity);
                    self.on(Action::GetItem, item.entity);
                }
                ItemRole::Named | ItemRole::Counter => {
                    self.on(action_of(item.kind), item.entity);
                }
            }
        }
        let alone = plan.items.len() == 1;
        for named in named(access) {
            self.beside_the_plan(&named, alone || !matches!(access.verb, Verb::Transact(_)));
        }
        // What is found is read by the question that finds it.
        if let Some(finds) = &plan.finds {
            self.read(finds);
        }
    }

    /// What the run time sends besides the items of the plan.
    fn beside_the_plan(&mut self, named: &Named<'_>, by_itself: bool) {
        let model = self.model;
        let entity = model.entity(named.entity);
        let versioned = entity.versioned.is_some();
        let needs_old = may_need_old_values(model, named.entity, named.changes);
        let looks = match named.kind {
            // It is read first, or looked at when its condition is refused, or afterwards where a transaction gave nothing back.
            ActionKind::Update => by_itself || versioned || needs_old,
            ActionKind::Delete => by_itself || versioned || belongs_to_others(model, named.entity),
            // An item of another shape is read, and brought into shape, before it is judged.
            ActionKind::Check => versioned && (named.has_condition || entity.ttl.is_some()),
            ActionKind::Create | ActionKind::Get => false,
        };
        if looks {
            self.on(Action::GetItem, named.entity);
        }
        match named.kind {
            // A change of what was read that changes nothing is a condition and no write.
            ActionKind::Update if needs_old && !versioned => {
                self.on(Action::ConditionCheckItem, named.entity);
            }
            // A count goes into the check of its keeper, unless what is counted comes and goes at once.
            ActionKind::Check => self.on(Action::ConditionCheckItem, named.entity),
            _ => {}
        }
        // A guard ends with what it guards.
        if named.kind == ActionKind::Update && sets_ttl(entity, named.changes) {
            for guard in entity.unique.iter().filter_map(|one| one.guard.as_ref()) {
                self.on_item(Action::UpdateItem, named.entity, guard);
            }
        }
    }
}

fn named(access: &Access) -> Vec<Named<'_>> {
    match &access.verb {
        Verb::Transact(actions) => actions
            .iter()
            .map(|action| Named {
                kind: action.kind,
                entity: action.entity.id,
                changes: &action.changes,
                has_condition: action.condition.is_some(),
            })
            .collect(),
        verb => verb
            .writes()
            .into_iter()
            .map(|(kind, entity, changes)| Named {
                kind,
                entity: entity.id,
                changes,
                has_condition: access.condition.is_some(),
            })
            .collect(),
    }
}

fn touches(changes: &FieldChanges, field: FieldId) -> bool {
    let mut touched = changes.set.iter().chain(&changes.add);
    touched.any(|known| known.id == field)
}

fn sets_ttl(entity: &Entity, changes: &FieldChanges) -> bool {
    let ttl = entity.ttl.as_ref();
    ttl.is_some_and(|(_, field)| touches(changes, *field))
}

/// Whether guards or counters go with an item: to delete it, its values must be known.
fn belongs_to_others(model: &Model, id: EntityId) -> bool {
    let entity = model.entity(id);
    let is_guarded = entity.unique.iter().any(|unique| unique.guard.is_some());
    is_guarded
        || entity
            .counted_by
            .iter()
            .any(|keeper| counts(model, *keeper, id).next().is_some())
}

/// The names of the fields by which a keeper counts, for each of its counters of the entity.
fn counts(model: &Model, keeper: EntityId, of: EntityId) -> impl Iterator<Item = Option<&str>> {
    let counters = model.entity(keeper).counters.iter();
    counters
        .filter(move |counter| counter.counts.1 == of && counter.kept_by.is_none())
        .map(|counter| counter.per.as_ref().map(|(per, _)| per.as_str()))
}

/// Whether some change an update may make needs values it does not set. A caller may leave out a part of what the update may change.
fn may_need_old_values(model: &Model, id: EntityId, changes: &FieldChanges) -> bool {
    let entity = model.entity(id);
    let touched = |field: FieldId| touches(changes, field);
    let named = |name: &str| entity.field_named(name).is_some_and(touched);
    let guards = || {
        entity
            .unique
            .iter()
            .filter_map(|unique| unique.guard.as_ref())
    };
    let guard_moves = guards().any(|guard| guard.field_ids().into_iter().any(touched));
    let guard_follows = guards().next().is_some() && sets_ttl(entity, changes);
    let counted_otherwise = entity.counted_by.iter().any(|keeper| {
        let identity = model.entity(*keeper).identity().into_iter();
        let mut identity = identity.map(|field| model.entity(*keeper).field(field).name.as_str());
        let mut numbers = counts(model, *keeper, id).peekable();
        numbers.peek().is_some() && (identity.any(named) || numbers.flatten().any(named))
    });
    let knows_a_part = entity.index_keys.iter().any(|key| {
        let mut fields = key.key.field_ids();
        fields.extend(deciding(entity, key));
        let identity = entity.identity();
        fields.retain(|field| !identity.contains(field));
        fields.sort_unstable();
        fields.dedup();
        let sets = |field: &FieldId| changes.set.iter().any(|known| known.id == *field);
        needs_the_sum(model, entity, key, changes) || (fields.len() > 1 && fields.iter().any(sets))
    });
    guard_moves || guard_follows || counted_otherwise || knows_a_part
}
