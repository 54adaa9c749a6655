//! From actions to items: every write with its guards, its counts and its index keys, so that none of them can be forgotten.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::condition::Condition;
use tablewright_descriptor::field_type::FieldType;
use tablewright_descriptor::{Entity as Described, IndexKey, Unique};

use crate::Store;
use crate::error::{Error, Result};
use crate::expression::{Placeholders, holds, seconds};
use crate::fields::{Fields, Item};
use crate::item::{self, DATA_VERSION, LAST_WRITE, ReadItem};
use crate::validate;
use crate::values::{Changes, Edit, Values};
use crate::versioned::{Stamp, next_token};
use crate::write::counts::Counts;
use crate::write::request::{Expected, ItemRequest, Operation, Role};

/// The attribute of a guard that says whose it is: the key of the item it guards.
pub(crate) const GUARDS: &str = "guards";

/// The condition of an action, with the values the caller gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyIf<'c> {
    pub(crate) condition: Option<&'c Condition>,
    pub(crate) given: &'c Values,
}

impl OnlyIf<'static> {
    /// Without a condition.
    pub(crate) fn always() -> Self {
        static NOTHING: Values = Values::new();
        OnlyIf {
            condition: None,
            given: &NOTHING,
        }
    }
}

/// Puts the items of one write together.
#[derive(Debug)]
pub(crate) struct Composer {
    now: i64,
    requests: Vec<ItemRequest>,
    counts: Counts,
}

impl Composer {
    pub(crate) fn new(store: &Store) -> Self {
        Composer {
            now: store.now_millis(),
            requests: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Every item, the counts in the requests of the items that keep them.
    pub(crate) fn finish(mut self) -> Result<Vec<ItemRequest>> {
        self.counts.settle(&mut self.requests, self.now)?;
        Ok(self.requests)
    }

    /// A new item. `replaces` is one whose time has passed and that TTL has not removed yet.
    pub(crate) fn create(
        &mut self,
        action: usize,
        entity: &Described,
        fields: &Fields,
        replaces: Option<&ReadItem>,
    ) -> Result<Stamp> {
        let stamp = Stamp {
            data_version: entity
                .versioned
                .map_or(0, |versioned| versioned.data_version),
            last_write: match (entity.versioned, replaces) {
                (None, _) => 0,
                (Some(_), old) => next_token(self.now, old.map(|old| old.stamp.last_write)),
            },
        };
        let item = item::compose(entity, fields, stamp.last_write)?;
        let mut places = Placeholders::default();
        let key = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
        let condition = match replaces {
            Some(old) => as_read(entity, old, &mut places),
            None => vec![absent(entity, &mut places, self.now)],
        };
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key,
            operation: Operation::Put(item),
            conditions: condition,
            places,
            role: Role::Named(Expected::Absent),
            action,
            repeatable: true,
            leaves: None,
        });
        self.guards(
            action,
            entity,
            replaces.map(|old| &old.fields),
            Some(fields),
        )?;
        if let Some(old) = replaces {
            self.counts.add(entity, &old.fields, -1, action)?;
        }
        self.counts.add(entity, fields, 1, action)?;
        Ok(stamp)
    }

