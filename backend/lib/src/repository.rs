//! What every entity can do, whatever its patterns are.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use crate::Store;
use crate::entity::{Entity, EntityKey, Kind, stored_from_item, typed};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::item;
use crate::versioned::{Stored, Versioned};
use crate::write::{
    Composer, Inserted, ItemRequest, OnlyIf, Outcome, conflict, error_of, gone_keepers, not_found,
    removed,
};

/// The items of one entity. Generated repositories add a method for each access pattern.
#[derive(Debug, Clone)]
pub struct Repository<T> {
    store: Store,
    entity: PhantomData<fn() -> T>,
}

impl<T: Entity> Repository<T> {
    /// The repository of an entity in a store.
    pub fn new(store: &Store) -> Self {
        Repository {
            store: store.clone(),
            entity: PhantomData,
        }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The item of a key, as it was a moment ago.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a key that cannot be, [`Error::Unreadable`], [`Error::NewerVersion`].
    pub async fn read(&self, key: &T::Key) -> Result<Option<T::Stored>> {
        self.read_with(key, false).await
    }

    /// The item of a key, with every write that was acknowledged.
    ///
    /// # Errors
    /// As [`Repository::read`].
    pub async fn read_strong(&self, key: &T::Key) -> Result<Option<T::Stored>> {
        self.read_with(key, true).await
    }

    async fn read_with(&self, key: &T::Key, strong: bool) -> Result<Option<T::Stored>> {
        let entity = T::descriptor();
        let key = key.values().checked(&entity.name)?;
        let place = item::key_of(&entity.name, &entity.key, |name| key.get(name))?;
        let found = self.store.get_item(&entity.table, place, strong).await?;
        let now = self.store.now_millis();
        match found.filter(|raw| !item::is_expired(entity, raw, now)) {
            Some(raw) => stored_from_item::<T>(raw),
            None => Ok(None),
        }
    }

    /// The items of many keys, in the order of the keys.
    ///
    /// # Errors
    /// As [`Repository::read`].
    pub async fn read_many(&self, keys: &[T::Key]) -> Result<Vec<Option<T::Stored>>> {
        let entity = T::descriptor();
        let mut places = Vec::with_capacity(keys.len());
        for key in keys {
            let key = key.values().checked(&entity.name)?;
            places.push(item::key_of(&entity.name, &entity.key, |name| {
                key.get(name)
            })?);
        }
        let found = self.store.batch_get(&entity.table, &places, false).await?;
        let now = self.store.now_millis();
        let found = found.into_iter().map(|raw| {
            match raw.filter(|raw| !item::is_expired(entity, raw, now)) {
                Some(raw) => stored_from_item::<T>(raw),
                None => Ok(None),
            }
        });
        found.collect()
    }

    /// A new item. It never overwrites one.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Taken`], [`Error::Invalid`].
    pub async fn insert(&self, data: T) -> Result<T::Stored> {
        self.store.insert(data).await
    }

    /// Changes an item: reads it, applies the change, and writes it on condition that nobody else did meanwhile. If somebody did, the
    /// change is applied again to what they left, as often as the store's patience says.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Conflict`], [`Error::Invalid`].
    pub async fn update(&self, key: &T::Key, mut change: impl FnMut(&mut T)) -> Result<T::Stored> {
        self.try_update(key, |data| {
            change(data);
            Ok(())
        })
        .await
    }

    /// As [`Repository::update`], with a change that may refuse.
    ///
    /// # Errors
    /// What the change says, or as [`Repository::update`].
    pub async fn try_update<E: From<Error>>(
        &self,
        key: &T::Key,
        mut change: impl FnMut(&mut T) -> Result<(), E>,
    ) -> Result<T::Stored, E> {
        let entity = T::descriptor();
        let always = OnlyIf::always();
        let written = self
            .store
            .rewrite::<E>(Kind::of::<T>(), key.values(), always, |old| {
                let mut data: T = old.fields.to(entity)?;
                change(&mut data)?;
                Ok((Fields::of(entity, &data)?, None))
            })
            .await?;
        match written {
            Inserted::Done(written) => Ok(typed::<T>(written)?),
            Inserted::Before(_) => Err(conflict(entity).into()),
        }
    }

    /// Deletes the item of a key, whatever its state, and gives what it was.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Conflict`] when others keep changing it.
    pub async fn delete_now(&self, key: &T::Key) -> Result<T::Stored> {
        let always = OnlyIf::always();
        match self
            .store
            .remove_item(Kind::of::<T>(), key.values(), always, None)
            .await?
        {
            Inserted::Done(raw) => removed::<T>(raw),
            Inserted::Before(_) => Err(conflict(T::descriptor())),
        }
    }
}

impl<T: Entity<Stored = Versioned<T>>> Repository<T> {
    /// Writes an item that was read and changed, on condition that nobody else wrote it meanwhile: the change is not applied again.
    ///
    /// # Errors
    /// [`Error::Conflict`], [`Error::NotFound`], [`Error::Invalid`].
    pub async fn replace(&self, item: Versioned<T>) -> Result<Versioned<T>> {
        let entity = T::descriptor();
        let mut fields = Fields::of(entity, &item.data)?;
        let key = item.data.key().values().checked(&entity.name)?;
        let old = self
            .store
            .read_for_change(Kind::of::<T>(), &key, false)
            .await?;
        let mut old = old.ok_or_else(|| not_found(entity))?;
        if old.stamp.last_write != item.last_write {
            // An eventual read may be behind the caller.
            let now = self
                .store
                .read_for_change(Kind::of::<T>(), &key, true)
                .await?;
            old = now.ok_or_else(|| not_found(entity))?;
        }
        if old.stamp.last_write != item.last_write {
            return Err(conflict(entity));
        }
        fields.keep_counts(entity, &old.fields);
        let mut composer = Composer::new(&self.store);
        let stamp = composer.update(0, entity, &old, &fields, OnlyIf::always())?;
        self.send(&composer.finish()?).await?;
        Ok(Versioned::stored(fields.into(entity)?, stamp))
    }

