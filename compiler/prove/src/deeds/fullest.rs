//! The dearest call of a write: an item that is in every index it can be in is made, moved in all of them, or deleted.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{ActionKind, EntityId, FieldId, Key};

use super::Step;
use super::acts::is_guarded;
use super::keepers::Known;
use super::workshop::{Draft, Workshop};
use crate::data::{Fixed, Maker, Style, size_of_record};
use crate::demand::decide;
use crate::indexed::{counting, weight};
use crate::parameters;
use crate::record::Record;

/// So many choices of values are tried for the conditions of indexes.
const TRIES: usize = 128;

/// So many new items are tried for one that is dearer than all there are.
const NEW_ONES: usize = 4;

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
            .max_by_key(|record| self.rank(record));
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

    /// Such values, or none, that an item is as dear to write as can be: in indexes by their conditions, and counted. What its own write demands is
    /// demanded first.
    pub(super) fn meet_conditions(
        &mut self,
        step: &Step<'_>,
        given: &Map<String, Value>,
        fixed: &mut Fixed,
    ) {
        let id = step.entity;
        let choices: Vec<(FieldId, Vec<Value>)> = self
            .asked_for(step)
            .into_iter()
            .map(|field| (field, self.choices(id, field)))
            .collect();
        // A record that nobody gets, to try values on.
        let mut trial = Maker::new(self.model);
        let record = trial.record(id, fixed, Style::Plain, &mut self.chance);
        let Some(record) = record.filter(|_| !choices.is_empty()) else {
            return;
        };
        let all = choices.iter().try_fold(1_usize, |all, (_, values)| {
            all.checked_mul(values.len()).filter(|all| *all <= TRIES)
        });
        let mut best: Option<((bool, usize), Record)> = None;
        for number in 0..all.unwrap_or(TRIES) {
            let mut rest = number;
            let values = choices.iter().map(|(field, values)| {
                let place = match all {
                    Some(_) => rest % values.len(),
                    None => self.chance.below(values.len()),
                };
                rest /= values.len();
                (field.0, values[place].clone())
            });
            let other = record.with(values.collect::<Vec<_>>());
            let rank = (
                self.may_be_written(step, given, &other),
                weight(self.model, None, Some(&other)),
            );
            if best.as_ref().is_none_or(|(known, _)| *known < rank) {
                best = Some((rank, other));
            }
        }
        for (field, _) in choices {
            let value = best.as_ref().map(|(_, best)| best.slots()[field.0].clone());
            fixed.extend(value.map(|value| (field, value)));
        }
    }

    /// A new item that is dearer to write than any there is, or as dear where one is needed anew. It must be made first.
    pub(super) fn dearer(
        &mut self,
        step: &Step<'_>,
        draft: &Draft,
        than: Option<&Record>,
    ) -> Option<Record> {
        if self.maker.links.only_counts[step.entity.0] {
            return None;
        }
        let best = than.map(|than| self.rank(than));
        for _ in 0..NEW_ONES {
            let mut fixed = self.fixed(step.entity, &draft.bound);
            fixed.retain(|_, value| !value.is_null());
            self.fill_indexes(step.entity, &mut fixed);
            self.meet_conditions(step, &draft.given, &mut fixed);
            let made = self
                .maker
                .record(step.entity, &fixed, Style::Plain, &mut self.chance);
            let made = made.and_then(|made| self.with_all(made, &fixed));
            let free = self.unbound(step.entity, &draft.bound);
            let known = Known {
                draft: Some(draft),
                ..Known::default()
            };
            let made = made.and_then(|made| self.counted_by_somebody(made, &free, &known));
            // Who counts it may be a part of its key.
            let Some(made) = made.filter(|made| self.is_free(made)) else {
                continue;
            };
            if !self.oracle.is_alive(&made) || !self.may_be_written(step, &draft.given, &made) {
                continue;
            }
            let rank = Some(self.rank(&made));
            if rank > best || self.anew && rank == best {
                return Some(made);
            }
            // As large as declared is luck; what is as dear as that is the dearest there is.
            if rank.map(|(_, weight)| weight) <= best.map(|(_, weight)| weight)
                && best.is_some_and(|(as_declared, _)| as_declared)
            {
                return None;
            }
        }
        None
    }

    /// Of two records the one with the greater rank is to be written: as large as declared, then as dear as can be.
    pub(super) fn rank(&self, record: &Record) -> (bool, usize) {
        (
            self.is_as_declared(record),
            weight(self.model, Some(record), None),
        )
    }

    /// Whether some values of the caller meet what a write demands of an item.
    fn may_be_written(
        &mut self,
        step: &Step<'_>,
        given: &Map<String, Value>,
        record: &Record,
    ) -> bool {
        let (model, chance) = (self.model, &mut self.chance);
        step.kind == ActionKind::Create
            || step.condition.is_none_or(|condition| {
                let condition = &condition.condition;
                parameters::found(model, condition, record, given, true, chance).is_some()
            })
    }

    /// What a field may be, as far as conditions tell values apart: nothing, each of its words, and another.
    fn choices(&mut self, id: EntityId, field: FieldId) -> Vec<Value> {
        let declared = self.model.entity(id).field(field);
        let kind = declared.kind();
        let mut choices: Vec<Value> = match (kind.words(), kind) {
            (Some(words), _) => words.iter().cloned().map(Value::String).collect(),
            (None, FieldType::Bool) => vec![Value::Bool(false), Value::Bool(true)],
            _ => {
                let mut values = self.maker.named(id, field).to_vec();
                let other = self.maker.value(id, field, Style::Plain, &mut self.chance);
                values.push(other);
                values
            }
        };
        if declared.is_optional() {
            choices.push(Value::Null);
        }
        choices
    }

    /// The record with all that was to be in it, also what was left out for its size.
    pub(super) fn with_all(&self, record: Record, fixed: &Fixed) -> Option<Record> {
        let values = fixed.iter().map(|(field, value)| (field.0, value.clone()));
        let record = record.with(values.collect::<Vec<_>>());
        (!self.clashes(&record)).then_some(record)
    }

    /// The fields that conditions of indexes and of the write itself are about, or that counts are kept by, and that are free to choose.
    fn asked_for(&self, step: &Step<'_>) -> Vec<FieldId> {
        let id = step.entity;
        let entity = self.model.entity(id);
        let key = entity.identity();
        let mut asked = told_apart(self.model, id);
        if let Some(own) = step.condition {
            asked.extend(decide(entity, &own.condition));
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

/// The fields that conditions of indexes are about, or that counts are kept by: what is in them, or that nothing is, decides what else is written.
pub(super) fn told_apart(model: &Model, id: EntityId) -> Vec<FieldId> {
    let entity = model.entity(id);
    let mut fields: Vec<FieldId> = Vec::new();
    for when in entity.index_keys.iter().filter_map(|key| key.when.as_ref()) {
        fields.extend(decide(entity, &when.condition));
    }
    for keeper in &model.entities {
        let counters = counting(&keeper.counters, id);
        fields.extend(counters.filter_map(|one| one.per.as_ref().map(|(_, per)| *per)));
    }
    fields
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
