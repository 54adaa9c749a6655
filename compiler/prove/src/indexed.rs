//! Which indexes an item is in, by the words of the model.

use serde_json::Map;
use tablewright_model::Model;
use tablewright_model::model::{IndexKey, Key};

use crate::oracle::condition::holds;
use crate::record::Record;

/// Whether an item has an entry by a key: it has every field of it, and meets its condition.
pub(crate) fn is_in(model: &Model, key: &IndexKey, record: &Record) -> bool {
    let when = key.when.as_ref();
    has_all(&key.key, record)
        && when.is_none_or(|when| holds(model, &when.condition, record, &Map::new()))
}

/// How many entries an item has, in indexes and as guards.
pub(crate) fn entries(model: &Model, record: &Record) -> usize {
    let entity = model.entity(record.entity());
    let indexes = entity.index_keys.iter();
    let indexes = indexes.filter(|key| is_in(model, key, record)).count();
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    indexes + guards.filter(|guard| has_all(guard, record)).count()
}

/// How many entries a change writes: one that moves is deleted and written anew.
pub(crate) fn entries_written(model: &Model, before: &Record, after: &Record) -> usize {
    let entity = model.entity(before.entity());
    let written = |key: &Key, was: bool, is: bool| match (was, is) {
        (true, true) if differs(key, before, after) => 2,
        (false, false) => 0,
        _ => 1,
    };
    let indexes = entity.index_keys.iter().map(|key| {
        let (was, is) = (is_in(model, key, before), is_in(model, key, after));
        written(&key.key, was, is)
    });
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let guards = guards.map(|guard| written(guard, has_all(guard, before), has_all(guard, after)));
    indexes.chain(guards).sum()
}

fn has_all(key: &Key, record: &Record) -> bool {
    let mut fields = key.field_ids().into_iter();
    fields.all(|field| record.value(field).is_some())
}

fn differs(key: &Key, a: &Record, b: &Record) -> bool {
    let mut fields = key.field_ids().into_iter();
    fields.any(|field| a.value(field) != b.value(field))
}
