//! The capacity units a second that declared rates put on one partition, where the model tells how many there are.

use std::collections::BTreeMap;

use tablewright_keys::TypedPiece;
use tablewright_model::model::{
    Access, ActionKind, Entity, EntityId, IndexId, KeyTemplate, Model, TableId,
};
use tablewright_plan::{
    Answer, CostOf, ItemRole, KeyPiece, KeyText, Operation, Origin, ReadPlan, Via, WritePlan,
    stored_size,
};

use crate::context::{Context, KeyPlace, KeyRole, KeyUse};

/// What a write unit holds.
const WRITE_UNIT: u64 = 1024;

/// Where an entity is kept: in its table, or in an index of it.
type Kept = (EntityId, Option<IndexId>);

/// Units a second, and the patterns they come from.
#[derive(Default)]
pub(crate) struct Load {
    /// Units a second over all partitions.
    pub(crate) units: f64,
    /// The pattern that brings most of them, by position, with its units.
    pub(crate) most: Option<(usize, f64)>,
}

impl Load {
    fn add(&mut self, pattern: usize, units: f64) {
        self.units += units;
        if units > 0.0 && self.most.is_none_or(|(_, most)| units > most) {
            self.most = Some((pattern, units));
        }
    }

    fn join(&mut self, other: &Load) {
        self.units += other.units;
        if let Some((pattern, units)) = other.most
            && self.most.is_none_or(|(_, most)| units > most)
        {
            self.most = Some((pattern, units));
        }
    }
}

/// The write units a second of the partitions of one template, whatever entities are kept there.
pub(crate) struct WriteLoad<'c, 'm> {
    /// The key that gets most of them.
    pub(crate) key: &'c KeyUse<'m>,
    most: f64,
    /// How many partitions they are spread over; none where no entity tells.
    pub(crate) partitions: Option<f64>,
    /// What is written.
    pub(crate) load: Load,
}

/// The writes by partition template: entities with the same one share its partitions.
pub(crate) fn writes<'c, 'm>(context: &'c Context<'m>) -> Vec<WriteLoad<'c, 'm>> {
    let by_kind = writes_by_kind(context);
    let mut loads: BTreeMap<(TableId, Option<IndexId>, &str), WriteLoad<'_, '_>> = BTreeMap::new();
    for key in context.written_keys() {
        let index = match key.place {
            KeyPlace::Table => None,
            KeyPlace::Index(index) => Some(index),
            KeyPlace::Guard(_) => continue,
        };
        let (KeyRole::Partition, Some(own)) = (key.role, by_kind.get(&(key.entity, index))) else {
            continue;
        };
        let entity = context.model.entity(key.entity);
        let partitions = partitions_of(entity, key.template);
        let place = (entity.table, index, key.template.written.as_str());
        let load = loads.entry(place).or_insert_with(|| WriteLoad {
            key,
            most: 0.0,
            partitions: None,
            load: Load::default(),
        });
        if own.units > load.most {
            (load.key, load.most) = (key, own.units);
        }
        load.partitions = match (load.partitions, partitions) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        load.load.join(own);
    }
    loads.into_values().collect()
}

fn writes_by_kind(context: &Context<'_>) -> BTreeMap<Kept, Load> {
    let mut loads: BTreeMap<Kept, Load> = BTreeMap::new();
    for (position, access, plan) in context.accesses() {
        let Some(rate) = access.rate.filter(|rate| *rate > 0.0) else {
            continue;
        };
        let of_pattern = match &plan.answer {
            Answer::Write(plan) => planned(context.model, plan),
            Answer::ByHand(_) => by_hand(context.model, access),
            Answer::Read(_) | Answer::Nothing(_) => continue,
        };
        // A batch is as many writes as it has items.
        let items = match CostOf::of(access) {
            CostOf::Item => access.returns.unwrap_or(1) as f64,
            _ => 1.0,
        };
        for (kept, units) in of_pattern {
            let load = loads.entry(kept).or_default();
            load.add(position, rate * items * units);
        }
    }
    loads
}

fn planned(model: &Model, plan: &WritePlan) -> Vec<(Kept, f64)> {
    // A transaction writes the table twice over; its indexes follow at the single price.
    let times = if plan.operation == Operation::TransactWriteItems {
        2.0
    } else {
        1.0
    };
    let mut units = Vec::new();
    for item in &plan.items {
        // Guards lie in partitions of their own.
        if matches!(item.role, ItemRole::Guard(_)) {
            continue;
        }
        units.push((
            (item.entity, None),
            times * blocks(model, item.entity, None),
        ));
        let table = model.table_of(item.entity);
        for entries in item.entries_each_time(model) {
            if let Some((index, _)) = table.index_named(&entries.index) {
                let each = blocks(model, item.entity, Some(index));
                units.push(((item.entity, Some(index)), entries.most as f64 * each));
            }
        }
    }
    units
}

