//! The end of items.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use tablewright_descriptor::{Entity as Described, Read, Write};

use crate::Store;
use crate::entity::{Claim, Entity, EntityKey, Kind, Row, stored_from_item};
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::item;
use crate::values::Values;
use crate::versioned::Stamp;
use crate::write::compose::Composer;
use crate::write::conditions::OnlyIf;
use crate::write::once::{Claimed, Once, before, claim_of};
use crate::write::refuse::Why;
use crate::write::request::{ItemRequest, Operation, Role};
use crate::write::single::{AT_ONCE, Inserted, Sent, conflict, not_found, only_if};

impl Store {
    /// The end of an item; gives what it was.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Conflict`], [`Error::Refused`] when the condition is not met.
    pub async fn remove<T: Entity>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
    ) -> Result<T::Stored> {
        match self
            .for_pattern(&write.name)
            .remove_item(Kind::of::<T>(), key.values(), only_if(write, &params), None)
            .await?
        {
            Inserted::Done(raw) => removed::<T>(raw),
            Inserted::Before(_) => Err(conflict(T::descriptor())),
        }
    }

    /// The end of an item, once for each idempotency key; gives what it was.
    ///
    /// # Errors
    /// As [`Store::remove`]; [`Error::KeyReused`] when the key was used for another request.
    pub async fn remove_once<T: Entity, C: Claim>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
        claim: Option<C>,
    ) -> Result<Once<T::Stored, C>> {
        let record = claim_of(claim.as_ref())?;
        match self
            .for_pattern(&write.name)
            .remove_item(
                Kind::of::<T>(),
                key.values(),
                only_if(write, &params),
                record,
            )
            .await?
        {
            Inserted::Done(raw) => Ok(Once::Done(removed::<T>(raw)?)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    /// The end of an item; gives it as it was stored.
    pub(crate) async fn remove_item(
        &self,
        kind: Kind,
        key: Values,
        only_if: OnlyIf<'_>,
        claim: Option<Claimed>,
    ) -> Result<Inserted<Item>> {
        let entity = kind.entity;
        let key = key.checked(&entity.name)?;
        let plain =
            entity.versioned.is_none() && entity.unique.is_empty() && entity.counted_by.is_empty();
        let mut attempt = 0;
        // Who counted it and is gone.
        let mut gone = BTreeSet::new();
        while attempt <= self.reapplies(entity) {
            let mut composer = Composer::new(self).without_keepers(&gone);
            let mut known = None;
            if plain && claim.is_none() {
                composer.unread(0, entity, &key, Operation::Delete, only_if)?;
            } else {
                let old = self.read_for_change(kind, &key, attempt > 0).await?;
                // A repeated request finds nothing to delete, but its record.
                if old.is_none()
                    && let Some((claimed, fields)) = &claim
                    && let Some(item) = self.record_of(claimed, fields).await?
                {
                    return Ok(Inserted::Before(item));
                }
                let old = old.ok_or_else(|| not_found(entity))?;
                composer.delete(0, entity, &old, only_if)?;
                known = Some(old);
            }
            if let Some((entity, fields)) = &claim {
                composer.claim(entity, fields)?;
            }
            let requests = composer.finish()?;
            match self.settle(entity, &requests, only_if).await? {
                Sent::Done(deleted) => {
                    let raw = known.map(|old| old.raw).or(deleted);
                    return raw.map(Inserted::Done).ok_or_else(|| gone_unseen(entity));
                }
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) => match &refused.why {
                    Why::Changed if attempt < self.reapplies(entity) => {
                        self.patience().wait(attempt).await;
                        attempt += 1;
                    }
                    // Who counted it is gone, and so is the count.
                    Why::NoKeeper(keeper) => {
                        let role = Role::Counter(keeper.clone());
                        let keepers = requests.iter().filter(|request| request.role == role);
                        gone.extend(keepers.map(ItemRequest::place));
                    }
                    _ => return Err(refused.into_error()),
                },
            }
        }
        Err(conflict(entity))
    }

    /// Deletes many items, each for itself, in the order given.
    pub async fn remove_each<T: Entity>(
        &self,
        write: &'static Write,
        keys: &[T::Key],
        params: Values,
    ) -> Vec<Result<T::Stored>> {
        // Collected first: the compiler cannot see that an iterator of futures may go to another thread.
        let removals: Vec<_> = keys
            .iter()
            .map(|key| self.remove::<T>(write, key, params.clone()))
            .collect();
        stream::iter(removals).buffered(AT_ONCE).collect().await
    }

    /// Finds items and deletes each of them, with its guards and counts; gives how many. It can be taken up again where it was
    /// interrupted, and leaves alone what is gone already. What is stored although its time has passed is deleted too.
    ///
    /// # Errors
    /// The first error there is; what was deleted before it stays deleted.
    pub async fn delete_found<T: Entity>(&self, read: &'static Read, given: Values) -> Result<u64> {
        let store = self.for_pattern(&read.name);
        store.delete_found_of(Kind::of::<T>(), read, given).await
    }

    /// The same of an entity that is known by its description alone.
    pub(crate) async fn delete_found_of(
        &self,
        kind: Kind,
        read: &'static Read,
        given: Values,
    ) -> Result<u64> {
        let only_if = OnlyIf::always();
        let store = self.seeing_expired();
        let mut found = store.query::<AsStored>(read, given).limit(100).all();
        let mut deleted = 0;
        let mut keys = Vec::new();
        loop {
            let next = found.next().await.transpose()?;
            let ended = next.is_none();
            if let Some(AsStored(raw)) = next
                && let Some((fields, _)) = kind.read(raw)?
            {
                keys.push(fields.values_of(&kind.entity.identity()));
            }
            if keys.len() < 100 && !ended {
                continue;
            }
            let removals = keys
                .drain(..)
                .map(|key| store.remove_item(kind, key, only_if, None));
            let mut removals = stream::iter(removals).buffer_unordered(AT_ONCE);
            while let Some(removed) = removals.next().await {
                match removed {
                    Ok(_) => deleted += 1,
                    Err(Error::NotFound { entity }) if entity == kind.entity.name => {}
                    Err(error) => return Err(error),
                }
            }
            if ended {
                return Ok(deleted);
            }
        }
    }
}

/// An item as it is stored, of one of the entities that were asked for.
struct AsStored(Item);

impl Row for AsStored {
    fn from_item(read: &Read, found: Item) -> Result<Option<Self>> {
        let mut entities = read.entities.iter();
        Ok(entities
            .any(|entity| item::is_of(entity, &found))
            .then_some(AsStored(found)))
    }
}

/// What was removed, by its description.
pub(crate) fn removed_raw(kind: Kind, raw: Item) -> Result<(Fields, Stamp)> {
    kind.read(raw)?.ok_or_else(|| gone_unseen(kind.entity))
}

/// What was removed, as its type.
pub(crate) fn removed<T: Entity>(raw: Item) -> Result<T::Stored> {
    stored_from_item::<T>(raw)?.ok_or_else(|| gone_unseen(T::descriptor()))
}

/// It is gone; by whom, and what it was, went with the answer.
pub(crate) fn gone_unseen(entity: &Described) -> Error {
    Error::Uncertain {
        why: format!("the {} is gone, and the answer was lost", entity.name),
    }
}
