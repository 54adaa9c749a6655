//! What goes into a transaction, and what comes out of it.

use std::collections::BTreeMap;

use serde::Serialize;
use tablewright_descriptor::Entity as Described;

use crate::entity::{Claim, Entity, EntityKey, Kind, Migrate};
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::item::ReadItem;
use crate::migrate::Migrations;
use crate::values::{Changes, Values};
use crate::versioned::Stored;
use crate::write::once::{Once, before};

/// The keys of the items a transaction is about, by action. What is created brings its own.
#[derive(Debug, Clone, Default)]
pub struct TransactKeys(pub(crate) BTreeMap<String, (Values, Migrate)>);

impl TransactKeys {
    /// None yet.
    pub fn new() -> Self {
        TransactKeys::default()
    }

    /// With the key of the item of an action.
    #[must_use]
    pub fn key<T: Entity<Key = K>, K: EntityKey>(mut self, action: &str, key: &K) -> Self {
        self.0
            .insert(action.to_owned(), (key.values(), T::migrations));
        self
    }

    /// With the key of the item of an action, of an entity that is known by its description alone.
    #[must_use]
    pub fn key_values(mut self, action: &str, key: Values) -> Self {
        self.0.insert(action.to_owned(), (key, Migrations::none));
        self
    }
}

/// The items a transaction has read, by action: those it changes.
#[derive(Debug, Default)]
pub struct Seen(pub(crate) BTreeMap<String, ReadItem>);

impl Seen {
    /// The item of an action.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when it is none of the entity's.
    pub fn item<T: Entity>(&self, action: &str) -> Result<T::Stored> {
        let entity = T::descriptor();
        let read = self.0.get(action);
        let read = read.ok_or_else(|| Error::invalid(&entity.name, action, "it was not read"))?;
        Ok(T::Stored::stored(read.fields.to(entity)?, read.stamp))
    }
}

/// What a transaction writes: new items, changes, and the record of the request.
#[derive(Debug, Default)]
pub struct Inputs {
    pub(crate) created: BTreeMap<String, (Result<Fields>, Migrate)>,
    pub(crate) changes: BTreeMap<String, Changes>,
    pub(crate) claim: Option<Result<(&'static Described, Fields)>>,
}

impl Inputs {
    /// None yet.
    pub fn new() -> Self {
        Inputs::default()
    }

    /// With the item an action creates.
    #[must_use]
    pub fn create<T: Entity>(self, action: &str, data: &T) -> Self {
        let entity = T::descriptor();
        self.create_as(action, Fields::of(entity, data), Kind::of::<T>())
    }

    /// With the item an action creates, of an entity that is known by its description alone.
    #[must_use]
    pub fn create_fields(self, action: &str, entity: &'static Described, fields: Fields) -> Self {
        self.create_as(action, Ok(fields), Kind::described(entity))
    }

    fn create_as(mut self, action: &str, mut fields: Result<Fields>, kind: Kind) -> Self {
        if let Ok(fields) = &mut fields {
            fields.forget_counts(kind.entity);
        }
        self.created
            .insert(action.to_owned(), (fields, kind.migrations));
        self
    }

    /// With the changes of an action.
    #[must_use]
    pub fn change(mut self, action: &str, changes: Changes) -> Self {
        self.changes.insert(action.to_owned(), changes);
        self
    }

    /// With the record of the request, if it has an idempotency key.
    #[must_use]
    pub fn claim<C: Claim + Serialize>(mut self, claim: &Option<C>) -> Self {
        self.claim = claim.as_ref().map(|claim| {
            let entity = C::descriptor();
            Ok((entity, Fields::of(entity, claim)?))
        });
        self
    }

    /// With the record of the request, of an entity that is known by its description alone.
    #[must_use]
    pub fn claim_fields(mut self, entity: &'static Described, fields: Fields) -> Self {
        self.claim = Some(Ok((entity, fields)));
        self
    }
}

/// A transaction that happened, now or before.
#[derive(Debug)]
pub struct Sent {
    pub(crate) before: Option<(Item, Fields)>,
}

impl Sent {
    /// Whether it happened now, or was answered before: then with the record of it.
    ///
    /// # Errors
    /// [`Error::KeyReused`] when the key was used for another request.
    pub fn once<C: Claim>(self) -> Result<Once<(), C>> {
        match self.before {
            None => Ok(Once::Done(())),
            Some((item, fields)) => {
                let claim: C = fields.into(C::descriptor())?;
                before(Some(&claim), item)
            }
        }
    }

    /// The record as it is stored, if it was answered before. Nothing looks whether it was the same request.
    pub fn record(&self) -> Option<&Item> {
        self.before.as_ref().map(|(item, _)| item)
    }

    /// The record, if it was answered before.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn before<C: Claim>(self) -> Result<Option<C::Stored>> {
        match self.once::<C>()? {
            Once::Done(()) => Ok(None),
            Once::Before(record) => Ok(Some(record)),
        }
    }
}
