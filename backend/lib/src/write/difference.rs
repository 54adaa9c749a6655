//! What an update changes of an item, and what it must know of it.

use tablewright_descriptor::{COUNTING_SINCE, Entity as Described, IndexKey};

use crate::expression::Placeholders;
use crate::fields::{Fields, Item};
use crate::item::{self, DATA_VERSION, LAST_WRITE, ReadItem};
use crate::values::{Changes, Edit};
use crate::versioned::Stamp;
use crate::write::conditions::number;
use crate::write::request::Operation;

/// The attributes that differ, and no others: what other code stores beside them stays.
pub(crate) fn difference(
    entity: &Described,
    old: &ReadItem,
    new: &Fields,
    item: &Item,
    stamp: Stamp,
    places: &mut Placeholders,
) -> Operation {
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    for field in &entity.fields {
        let (before, after) = (old.fields.0.get(&field.name), new.0.get(&field.name));
        if before == after {
            continue;
        }
        let path = places.path(entity, &field.name);
        match after {
            Some(value) => set.push(format!("{path} = {}", places.value(value.clone()))),
            None => remove.push(path),
        }
    }
    for name in item::derived_attributes(entity) {
        let (before, after) = (old.raw.get(name), item.get(name));
        if before == after {
            continue;
        }
        let place = places.name(name);
        match after {
            Some(value) => set.push(format!("{place} = {}", places.value(value.clone()))),
            None => remove.push(place),
        }
    }
    if entity.versioned.is_some() {
        let name = places.name(LAST_WRITE);
        set.push(format!(
            "{name} = {}",
            places.value(number(stamp.last_write))
        ));
        let name = places.name(DATA_VERSION);
        set.push(format!(
            "{name} = {}",
            places.value(number(i64::from(stamp.data_version)))
        ));
    }
    Operation::Update { set, remove }
}

/// The item anew, since its shape has changed: nothing of the old one stays, but for the moment since which it counts.
pub(crate) fn reshape(
    entity: &Described,
    old: &ReadItem,
    item: &Item,
    places: &mut Placeholders,
) -> Operation {
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    let is_key = |name: &str| entity.table.key_attributes().any(|key| key.name == name);
    for (name, value) in item.iter().filter(|(name, _)| !is_key(name)) {
        if old.raw.get(name) != Some(value) {
            let place = places.name(name);
            set.push(format!("{place} = {}", places.value(value.clone())));
        }
    }
    for name in old
        .raw
        .keys()
        .filter(|name| !is_key(name) && !item.contains_key(*name))
        .filter(|name| !(entity.counts_what_ends && *name == COUNTING_SINCE))
    {
        remove.push(places.name(name));
    }
    Operation::Update { set, remove }
}

/// The fields that say whether and where an item is in an index.
pub(crate) fn made_of(index: &IndexKey) -> impl Iterator<Item = &str> {
    let condition = index.when.iter().flat_map(|when| when.depends_on());
    index.key.fields().into_iter().chain(condition)
}

/// Whether a change of these fields can be made without knowing the others: no guard moves, no number is counted otherwise, and of no
/// index key only a part is known.
pub(crate) fn needs_no_reading(entity: &Described, changes: &Changes) -> bool {
    let edit_of = |name: &str| changes.edits.iter().find(|(field, _)| field == name);
    let adds = |name: &str| matches!(edit_of(name), Some((_, Edit::Add(_))));
    let sets = |name: &str| edit_of(name).is_some() && !adds(name);
    // A guard ends with what it guards, and is found by its value.
    let guard_follows = !entity.unique.is_empty()
        && entity
            .ttl
            .as_deref()
            .is_some_and(|ttl| edit_of(ttl).is_some());
    !guard_follows && !entity.needs_old_values(&sets, &adds)
}
