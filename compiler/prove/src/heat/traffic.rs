//! The units a second every pattern brings to every place.

#[cfg(test)]
mod tests;

use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, Consistency, EntityId, IndexId, Request};
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{
    Answer, CostOf, ItemRole, ItemWrite, Operation, ReadPlan, Via, WritePlan, cost_by_hand,
    items_found, plan, plan_one, stored_size,
};

use super::current::current;
use super::{READ_LIMIT, WRITE_LIMIT};
use crate::indexed::counting;

const WRITE_UNIT: u64 = 1024;
const READ_UNIT: u64 = 4096;

/// Units a second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Load {
    pub(crate) read: f64,
    pub(crate) write: f64,
}

impl Load {
    pub(crate) fn add(&mut self, other: Load, share: f64) {
        self.read += other.read * share;
        self.write += other.write * share;
    }

    /// How much of what a partition can do it takes.
    pub(crate) fn strain(&self) -> f64 {
        (self.read / READ_LIMIT).max(self.write / WRITE_LIMIT)
    }

    pub(crate) fn units(&self) -> f64 {
        self.read + self.write
    }
}

/// What one pattern brings to the items of one entity in one place.
#[derive(Debug)]
pub(crate) struct Traffic {
    pub(crate) pattern: String,
    pub(crate) goes: Goes,
    /// Where: in an index, or in the table.
    pub(crate) index: Option<IndexId>,
    /// The fields of the entity that are of now in what is written, by name.
    pub(crate) current: Vec<String>,
    pub(crate) load: Load,
    pub(crate) is_rated: bool,
}

/// Which items traffic goes to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Goes {
    pub(crate) entity: EntityId,
    pub(crate) to: To,
}

/// What of an entity traffic goes to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum To {
    /// Its items.
    Items,
    /// What guards a unique value of each of them, by its position.
    Guards(usize),
    /// Those of them that count items of these entities, with each of those.
    Keepers(Vec<EntityId>),
}

/// The traffic of all patterns of a model.
pub(crate) fn traffic(model: &Model) -> Vec<Traffic> {
    let mut traffic = Vec::new();
    for (access, plan) in model.accesses.iter().zip(plan(model)) {
        match &plan.answer {
            Answer::Read(plan) => of_read(model, access, plan, &mut traffic),
            Answer::Write(plan) => of_write(model, access, plan, &mut traffic),
            Answer::ByHand(hand) if access.verb.is_read() => {
                of_hand_read(model, access, hand, &mut traffic);
            }
            Answer::ByHand(hand) => of_hand_write(model, access, hand, &mut traffic),
            Answer::Nothing(_) => {}
        }
    }
    traffic
}

fn rate(access: &Access) -> f64 {
    access.rate.unwrap_or(1.0)
}

/// What a pattern brings to some items, in the table or in an index.
fn bring(access: &Access, goes: Goes, index: Option<IndexId>, load: Load) -> Traffic {
    Traffic {
        pattern: access.name.value.clone(),
        goes,
        index,
        current: Vec::new(),
        load,
        is_rated: access.rate.is_some(),
    }
}

fn items_of(entity: EntityId) -> Goes {
    Goes {
        entity,
        to: To::Items,
    }
}

fn reading(units: f64) -> Load {
    Load {
        read: units,
        write: 0.0,
    }
}

fn of_read(model: &Model, access: &Access, plan: &ReadPlan, traffic: &mut Vec<Traffic>) {
    let units = plan.cost.units.unwrap_or(plan.cost.at_least) * rate(access);
    let entities: Vec<EntityId> = match &plan.via {
        Via::Counter { entity, .. } => vec![*entity],
        _ => plan.entities.clone(),
    };
    for entity in &entities {
        let index = plan.place.index;
        let mut units = units / entities.len() as f64;
        // A guard is a small item, and is read before what it guards.
        if let Via::Guard(name) = &plan.via
            && let Some(guard) = guard_of(model, *entity, name)
        {
            let of_guard = match plan.consistency {
                Consistency::Strong => 1.0,
                Consistency::Eventual => 0.5,
            } * rate(access);
            traffic.push(bring(access, guard, index, reading(of_guard)));
            units -= of_guard;
        }
        traffic.push(bring(access, items_of(*entity), index, reading(units)));
    }
}

fn guard_of(model: &Model, entity: EntityId, name: &str) -> Option<Goes> {
    let mut unique = model.entity(entity).unique.iter();
    let position = unique.position(|unique| unique.name.value == name)?;
    let to = To::Guards(position);
    Some(Goes { entity, to })
}

