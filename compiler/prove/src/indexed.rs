//! Which indexes an item is in, by the words of the model.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Counter, EntityId, FieldId, IndexId, IndexKey, Key};

use crate::oracle::condition::holds;
use crate::record::Record;

/// Whether an item has an entry by a key: it has every field of it, and meets its condition.
pub(crate) fn is_in(model: &Model, key: &IndexKey, record: &Record) -> bool {
    let when = key.when.as_ref();
    has_all(&key.key, record)
        && when.is_none_or(|when| holds(model, &when.condition, record, &Map::new()))
}

/// How many entries an item has, in indexes and as guards. By several keys of one index it has one: whichever was written last.
pub(crate) fn entries(model: &Model, record: &Record) -> usize {
    let entity = model.entity(record.entity());
    let keys = entity.index_keys.iter();
    let keys = keys.filter(|key| is_in(model, key, record));
    let indexes: BTreeSet<IndexId> = keys.map(|key| key.index).collect();
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    indexes.len() + guards.filter(|guard| has_all(guard, record)).count()
}

/// How dear a write of an item is beside others of it, in units of small items: one for each entry of an index it writes, where one that moves
/// is deleted and written anew, and two for each other item that has to go with it, as guards and counts do, for they make it a transaction.
pub(crate) fn weight(model: &Model, before: Option<&Record>, after: Option<&Record>) -> usize {
    let Some(id) = before.or(after).map(Record::entity) else {
        return 0;
    };
    let entity = model.entity(id);
    let written = |key: &Key, is_one: &dyn Fn(&Record) -> bool| match (
        before.filter(|one| is_one(one)),
        after.filter(|one| is_one(one)),
    ) {
        (Some(before), Some(after)) if differs(key, before, after) => 2,
        (None, None) => 0,
        _ => 1,
    };
    let indexes = entity.index_keys.iter();
    let indexes = indexes.map(|key| written(&key.key, &|one| is_in(model, key, one)));
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let guards = guards.map(|guard| written(guard, &|one| has_all(guard, one)));
    let with_it = guards.sum::<usize>() + counts_written(model, id, before, after);
    indexes.sum::<usize>() + 2 * with_it + usize::from(with_it > 0)
}

/// How many items that count others a write of one of these changes.
fn counts_written(
    model: &Model,
    id: EntityId,
    before: Option<&Record>,
    after: Option<&Record>,
) -> usize {
    let keepers = model.entities.iter().map(|described| {
        let counters: Vec<&Counter> = counting(&described.counters, id).collect();
        let counted = |record: &Record| {
            let named = |field: &FieldId| {
                let own = model
                    .entity(id)
                    .field_named(described.field(*field).name.as_str());
                own.and_then(|own| record.value(own).cloned())
            };
            let key: Option<Vec<Value>> = described.identity().iter().map(named).collect();
            let words = counters.iter().map(|counter| match &counter.per {
                None => Some(Value::Bool(true)),
                Some((_, per)) => record.value(*per).cloned(),
            });
            let words: Vec<Option<Value>> = words.collect();
            let is_any = words.iter().any(Option::is_some);
            key.filter(|_| is_any).map(|key| (key, words))
        };
        match (before.and_then(counted), after.and_then(counted)) {
            (Some((was, _)), Some((is, _))) if was != is => 2,
            (was, is) => usize::from(was != is),
        }
    });
    keepers.sum()
}

/// Those of an entity's counters that count another, in its own writes.
pub(crate) fn counting(counters: &[Counter], id: EntityId) -> impl Iterator<Item = &Counter> {
    let kept = counters.iter().filter(|one| one.kept_by.is_none());
    kept.filter(move |one| one.counts.1 == id)
}

fn has_all(key: &Key, record: &Record) -> bool {
    let mut fields = key.field_ids().into_iter();
    fields.all(|field| record.value(field).is_some())
}

fn differs(key: &Key, a: &Record, b: &Record) -> bool {
    let mut fields = key.field_ids().into_iter();
    fields.any(|field| a.value(field) != b.value(field))
}