    /// A change of an item that was read.
    pub(crate) fn update(
        &mut self,
        action: usize,
        entity: &Described,
        old: &ReadItem,
        new: &Fields,
        only_if: OnlyIf<'_>,
    ) -> Result<Stamp> {
        for name in entity.identity() {
            if old.fields.0.get(name) != new.0.get(name) {
                return Err(Error::invalid(
                    &entity.name,
                    name,
                    "it is part of the key and cannot change",
                ));
            }
        }
        let stamp = match entity.versioned {
            None => Stamp::default(),
            Some(versioned) => Stamp {
                data_version: versioned.data_version,
                last_write: next_token(self.now, Some(old.stamp.last_write)),
            },
        };
        let item = item::compose(entity, new, stamp.last_write)?;
        let mut places = Placeholders::default();
        let mut conditions = as_read(entity, old, &mut places);
        conditions.extend(condition_on_read(entity, old, only_if, &mut places)?);
        let key = item::key_of(&entity.name, &entity.key, |name| new.0.get(name))?;
        let operation = if old.stored_version == stamp.data_version {
            difference(entity, old, new, &item, stamp, &mut places)
        } else {
            reshape(entity, old, &item, &mut places)
        };
        // A change that changes nothing still holds only of what was read.
        let operation = match operation {
            Operation::Update { set, remove } if set.is_empty() && remove.is_empty() => {
                Operation::Check
            }
            operation => operation,
        };
        let leaves = entity.versioned.map(|_| item);
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key,
            operation,
            conditions,
            places,
            role: Role::Named(Expected::AsRead),
            action,
            repeatable: true,
            leaves,
        });
        self.guards(action, entity, Some(&old.fields), Some(new))?;
        self.counts.add(entity, &old.fields, -1, action)?;
        self.counts.add(entity, new, 1, action)?;
        Ok(stamp)
    }

    /// A change that holds whatever state an item of the present shape is in.
    pub(crate) fn update_unread(
        &mut self,
        action: usize,
        entity: &Described,
        key: &Values,
        changes: &Changes,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = self.present(entity, &mut places);
        let (mut set, mut remove) = (Vec::new(), Vec::new());
        let mut known = Fields(
            key.iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
        );
        let mut repeatable = true;
        for (name, edit) in &changes.edits {
            let path = places.path(entity, name);
            match edit {
                Edit::Set(value) => {
                    validate::field(entity, name, value)?;
                    known.0.insert(name.clone(), value.clone());
                    set.push(format!("{path} = {}", places.value(value.clone())));
                }
                Edit::Remove => {
                    if entity
                        .field(name)
                        .is_none_or(|field| !field.declared.optional)
                    {
                        return Err(Error::invalid(&entity.name, name, "it is missing"));
                    }
                    remove.push(path);
                }
                Edit::Add(by) => {
                    repeatable = false;
                    conditions.extend(stays_in_range(entity, name, *by, &path, &mut places));
                    let zero = places.value(number(0));
                    let by = places.value(number(*by));
                    set.push(format!("{path} = if_not_exists({path}, {zero}) + {by}"));
                }
            }
        }
        if set.is_empty() && remove.is_empty() && entity.versioned.is_none() {
            return Err(Error::invalid(
                &entity.name,
                "",
                "the change changes nothing",
            ));
        }
        let touched = |name: &str| changes.edits.iter().any(|(edited, _)| edited == name);
        let derived = item::index_attributes(entity, &known)?;
        for index in entity
            .index_keys
            .iter()
            .filter(|index| made_of(index).any(touched))
        {
            for part in index.key.parts().filter(|part| !part.natural) {
                let name = places.name(&part.attribute.name);
                match derived.get(&part.attribute.name) {
                    Some(value) => set.push(format!("{name} = {}", places.value(value.clone()))),
                    None => remove.push(name),
                }
            }
        }
        if let Some(versioned) = entity.versioned {
            // An item of another shape may keep its numbers elsewhere: it is read and brought up to date instead.
            let name = places.name(DATA_VERSION);
            let version = places.value(number(i64::from(versioned.data_version)));
            conditions.push(format!("{name} = {version}"));
            // It needs no token of the state before, and gives the state after a later one.
            let name = places.name(LAST_WRITE);
            let one = places.value(number(1));
            set.push(format!("{name} = {name} + {one}"));
            repeatable = false;
        }
        if let Some(condition) = only_if.condition {
            conditions.push(places.condition(entity, condition, only_if.given)?);
        }
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| key.get(name))?,
            operation: Operation::Update { set, remove },
            conditions,
            places,
            role: Role::Named(Expected::Present),
            action,
            repeatable,
            leaves: None,
        });
        Ok(())
    }

    /// The end of an item that was read.
    pub(crate) fn delete(
        &mut self,
        action: usize,
        entity: &Described,
        old: &ReadItem,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = as_read(entity, old, &mut places);
        conditions.extend(condition_on_read(entity, old, only_if, &mut places)?);
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| old.fields.0.get(name))?,
            operation: Operation::Delete,
            conditions,
            places,
            role: Role::Named(Expected::AsRead),
            action,
            repeatable: true,
            leaves: None,
        });
        self.guards(action, entity, Some(&old.fields), None)?;
        self.counts.add(entity, &old.fields, -1, action)
    }

    /// The end of an item, or only a condition on it, whatever state it is in.
    pub(crate) fn unread(
        &mut self,
        action: usize,
        entity: &Described,
        key: &Values,
        operation: Operation,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = self.present(entity, &mut places);
        if let Some(condition) = only_if.condition {
            conditions.push(places.condition(entity, condition, only_if.given)?);
        }
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| key.get(name))?,
            operation,
            conditions,
            places,
            role: Role::Named(Expected::Present),
            action,
            repeatable: true,
            leaves: None,
        });
        Ok(())
    }

    /// The record of the request, in the same transaction.
    pub(crate) fn claim(&mut self, entity: &Described, fields: &Fields) -> Result<()> {
        let last_write = if entity.versioned.is_some() {
            self.now
        } else {
            0
        };
        let mut places = Placeholders::default();
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?,
            operation: Operation::Put(item::compose(entity, fields, last_write)?),
            conditions: vec![absent_or_expired(entity, &mut places, self.now)],
            places,
            role: Role::Claim,
            action: usize::MAX,
            repeatable: true,
            leaves: None,
        });
        Ok(())
    }

    /// The item is there, and its time has not passed.
    fn present(&self, entity: &Described, places: &mut Placeholders) -> Vec<String> {
        let key = places.name(&entity.table.partition_key.name);
        let mut conditions = vec![format!("attribute_exists({key})")];
        conditions.extend(places.alive(entity, self.now));
        conditions
    }

    /// Guards move with the values they guard.
    fn guards(
        &mut self,
        action: usize,
        entity: &Described,
        old: Option<&Fields>,
        new: Option<&Fields>,
    ) -> Result<()> {
        for unique in &entity.unique {
            let before = old
                .map(|fields| guard_key(entity, unique, fields))
                .transpose()?
                .flatten();
            let after = new
                .map(|fields| guard_key(entity, unique, fields))
                .transpose()?
                .flatten();
            let ttl = |fields: Option<&Fields>| {
                let name = entity.ttl.as_ref()?;
                fields?.0.get(name).cloned()
            };
            if before == after {
                if let (Some(key), true) = (after, ttl(old) != ttl(new)) {
                    self.follow(action, entity, key, ttl(new), old.or(new))?;
                }
                continue;
            }
            if let (Some(key), Some(fields)) = (before, old) {
                let mut places = Placeholders::default();
                let mine = is_mine(entity, fields, &mut places)?;
                self.requests.push(guard(
                    entity,
                    action,
                    key,
                    Operation::Delete,
                    Role::OwnGuard,
                    mine,
                    places,
                ));
            }
            if let (Some(key), Some(fields)) = (after, new) {
                let mut item = key.clone();
                let owner = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
                item.insert(GUARDS.to_owned(), AttributeValue::M(owner));
                if let Some(name) = &entity.table.type_attribute {
                    let kind = format!("{}.{}", entity.type_value, unique.name);
                    item.insert(name.clone(), AttributeValue::S(kind));
                }
                if let (Some(name), Some(end)) = (&entity.ttl, ttl(new)) {
                    item.insert(name.clone(), end);
                }
                let mut places = Placeholders::default();
                let free = absent_or_expired(entity, &mut places, self.now);
                let role = Role::Guard(unique.name.clone());
                self.requests.push(guard(
                    entity,
                    action,
                    key,
                    Operation::Put(item),
                    role,
                    free,
                    places,
                ));
            }
        }
        Ok(())
    }

    /// A guard ends with what it guards.
    fn follow(
        &mut self,
        action: usize,
        entity: &Described,
        key: Item,
        end: Option<AttributeValue>,
        owner: Option<&Fields>,
    ) -> Result<()> {
        let (Some(ttl), Some(owner)) = (&entity.ttl, owner) else {
            return Ok(());
        };
        let mut places = Placeholders::default();
        let name = places.name(ttl);
        let operation = match end {
            Some(end) => Operation::Update {
                set: vec![format!("{name} = {}", places.value(end))],
                remove: Vec::new(),
            },
            None => Operation::Update {
                set: Vec::new(),
                remove: vec![name],
            },
        };
        let mine = is_mine(entity, owner, &mut places)?;
        self.requests.push(guard(
            entity,
            action,
            key,
            operation,
            Role::OwnGuard,
            mine,
            places,
        ));
        Ok(())
    }
}