/// A read by hand asks where it says.
fn of_hand_read(model: &Model, access: &Access, hand: &HandPlan, traffic: &mut Vec<Traffic>) {
    let units = cost_by_hand(model, access, hand)
        .map_or(0.0, |cost| cost.units.unwrap_or(cost.at_least))
        * rate(access);
    let load = reading(units / hand.entities.len() as f64);
    let entities = hand.entities.iter();
    traffic.extend(entities.map(|entity| bring(access, items_of(*entity), hand.place.index, load)));
}

/// A write by hand writes the items its pattern names and their indexes; no guard, no count, and nothing that it had read before.
fn of_hand_write(model: &Model, access: &Access, hand: &HandPlan, traffic: &mut Vec<Traffic>) {
    let named = Access {
        by_hand: None,
        ..access.clone()
    };
    if let Answer::Write(mut plan) = plan_one(model, &named).answer {
        plan.items.retain(|item| item.role == ItemRole::Named);
        plan.reads_first = false;
        plan.operation = match hand.request {
            Request::TransactWriteItems => Operation::TransactWriteItems,
            _ => Operation::UpdateItem,
        };
        of_write(model, access, &plan, traffic);
    }
}

fn of_write(model: &Model, access: &Access, plan: &WritePlan, traffic: &mut Vec<Traffic>) {
    let twice = if plan.operation == Operation::TransactWriteItems {
        2.0
    } else {
        1.0
    };
    // A batch is as many writes as it has items, and reads more than those if it leaves some alone.
    let items = match CostOf::of(access) {
        CostOf::Item => access.returns.unwrap_or(1) as f64,
        _ => 1.0,
    };
    if let Some(finds) = &plan.finds {
        let pages = items_found(access).unwrap_or(1) as f64 / finds.page.unwrap_or(1).max(1) as f64;
        let units = finds.cost.units.unwrap_or(finds.cost.at_least) * pages.ceil();
        let load = reading(units * rate(access));
        let entities = finds.entities.iter();
        traffic.extend(
            entities.map(|entity| bring(access, items_of(*entity), finds.place.index, load)),
        );
    }
    let rate = rate(access) * items;
    for item in &plan.items {
        let goes = goes_to(model, &plan.items, item);
        let current = current(model, access, &plan.items, item);
        let blocks = |index, block| match item.role {
            ItemRole::Guard(_) => 1.0,
            _ => {
                let size = stored_size(model, item.entity, index).unwrap_or(1);
                size.div_ceil(block).max(1) as f64
            }
        };
        let reads = match plan.reads_first && item.is_read {
            true => 0.5 * blocks(None, READ_UNIT) * rate,
            false => 0.0,
        };
        let of_table = Load {
            read: reads,
            write: blocks(None, WRITE_UNIT) * twice * rate,
        };
        let table = model.table(model.entity(item.entity).table);
        let entries = item.entries_each_time(model).iter();
        let of_indexes = entries.filter_map(|entries| {
            let (index, _) = table.index_named(&entries.index)?;
            let load = Load {
                read: 0.0,
                write: blocks(Some(index), WRITE_UNIT) * entries.most as f64 * rate,
            };
            Some((Some(index), load))
        });
        let places = std::iter::once((None, of_table)).chain(of_indexes);
        traffic.extend(places.map(|(index, load)| Traffic {
            current: current.clone(),
            ..bring(access, goes.clone(), index, load)
        }));
    }
}

/// Which items one item of a write is one of. What counts others is written with whichever of them is.
fn goes_to(model: &Model, items: &[ItemWrite], item: &ItemWrite) -> Goes {
    let counters = &model.entity(item.entity).counters;
    let guard = match &item.role {
        ItemRole::Guard(name) => guard_of(model, item.entity, name),
        _ => None,
    };
    if let Some(guard) = guard {
        return guard;
    }
    let named = items.iter().filter(|one| one.role == ItemRole::Named);
    let counted = named.filter(|one| counting(counters, one.entity).next().is_some());
    let mut counted: Vec<EntityId> = counted.map(|one| one.entity).collect();
    counted.sort();
    counted.dedup();
    let counts = item.counts && item.kind != ActionKind::Create && !counted.is_empty();
    let to = match counts {
        true => To::Keepers(counted),
        false => To::Items,
    };
    Goes {
        entity: item.entity,
        to,
    }
}
