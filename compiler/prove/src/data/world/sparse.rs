//! Indexes that hold hardly any items by chance: as many entries are made as show what it costs to read them all.

use tablewright_model::Model;
use tablewright_model::model::{EntityId, FieldId, IndexKey, Key};

use super::World;
use crate::data::TIMES;
use crate::data::chance::Chance;
use crate::data::links::Links;
use crate::data::values::Style;
use crate::demand::Demand;
use crate::indexed::is_in;
use crate::record::Record;

/// One of so many items is in an index at least.
const SHARE: usize = 40;

/// The small table has so many entries of an index at least, where that many items are not half of them all: fewer are read for the least
/// there is to pay, and so are ten times as many.
const SEEN: usize = 20;

/// After so many items in a row that cannot be in an index, no more are tried: nothing may meet its condition.
const TRIES: usize = 200;

impl World<'_, '_> {
    /// Gives some items values with which they are in the indexes that hold too few. They keep their keys, and stay in other such indexes.
    pub(super) fn fill_indexes(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let keys = sparse(model, &self.maker.links, id);
        let there = self.made[id.0].len();
        let seen = SEEN * if self.number == 0 { 1 } else { TIMES };
        let wanted = (there / SHARE).max(seen.min(there / 2));
        for key in &keys {
            let mut missing = wanted.saturating_sub(entries_of(model, key, id, &self.made[id.0]));
            let demand = Demand::of_index(model, id, key);
            // Here and there, and not all of them somebody's.
            let step = (there / missing.max(1)).max(1);
            let places = (0..step).flat_map(|from| (from..there).step_by(step));
            let mut refused = 0;
            for place in places {
                if missing == 0 || refused == TRIES {
                    break;
                }
                if self.enters(id, place, key, &demand, &keys, chance) {
                    (missing, refused) = (missing - 1, 0);
                } else {
                    refused += 1;
                }
            }
        }
    }

    fn enters(
        &mut self,
        id: EntityId,
        place: usize,
        key: &IndexKey,
        demand: &Demand<'_>,
        keys: &[&IndexKey],
        chance: &mut Chance,
    ) -> bool {
        let model = self.maker.model();
        let record = self.made[id.0][place].clone();
        if is_in(model, key, &record) {
            return false;
        }
        let maker = &mut *self.maker;
        let mut invent = |field: FieldId| maker.value(id, field, Style::Plain, chance);
        let Some(values) = demand.met_like(&record, &[], &mut invent) else {
            return false;
        };
        let changed = record.with(values.into_iter().map(|(field, value)| (field.0, value)));
        let leaves =
            |other: &&&IndexKey| is_in(model, other, &record) && !is_in(model, other, &changed);
        if !is_in(model, key, &changed) || keys.iter().any(|other| leaves(&other)) {
            return false;
        }
        self.made[id.0][place] = changed;
        true
    }
}

/// The keys of indexes that hold an item only on a condition, which is about nothing but values it may have beside any other: not about what
/// tells items apart, nor about whose they are.
fn sparse<'m>(model: &'m Model, links: &Links, id: EntityId) -> Vec<&'m IndexKey> {
    let is_somebodys = |field: FieldId| {
        let mut pooled = links.pooled[id.0].iter();
        links.is_reference(id, field) || pooled.any(|(pooled, _)| *pooled == field)
    };
    conditional(model, id, is_somebodys)
}

/// The keys of indexes that hold an item only on a condition, which is not about what tells items apart. How many are in one of these follows from how many
/// there are.
pub(crate) fn growing(model: &Model, id: EntityId) -> Vec<&IndexKey> {
    conditional(model, id, |_| false)
}

fn conditional(
    model: &Model,
    id: EntityId,
    is_left_out: impl Fn(FieldId) -> bool,
) -> Vec<&IndexKey> {
    let entity = model.entity(id);
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let guarded: Vec<FieldId> = guards.flat_map(Key::field_ids).collect();
    let identity = entity.identity();
    let ttl = entity.ttl.as_ref().map(|(_, ttl)| *ttl);
    let is_bound = |field: FieldId| {
        identity.contains(&field)
            || guarded.contains(&field)
            || ttl == Some(field)
            || is_left_out(field)
    };
    let keys = entity.index_keys.iter();
    let is_sparse = |key: &&IndexKey| {
        key.when.as_ref().is_some_and(|when| {
            let names = when.condition.depends_on();
            let mut fields = names.iter().map(|name| entity.field_named(name));
            // What an item counts is no field of its own.
            fields.all(|field| field.is_some_and(|field| !is_bound(field)))
        })
    };
    keys.filter(is_sparse).collect()
}

/// How many of some records are in an index by a key.
pub(crate) fn entries_of(model: &Model, key: &IndexKey, id: EntityId, records: &[Record]) -> usize {
    let records = records.iter().filter(|record| record.entity() == id);
    records.filter(|record| is_in(model, key, record)).count()
}