    /// Deletes an item that was read, on condition that nobody else wrote it meanwhile.
    ///
    /// # Errors
    /// [`Error::Conflict`], [`Error::NotFound`].
    pub async fn delete(&self, item: &Versioned<T>) -> Result<()> {
        let entity = T::descriptor();
        let key = item.data.key().values().checked(&entity.name)?;
        let mut old = self
            .store
            .read_for_change(Kind::of::<T>(), &key, false)
            .await?;
        if old
            .as_ref()
            .is_none_or(|old| old.stamp.last_write != item.last_write)
        {
            old = self
                .store
                .read_for_change(Kind::of::<T>(), &key, true)
                .await?;
        }
        let old = old.ok_or_else(|| not_found(entity))?;
        if old.stamp.last_write != item.last_write {
            return Err(conflict(entity));
        }
        let mut gone = BTreeSet::new();
        loop {
            let mut composer = Composer::new(&self.store).without_keepers(&gone);
            composer.delete(0, entity, &old, OnlyIf::always())?;
            let requests = composer.finish()?;
            let refused = match self.store.send(&requests).await? {
                Outcome::Done(_) => return Ok(()),
                Outcome::Refused(refused) => refused,
            };
            // Who counted it is gone, and so is the count.
            let keepers = gone_keepers(&requests, &refused);
            if keepers.is_empty() {
                return Err(error_of(&self.store, entity, &requests, refused));
            }
            gone.extend(keepers);
        }
    }

    async fn send(&self, requests: &[ItemRequest]) -> Result<()> {
        match self.store.send(requests).await? {
            Outcome::Done(_) => Ok(()),
            Outcome::Refused(refused) => {
                Err(error_of(&self.store, T::descriptor(), requests, refused))
            }
        }
    }
}