fn guard(
    entity: &Described,
    action: usize,
    key: Item,
    operation: Operation,
    role: Role,
    condition: String,
    places: Placeholders,
) -> ItemRequest {
    ItemRequest {
        table: Arc::clone(&entity.table),
        key,
        operation,
        conditions: vec![condition],
        places,
        role,
        action,
        repeatable: true,
        leaves: None,
    }
}

/// The fields that say whether and where an item is in an index.
fn made_of(index: &IndexKey) -> impl Iterator<Item = &str> {
    let condition = index.when.iter().flat_map(|when| when.fields());
    let condition = condition.map(|field| field.name.as_str());
    index.key.fields().into_iter().chain(condition)
}

/// Whether a change of these fields can be made without knowing the others: no guard moves, no number is counted otherwise, and of no
/// index key only a part is known.
pub(crate) fn needs_no_reading(entity: &Described, changes: &Changes) -> bool {
    let edited = |name: &str| changes.edits.iter().any(|(field, _)| field == name);
    let sets = |name: &str| {
        let is_add = |edit: &Edit| matches!(edit, Edit::Add(_));
        changes
            .edits
            .iter()
            .any(|(field, edit)| field == name && !is_add(edit))
    };
    let identity = entity.identity();
    let moves_no_guard = entity
        .unique
        .iter()
        .all(|unique| !unique.key.fields().into_iter().any(edited));
    let counts_the_same = entity.counted_by.iter().all(|keeper| {
        let per = keeper
            .numbers
            .iter()
            .filter_map(|number| number.per.as_ref());
        !keeper.identity.iter().chain(per).any(|name| edited(name))
    });
    let ends_the_same = entity.unique.is_empty() || !entity.ttl.as_deref().is_some_and(edited);
    let knows_keys = entity.index_keys.iter().all(|index| {
        let derived = index.key.parts().any(|part| !part.natural);
        !derived
            || !made_of(index).any(edited)
            || made_of(index).all(|name| sets(name) || identity.contains(&name))
    });
    moves_no_guard && counts_the_same && ends_the_same && knows_keys
}

