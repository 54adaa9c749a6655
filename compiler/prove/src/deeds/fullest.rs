//! The dearest call of a write: an item that is in every index it can be in is made, moved in all of them, or deleted.

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::model::{ActionKind, EntityId, FieldId, Key};

use super::Step;
use super::acts::is_guarded;
use super::workshop::Workshop;
use crate::data::{Fixed, Maker, Style, size_of_record};
use crate::indexed::entries;
use crate::record::Record;

/// How often other values are tried for the conditions of indexes.
const TRIES: usize = 24;

impl Workshop<'_> {
    /// Does something with items that are in as many indexes as they can be.
    pub(super) fn fully<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.fullest = true;
        let made = make(self);
        self.fullest = false;
        made
    }

    /// Of several records the one with most entries, as large as declared if there is one.
    pub(super) fn fullest_of<'r>(
        &self,
        step: &Step<'_>,
        records: impl Iterator<Item = &'r Record>,
    ) -> Option<Record> {
        // What counts something must not go.
        let may_go = |record: &&Record| {
            step.kind != ActionKind::Delete || self.oracle.counts_nothing(record)
        };
        let fullest = records
            .filter(may_go)
            .max_by_key(|record| (self.is_as_declared(record), entries(self.model, record)));
        fullest.cloned()
    }

    /// Values for the optional fields some index or guard holds.
    pub(super) fn fill_indexes(&mut self, id: EntityId, fixed: &mut Fixed) {
        let entity = self.model.entity(id);
        for field in held(self.model, id) {
            if !entity.field(field).is_optional() || fixed.contains_key(&field) {
                continue;
            }
            let is_ttl = entity.ttl.as_ref().is_some_and(|(_, ttl)| *ttl == field);
            let value = match is_ttl {
                true => self.maker.later(&mut self.chance),
                false => self
                    .maker
                    .value(id, field, Style::Typical, &mut self.chance),
            };
            fixed.insert(field, value);
        }
    }

    /// Such values that the conditions of as many indexes as possible hold.
    pub(super) fn meet_conditions(&mut self, id: EntityId, fixed: &mut Fixed) {
        let asked = self.asked_by_indexes(id);
        // A record that nobody gets, to try values on.
        let mut trial = Maker::new(self.model);
        let record = trial.record(id, fixed, Style::Plain, &mut self.chance);
        let Some(record) = record.filter(|_| !asked.is_empty()) else {
            return;
        };
        let mut best = (0, record.clone());
        for _ in 0..TRIES {
            let values = asked.iter().map(|field| {
                let value = self.maker.value(id, *field, Style::Plain, &mut self.chance);
                (field.0, value)
            });
            let values: Vec<(usize, Value)> = values.collect();
            let other = record.with(values);
            let count = entries(self.model, &other);
            if count > best.0 {
                best = (count, other);
            }
        }
        for field in asked {
            fixed.extend(best.1.value(field).map(|value| (field, value.clone())));
        }
    }

    /// The record with all that was to be in it, also what was left out for its size.
    pub(super) fn with_all(&self, record: Record, fixed: &Fixed) -> Option<Record> {
        let values = fixed.iter().map(|(field, value)| (field.0, value.clone()));
        let record = record.with(values.collect::<Vec<_>>());
        (!self.clashes(&record)).then_some(record)
    }

    /// The fields that conditions of indexes are about, and that are free to choose.
    fn asked_by_indexes(&self, id: EntityId) -> Vec<FieldId> {
        let entity = self.model.entity(id);
        let key = entity.identity();
        let mut asked: Vec<FieldId> = Vec::new();
        for when in entity.index_keys.iter().filter_map(|key| key.when.as_ref()) {
            when.condition.visit(&mut |part| {
                let field = part.field();
                asked.extend(field.and_then(|field| entity.field_named(&field.name)));
            });
        }
        asked.retain(|field| {
            !key.contains(field)
                && !is_guarded(self.model, id, *field)
                && !self.maker.links.is_reference(id, *field)
        });
        asked.sort();
        asked.dedup();
        asked
    }
}

/// Whether an item costs no more to write than one of the declared size. Writes are paid by the whole kilobyte, and a size is that of a typical
/// item: one with a few keys more is paid alike.
pub(super) fn is_as_dear_as_declared(model: &Model, record: &Record) -> bool {
    let declared = model.entity(record.entity()).facts.size;
    let units = |size: u64| size.div_ceil(1024);
    declared.is_none_or(|size| units(size_of_record(model, record) as u64) <= units(size))
}

/// The fields some index or guard of an entity holds.
pub(super) fn held(model: &Model, id: EntityId) -> Vec<FieldId> {
    let entity = model.entity(id);
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let mut fields: Vec<FieldId> = indexes.chain(guards).flat_map(Key::field_ids).collect();
    fields.sort();
    fields.dedup();
    fields
}
