//! How what a pattern brings spreads over the partitions of a place.

use std::collections::HashMap;

use tablewright_model::Model;
use tablewright_model::model::{EntityId, IndexId, Key};

use super::current;
use super::traffic::{Goes, To};
use crate::indexed::is_in;
use crate::record::{Record, key_value};

/// The items traffic follows: those of each entity.
pub(super) struct Items<'h> {
    pub(super) model: &'h Model,
    pub(super) by_entity: &'h [Vec<Record>],
}

impl Items<'_> {
    /// How many of the items that traffic goes to are in each partition. What counts others is asked for and written with each of them.
    pub(super) fn in_partitions(
        &self,
        goes: &Goes,
        index: Option<IndexId>,
        current: &[String],
    ) -> HashMap<String, u64> {
        let own = &self.by_entity[goes.entity.0];
        let mut counts = HashMap::new();
        let mut count = |partition: Option<String>| {
            if let Some(partition) = partition {
                *counts.entry(partition).or_default() += 1;
            }
        };
        let counted = match &goes.to {
            To::Guards(guard) => {
                let guard = self.guard(goes.entity, *guard);
                let guards = own.iter().map(|record| {
                    let guard = guard.filter(|guard| has_all(guard, record))?;
                    self.rendered(guard, record, current)
                });
                guards.for_each(count);
                return counts;
            }
            To::Items => {
                let mut counted: Vec<EntityId> = self.counted_by(goes.entity).collect();
                counted.sort();
                counted.dedup();
                let items = own
                    .iter()
                    .map(|record| self.partition_of(record, index, current));
                items.for_each(&mut count);
                counted
            }
            To::Keepers(counted) => counted.clone(),
        };
        let keepers = self.keepers(goes.entity, index);
        for counted in counted {
            for record in &self.by_entity[counted.0] {
                let keeper = self
                    .identity(goes.entity, record)
                    .and_then(|key| keepers.get(&key));
                count(match keeper {
                    Some(keeper) => self.partition_of(keeper, index, current),
                    None => self.partition_of_keeper(goes.entity, record, index, current),
                });
            }
        }
        counts
    }

    fn guard(&self, entity: EntityId, position: usize) -> Option<&Key> {
        let unique = self.model.entity(entity).unique.get(position);
        unique.and_then(|unique| unique.guard.as_ref())
    }

    fn counted_by(&self, keeper: EntityId) -> impl Iterator<Item = EntityId> {
        let counters = self.model.entity(keeper).counters.iter();
        counters.map(|counter| counter.counts.1)
    }

    /// What keeps counts and has more than those in an index, by what tells one from another: there what it counts does not say where it is.
    fn keepers(&self, keeper: EntityId, index: Option<IndexId>) -> HashMap<Vec<String>, &Record> {
        let own = self.by_entity[keeper.0].iter().filter(|_| index.is_some());
        own.filter_map(|record| Some((self.identity(keeper, record)?, record)))
            .collect()
    }

    /// What tells items of an entity apart, as one of them or what it counts says it.
    fn identity(&self, entity: EntityId, record: &Record) -> Option<Vec<String>> {
        let described = self.model.entity(record.entity());
        let entity = self.model.entity(entity);
        let identity = entity.identity().into_iter().map(|field| {
            let field = described.field_named(entity.field(field).name.as_str())?;
            Some(record.value(field)?.to_string())
        });
        identity.collect()
    }

    fn partition_of(
        &self,
        record: &Record,
        index: Option<IndexId>,
        current: &[String],
    ) -> Option<String> {
        let entity = self.model.entity(record.entity());
        let Some(index) = index else {
            return self.rendered(&entity.key, record, current);
        };
        let mut keys = entity.keys_in(index);
        let key = keys.find(|key| is_in(self.model, key, record))?;
        self.rendered(&key.key, record, current)
    }

    /// Where that is which counts an item, as far as the item says it: all of its key, and of an index what is made of that.
    fn partition_of_keeper(
        &self,
        keeper: EntityId,
        counted: &Record,
        index: Option<IndexId>,
        current: &[String],
    ) -> Option<String> {
        let entity = self.model.entity(keeper);
        let Some(index) = index else {
            return self.rendered(&entity.key, counted, current);
        };
        let mut keys = entity.keys_in(index);
        let key = keys.find(|key| {
            let mut parts = key.key.partition.field_parts();
            parts.all(|(_, field, _)| entity.key.has(field))
        });
        self.rendered(&key?.key, counted, current)
    }

    /// The partition of a key, of the fields an item has by their names. Of those that are current, what they are now.
    fn rendered(&self, key: &Key, record: &Record, current: &[String]) -> Option<String> {
        let entity = self.model.entity(record.entity());
        let value = |name: &str| {
            let field = entity.field_named(name)?;
            let stored = record.value(field)?;
            let now = current.iter().any(|one| one == name);
            let now = now.then(|| current::value_of(entity.field(field).kind()));
            key_value(&now.flatten().unwrap_or_else(|| stored.clone()))
        };
        key.partition.typed.render(value).ok()
    }
}

fn has_all(key: &Key, record: &Record) -> bool {
    let mut fields = key.field_ids().into_iter();
    fields.all(|field| record.value(field).is_some())
}
