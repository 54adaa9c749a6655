//! The units a second every pattern brings to every place.

#[cfg(test)]
mod tests;

use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, EntityId, Request};
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{
    Answer, CostOf, ItemRole, Operation, ReadPlan, Via, WritePlan, cost_by_hand, items_found, plan,
    plan_one,
};

use super::current::current;
use super::{READ_LIMIT, Spot, WRITE_LIMIT};

const WRITE_UNIT: u64 = 1024;

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
    pub(crate) spot: Spot,
    pub(crate) entity: EntityId,
    /// The fields of the entity that are of now in what is written, by name.
    pub(crate) current: Vec<String>,
    pub(crate) load: Load,
    pub(crate) is_rated: bool,
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

fn of_read(model: &Model, access: &Access, plan: &ReadPlan, traffic: &mut Vec<Traffic>) {
    let units = plan.cost.units.unwrap_or(plan.cost.at_least) * rate(access);
    let entities: Vec<EntityId> = match &plan.via {
        Via::Counter { entity, .. } => vec![*entity],
        _ => plan.entities.clone(),
    };
    // A guard is an item of its own for every item: as evenly spread as what it guards.
    for entity in &entities {
        traffic.push(Traffic {
            pattern: access.name.value.clone(),
            spot: (model.entity(*entity).table, plan.place.index),
            entity: *entity,
            current: Vec::new(),
            load: Load {
                read: units / entities.len() as f64,
                write: 0.0,
            },
            is_rated: access.rate.is_some(),
        });
    }
}

/// A read by hand asks where it says.
fn of_hand_read(model: &Model, access: &Access, hand: &HandPlan, traffic: &mut Vec<Traffic>) {
    let units = cost_by_hand(model, access, hand)
        .map_or(0.0, |cost| cost.units.unwrap_or(cost.at_least))
        * rate(access);
    for entity in &hand.entities {
        traffic.push(Traffic {
            pattern: access.name.value.clone(),
            spot: (hand.place.table, hand.place.index),
            entity: *entity,
            current: Vec::new(),
            load: Load {
                read: units / hand.entities.len() as f64,
                write: 0.0,
            },
            is_rated: access.rate.is_some(),
        });
    }
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
        let finding = Load {
            read: units * rate(access),
            write: 0.0,
        };
        traffic.extend(finds.entities.iter().map(|entity| Traffic {
            pattern: access.name.value.clone(),
            spot: (finds.place.table, finds.place.index),
            entity: *entity,
            current: Vec::new(),
            load: finding,
            is_rated: access.rate.is_some(),
        }));
    }
    let rate = rate(access) * items;
    for item in &plan.items {
        let entity = model.entity(item.entity);
        let size = match item.role {
            ItemRole::Guard(_) => 1,
            _ => entity.facts.size.unwrap_or(1),
        };
        let units = size.div_ceil(WRITE_UNIT).max(1) as f64 * rate;
        let current = current(model, access, &plan.items, item);
        let mut bring = |index, load: Load| {
            traffic.push(Traffic {
                pattern: access.name.value.clone(),
                spot: (entity.table, index),
                entity: item.entity,
                current: current.clone(),
                load,
                is_rated: access.rate.is_some(),
            });
        };
        let reads =
            plan.reads_first && item.role == ItemRole::Named && item.kind != ActionKind::Create;
        bring(
            None,
            Load {
                read: if reads { 0.5 * rate } else { 0.0 },
                write: units * twice,
            },
        );
        for entries in &item.indexes {
            let index = model.table(entity.table).index_named(&entries.index);
            if let Some((index, _)) = index {
                bring(
                    Some(index),
                    Load {
                        read: 0.0,
                        write: units * entries.most as f64,
                    },
                );
            }
        }
    }
}