/// The key of the guard of a value; none when there is no value.
pub(crate) fn guard_key(
    entity: &Described,
    unique: &Unique,
    fields: &Fields,
) -> Result<Option<Item>> {
    if !unique.key.fields().iter().all(|field| fields.has(field)) {
        return Ok(None);
    }
    item::key_of(&entity.name, &unique.key, |name| fields.0.get(name)).map(Some)
}

fn is_mine(entity: &Described, fields: &Fields, places: &mut Placeholders) -> Result<String> {
    let owner = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
    let name = places.name(GUARDS);
    Ok(format!(
        "{name} = {}",
        places.value(AttributeValue::M(owner))
    ))
}

/// There is no such item. Where nothing else belongs to it, one whose time has passed is none either.
fn absent(entity: &Described, places: &mut Placeholders, now: i64) -> String {
    if entity.unique.is_empty() && entity.counted_by.is_empty() {
        return absent_or_expired(entity, places, now);
    }
    let key = places.name(&entity.table.partition_key.name);
    format!("attribute_not_exists({key})")
}

fn absent_or_expired(entity: &Described, places: &mut Placeholders, now: i64) -> String {
    let key = places.name(&entity.table.partition_key.name);
    let Some(ttl) = &entity.ttl else {
        return format!("attribute_not_exists({key})");
    };
    let ttl = places.name(ttl);
    let now = places.value(number(seconds(now)));
    format!("attribute_not_exists({key}) OR {ttl} <= {now}")
}

/// The item is as it was read: by its token, or by every field.
fn as_read(entity: &Described, old: &ReadItem, places: &mut Placeholders) -> Vec<String> {
    if entity.versioned.is_some() {
        let name = places.name(LAST_WRITE);
        let token = places.value(number(old.stamp.last_write));
        return vec![format!("{name} = {token}")];
    }
    let key = places.name(&entity.table.partition_key.name);
    let mut conditions = vec![format!("attribute_exists({key})")];
    let identity = entity.identity();
    for field in entity
        .fields
        .iter()
        .filter(|field| !identity.contains(&field.name.as_str()))
    {
        let path = places.path(entity, &field.name);
        conditions.push(match old.fields.0.get(&field.name) {
            Some(value) => format!("{path} = {}", places.value(value.clone())),
            None => format!("attribute_not_exists({path})"),
        });
    }
    conditions
}

/// The condition of an action on an item that was read. An expression looks at what is stored; of an item of an older shape that is
/// something else than what the condition is about, and what was read decides, since the token holds it.
fn condition_on_read(
    entity: &Described,
    old: &ReadItem,
    only_if: OnlyIf<'_>,
    places: &mut Placeholders,
) -> Result<Option<String>> {
    let Some(condition) = only_if.condition else {
        return Ok(None);
    };
    if old.stored_version == old.stamp.data_version {
        return places.condition(entity, condition, only_if.given).map(Some);
    }
    if holds(entity, condition, &old.fields, only_if.given) {
        return Ok(None);
    }
    // Refused where all others are, with the item there is.
    let key = places.name(&entity.table.partition_key.name);
    Ok(Some(format!("attribute_not_exists({key})")))
}

/// The attributes that differ, and no others: what other code stores beside them stays.
fn difference(
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

/// The item anew, since its shape has changed: nothing of the old one stays.
fn reshape(
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
    {
        remove.push(places.name(name));
    }
    Operation::Update { set, remove }
}

/// A number stays within its range, and within what an `i64` can hold, whoever adds to it.
fn stays_in_range(
    entity: &Described,
    name: &str,
    by: i64,
    path: &str,
    places: &mut Placeholders,
) -> Option<String> {
    let (min, max) = range_of(entity, name)?;
    let (end, operator) = if by > 0 { (max, "<=") } else { (min, ">=") };
    let bound = places.value(number(end.saturating_sub(by)));
    let within = format!("{path} {operator} {bound}");
    // What is not there counts from zero.
    Some(if (min..=max).contains(&by) {
        format!("attribute_not_exists({path}) OR {within}")
    } else {
        within
    })
}

/// The smallest and the largest value of a whole number; none of any other field.
pub(crate) fn range_of(entity: &Described, name: &str) -> Option<(i64, i64)> {
    match entity.field(name)?.declared.kind {
        FieldType::Int { min, max } => Some((min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX))),
        FieldType::EpochSeconds | FieldType::EpochMillis => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

pub(crate) fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
