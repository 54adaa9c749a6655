//! Reads of one item by a key that is known whole: its own, that of a guard, that of a counter.

use tablewright_model::condition::Condition;
use tablewright_model::model::{Access, EntityId, Model, Verb};

use super::{Operation, ReadPlan, Via, base};
use crate::bound::KnownValues;
use crate::cost::{self, CostOf};
use crate::fit::fill_whole;
use tablewright_descriptor::key_text::{KeyText, SortTest};

/// GetItem or BatchGetItem, when the primary key is known whole and nothing else is asked.
pub(super) fn by_whole_key(
    model: &Model,
    access: &Access,
    id: EntityId,
    known: &KnownValues,
) -> Option<ReadPlan> {
    let entity = model.entity(id);
    let partition = KeyText::exact(fill_whole(&entity.key.partition, known).ok()?);
    let sort = match &entity.key.sort {
        Some(sort) => SortTest::Equals(KeyText::exact(fill_whole(sort, known).ok()?)),
        None => SortTest::All,
    };
    let scattered = partition.shards() > 1 || sort.texts().iter().any(|text| text.shards() > 1);
    let all_used = access.by.iter().all(|by| entity.key.has(by.id));
    if scattered || !all_used || access.range.is_some() {
        return None;
    }
    let operation = match access.verb {
        Verb::Batch(_) => Operation::BatchGetItem,
        _ => Operation::GetItem,
    };
    let mut plan = base(model, access, id, None, partition, sort);
    plan.operation = operation;
    plan.filter = whole_condition(access);
    let one = cost::of_item(model, entity, plan.consistency);
    plan.cost = match CostOf::of(access) {
        CostOf::Batch(keys) => one.times(keys),
        _ => one,
    };
    Some(plan)
}

/// Everything `where` says: of an item that is got by its key the caller judges it.
fn whole_condition(access: &Access) -> Vec<Condition> {
    let condition = access.condition.as_ref();
    condition
        .map(|condition| condition.condition.clone())
        .into_iter()
        .collect()
}

/// Through a guard item, when its fields are known: one GetItem on it, one on what it guards.
pub(super) fn by_guard(
    model: &Model,
    access: &Access,
    id: EntityId,
    known: &KnownValues,
) -> Option<ReadPlan> {
    let entity = model.entity(id);
    entity.unique.iter().find_map(|unique| {
        let guard = unique.guard.as_ref()?;
        let partition = KeyText::exact(fill_whole(&guard.partition, known).ok()?);
        let sort = match &guard.sort {
            Some(sort) => SortTest::Equals(KeyText::exact(fill_whole(sort, known).ok()?)),
            None => SortTest::All,
        };
        if !access.by.iter().all(|by| guard.has(by.id)) {
            return None;
        }
        let mut plan = base(model, access, id, None, partition, sort);
        plan.operation = Operation::GetItem;
        plan.via = Via::Guard(unique.name.value.clone());
        plan.filter = whole_condition(access);
        plan.requests = 2;
        plan.cost = cost::of_item(model, entity, plan.consistency)
            .plus_read(cost::small_item(plan.consistency));
        Some(plan)
    })
}

/// From a counter, when one counts just what is asked.
pub(super) fn by_counter(model: &Model, access: &Access, id: EntityId) -> Option<ReadPlan> {
    if access.range.is_some() {
        return None;
    }
    let asked = fixed_fields(access)?;
    for keeper_id in model.entity(id).counted_by.iter().copied() {
        let keeper = model.entity(keeper_id);
        for counter in keeper
            .counters
            .iter()
            .filter(|counter| counter.counts.1 == id)
        {
            let mut needed: Vec<&str> = keeper
                .identity()
                .into_iter()
                .map(|field| keeper.field(field).name.as_str())
                .collect();
            needed.extend(counter.per.iter().map(|(per, _)| per.as_str()));
            let same = needed.len() == asked.len()
                && needed
                    .iter()
                    .all(|name| asked.iter().any(|has| has == name));
            if !same || counter.kept_by.is_some() {
                continue;
            }
            let keeper_known = KnownValues::of(access, keeper);
            let partition = KeyText::exact(fill_whole(&keeper.key.partition, &keeper_known).ok()?);
            let sort = match &keeper.key.sort {
                Some(sort) => {
                    SortTest::Equals(KeyText::exact(fill_whole(sort, &keeper_known).ok()?))
                }
                None => SortTest::All,
            };
            let mut plan = base(model, access, keeper_id, None, partition, sort);
            plan.operation = Operation::GetItem;
            plan.via = Via::Counter {
                entity: keeper_id,
                counter: counter.name.value.clone(),
            };
            plan.cost = cost::of_item(model, keeper, plan.consistency);
            return Some(plan);
        }
    }
    None
}

/// The names the pattern fixes, by the caller or by itself; none when its `where` says more than that.
fn fixed_fields(access: &Access) -> Option<Vec<String>> {
    let mut names: Vec<String> = access
        .by
        .iter()
        .map(|by| by.written.value.clone())
        .collect();
    if let Some(condition) = &access.condition {
        for part in condition.condition.conjuncts() {
            match part {
                Condition::Compare {
                    field,
                    operator: tablewright_model::condition::Operator::Equal,
                    ..
                } => names.push(field.name.clone()),
                _ => return None,
            }
        }
    }
    Some(names)
}
