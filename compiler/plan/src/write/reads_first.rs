//! Whether a write must know what is there before it can say what to write.

use tablewright_model::model::{
    ActionKind, Entity, EntityId, FieldChanges, FieldId, IndexKey, Model,
};

use super::sums::{deciding, needs_the_sum};

/// Whether the item must be read first. The run time decides by the same rule.
pub(super) fn reads_first(
    model: &Model,
    kind: ActionKind,
    id: EntityId,
    changes: &FieldChanges,
) -> bool {
    let entity = model.entity(id);
    match kind {
        ActionKind::Update => {
            // An addition holds whatever another writer left, so it needs no version.
            entity.versioned.is_some() && !only_adds(changes)
                || needs_old_values(model, id, changes)
        }
        ActionKind::Delete => entity.versioned.is_some() || belongs_to_others(model, id),
        ActionKind::Create | ActionKind::Check | ActionKind::Get => false,
    }
}

/// Whether guards or counters go with an item: to delete it, its values must be known.
fn belongs_to_others(model: &Model, id: EntityId) -> bool {
    let entity = model.entity(id);
    let counts = |keeper: &EntityId| {
        let mut counters = model.entity(*keeper).counters.iter();
        counters.any(|counter| counter.counts.1 == id && counter.kept_by.is_none())
    };
    entity.unique.iter().any(|unique| unique.guard.is_some())
        || entity.counted_by.iter().any(counts)
}

/// Whether an update needs values it does not set: of a guard that moves, of the numbers it was counted in, or of an
/// index key of which it sets only a part.
fn needs_old_values(model: &Model, id: EntityId, changes: &FieldChanges) -> bool {
    let entity = model.entity(id);
    let touches = |field: FieldId| {
        let mut touched = changes.set.iter().chain(&changes.add);
        touched.any(|known| known.id == field)
    };
    let guard_moves = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref())
        .any(|guard| guard.field_ids().into_iter().any(touches));
    let counted_otherwise = entity
        .counted_by
        .iter()
        .any(|keeper| !counted_fields(model, *keeper, id, changes).is_empty());
    let mut keys = entity.index_keys.iter();
    guard_moves
        || counted_otherwise
        || keys.any(|key| knows_only_a_part(model, entity, key, changes))
}

/// Whether the item's place in an index changes, and what the update sets does not say where to.
fn knows_only_a_part(
    model: &Model,
    entity: &Entity,
    key: &IndexKey,
    changes: &FieldChanges,
) -> bool {
    if needs_the_sum(model, entity, key, changes) {
        return true;
    }
    let sets = |field: FieldId| changes.set.iter().any(|known| known.id == field);
    let mut fields = key.key.field_ids();
    fields.extend(deciding(entity, key));
    let identity = entity.identity();
    let known = |field: &FieldId| sets(*field) || identity.contains(field);
    fields.iter().any(|field| sets(*field)) && !fields.iter().all(known)
}

/// The fields an update sets by which a keeper counts: who keeps the number, or which of its numbers it is.
pub(super) fn counted_fields(
    model: &Model,
    keeper: EntityId,
    counted: EntityId,
    changes: &FieldChanges,
) -> Vec<String> {
    let keeper = model.entity(keeper);
    let counters = || {
        keeper
            .counters
            .iter()
            .filter(|counter| counter.counts.1 == counted && counter.kept_by.is_none())
    };
    let keepers = keeper
        .identity()
        .into_iter()
        .map(|field| keeper.field(field).name.value.clone());
    let numbers =
        counters().filter_map(|counter| counter.per.as_ref().map(|(per, _)| per.value.clone()));
    let mut fields: Vec<String> = keepers
        .filter(|_| counters().next().is_some())
        .chain(numbers)
        .collect();
    let touched = || changes.set.iter().chain(&changes.add);
    fields.retain(|name| touched().any(|known| known.written.value == *name));
    fields
}

fn only_adds(changes: &FieldChanges) -> bool {
    changes.set.is_empty() && !changes.add.is_empty()
}