/// A write by hand: the item itself, and of a new or deleted one its entry in every index.
fn by_hand(model: &Model, access: &Access) -> Vec<(Kept, f64)> {
    let mut units = Vec::new();
    for (kind, entity, _) in access.verb.writes() {
        units.push(((entity.id, None), blocks(model, entity.id, None)));
        if matches!(kind, ActionKind::Create | ActionKind::Delete) {
            let keys = model.entity(entity.id).index_keys.iter();
            units.extend(keys.map(|key| {
                let each = blocks(model, entity.id, Some(key.index));
                ((entity.id, Some(key.index)), each)
            }));
        }
    }
    units
}

/// The units of one write; one where the size is not declared, which it is at least.
fn blocks(model: &Model, entity: EntityId, index: Option<IndexId>) -> f64 {
    let size = stored_size(model, entity, index).unwrap_or(1);
    size.div_ceil(WRITE_UNIT).max(1) as f64
}

/// The read units a second of each partition text that is asked, with the number of its partitions.
pub(crate) struct ReadLoad {
    /// Whose key is asked.
    pub(crate) entity: EntityId,
    /// Where.
    pub(crate) index: Option<IndexId>,
    /// How many partitions the reads are spread over.
    pub(crate) partitions: f64,
    /// What is read.
    pub(crate) load: Load,
}

/// The reads whose partitions can be counted, those of the same partitions together.
pub(crate) fn reads(context: &Context<'_>) -> Vec<ReadLoad> {
    let mut loads: BTreeMap<(usize, Option<IndexId>, String), ReadLoad> = BTreeMap::new();
    for (position, access, plan) in context.reads() {
        let Some(rate) = access.rate.filter(|rate| *rate > 0.0) else {
            continue;
        };
        let (Some(entity), Some(partitions)) = (asked(plan), partitions_read(context.model, plan))
        else {
            continue;
        };
        let place = (plan.place.table.0, plan.place.index);
        let key = (place.0, place.1, plan.partition.to_string());
        let load = loads.entry(key).or_insert_with(|| ReadLoad {
            entity,
            index: plan.place.index,
            partitions,
            load: Load::default(),
        });
        let units = plan.cost.units.unwrap_or(plan.cost.at_least);
        load.load.add(position, rate * units);
    }
    loads.into_values().collect()
}

/// The entity whose key is asked; none for a guard, which leads to two partitions.
fn asked(plan: &ReadPlan) -> Option<EntityId> {
    match &plan.via {
        Via::Key => plan.entities.first().copied(),
        Via::Counter { entity, .. } => Some(*entity),
        Via::Guard(_) => None,
    }
}

fn partitions_read(model: &Model, plan: &ReadPlan) -> Option<f64> {
    let entity = model.entity(asked(plan)?);
    partitions_of_text(entity, &plan.partition)
}

fn partitions_of_text(entity: &Entity, text: &KeyText) -> Option<f64> {
    let mut partitions = 1.0;
    for piece in &text.pieces {
        partitions *= match piece {
            KeyPiece::Literal(_)
            | KeyPiece::Value {
                origin: Origin::Fixed(_),
                ..
            } => 1.0,
            KeyPiece::Value {
                origin: Origin::EveryShard(shards),
                ..
            } => f64::from(*shards),
            KeyPiece::Value {
                typed: TypedPiece::Field {
                    name, encodings, ..
                },
                ..
            } => match encodings.shard {
                Some(shards) => f64::from(shards),
                None => entity.distinct(entity.field_named(name)?)? as f64,
            },
            KeyPiece::Value { .. } => return None,
        };
    }
    Some(at_most_the_items(entity, partitions))
}

/// How many partitions a template spreads the items of its entity over; none where a field's values are not counted.
fn partitions_of(entity: &Entity, template: &KeyTemplate) -> Option<f64> {
    let mut partitions = 1.0;
    for (_, field, part) in template.field_parts() {
        partitions *= match part.encodings.shard {
            Some(shards) => f64::from(shards),
            None => entity.distinct(field)? as f64,
        };
    }
    Some(at_most_the_items(entity, partitions))
}

fn at_most_the_items(entity: &Entity, partitions: f64) -> f64 {
    let items = entity.facts.items.map_or(f64::MAX, |items| items as f64);
    partitions.min(items).max(1.0)
}
