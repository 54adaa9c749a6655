//! From actions to items: every write with its guards, its counts and its index keys, so that none of them can be forgotten.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tablewright_descriptor::{COUNTING_SINCE, Entity as Described};

use crate::Store;
use crate::error::{Error, Result};
use crate::expression::Placeholders;
use crate::fields::Fields;
use crate::item::{self, ReadItem};
use crate::versioned::{Stamp, next_token};
use crate::write::conditions::{
    OnlyIf, absent, absent_or_expired, as_read, condition_on_read, number,
};
use crate::write::counts::Counts;
use crate::write::difference::{difference, reshape};
use crate::write::request::{Expected, ItemRequest, Operation, PlaceOfItem, Role};

/// Puts the items of one write together.
#[derive(Debug)]
pub(crate) struct Composer {
    pub(crate) now: i64,
    /// The moment by which an item's time has passed or not.
    pub(crate) expiry: i64,
    pub(crate) requests: Vec<ItemRequest>,
    counts: Counts,
    /// The highest token of an item this store has deleted: one that takes its place has a later one.
    last_deleted: Option<i64>,
    deleted: Arc<AtomicI64>,
    /// The keepers that are not there: what is deleted is not counted out of them.
    gone: BTreeSet<PlaceOfItem>,
}

impl Composer {
    pub(crate) fn new(store: &Store) -> Self {
        let last = store.last_deleted().load(Ordering::Relaxed);
        Composer {
            last_deleted: (last > 0).then_some(last),
            deleted: Arc::clone(store.last_deleted()),
            gone: BTreeSet::new(),
            now: store.now_millis(),
            expiry: store.expiry_millis(),
            requests: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// With the counts of other writes, to be settled with them.
    pub(crate) fn counting(store: &Store, counts: Counts) -> Self {
        Composer {
            counts,
            ..Composer::new(store)
        }
    }

    /// The items without the counts, and the counts.
    pub(crate) fn without_settling(self) -> (Vec<ItemRequest>, Counts) {
        (self.requests, self.counts)
    }

    /// Deletes items also where these are not there to count them.
    pub(crate) fn without_keepers(mut self, gone: &BTreeSet<PlaceOfItem>) -> Self {
        self.gone.clone_from(gone);
        self
    }

    /// Takes an item that is gone already off the numbers of those that counted it at this moment.
    pub(crate) fn count_out(&mut self, entity: &Described, gone: &Fields, at: i64) -> Result<()> {
        self.counts.only_of_who_counted_at(at);
        self.counts.add_unless(&self.gone, entity, gone, -1, 0)
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
                (Some(_), old) => {
                    let passed = old.map(|old| old.stamp.last_write);
                    next_token(self.now, passed.max(self.last_deleted))
                }
            },
        };
        let mut item = item::compose(entity, fields, stamp.last_write)?;
        if entity.counts_what_ends {
            item.insert(COUNTING_SINCE.to_owned(), number(self.now));
        }
        let mut places = Placeholders::default();
        let key = item::key_in(entity, &item);
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
            token: None,
        });
        // The guards of an item whose time has passed end with it, and may be another's by now.
        self.guards(action, entity, None, Some(fields))?;
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
        let key = item::key_in(entity, &item);
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
            token: entity.versioned.map(|_| old.stamp.last_write),
        });
        self.guards(action, entity, Some(&old.fields), Some(new))?;
        self.counts.add(entity, &old.fields, -1, action)?;
        self.counts.add(entity, new, 1, action)?;
        Ok(stamp)
    }

    /// The end of an item that was read.
    pub(crate) fn delete(
        &mut self,
        action: usize,
        entity: &Described,
        old: &ReadItem,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        self.as_read(action, entity, old, Operation::Delete, only_if)?;
        self.deleted
            .fetch_max(old.stamp.last_write, Ordering::Relaxed);
        self.guards(action, entity, Some(&old.fields), None)?;
        self.counts
            .add_unless(&self.gone, entity, &old.fields, -1, action)
    }

    /// A condition on an item that was read, because it is stored in another shape than the condition speaks of.
    pub(crate) fn check(
        &mut self,
        action: usize,
        entity: &Described,
        old: &ReadItem,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        self.as_read(action, entity, old, Operation::Check, only_if)
    }

    fn as_read(
        &mut self,
        action: usize,
        entity: &Described,
        old: &ReadItem,
        operation: Operation,
        only_if: OnlyIf<'_>,
    ) -> Result<()> {
        let mut places = Placeholders::default();
        let mut conditions = as_read(entity, old, &mut places);
        conditions.extend(condition_on_read(entity, old, only_if, &mut places)?);
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_of(&entity.name, &entity.key, |name| old.fields.0.get(name))?,
            operation,
            conditions,
            places,
            role: Role::Named(Expected::AsRead),
            action,
            repeatable: true,
            leaves: None,
            token: entity.versioned.map(|_| old.stamp.last_write),
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
        let item = item::compose(entity, fields, last_write)?;
        let mut places = Placeholders::default();
        self.requests.push(ItemRequest {
            table: Arc::clone(&entity.table),
            key: item::key_in(entity, &item),
            operation: Operation::Put(item),
            conditions: vec![absent_or_expired(entity, &mut places, self.now)],
            places,
            role: Role::Claim,
            action: usize::MAX,
            repeatable: true,
            leaves: None,
            token: None,
        });
        Ok(())
    }
}
