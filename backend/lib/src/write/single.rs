//! Writes of one item, with the guards, counts and claim that belong to it.

use futures_util::{StreamExt, stream};
use tablewright_descriptor::{Entity as Described, Write};

use crate::Store;
use crate::entity::{Claim, Entity, EntityKey, Patch, Row, stored_from_item};
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::item::{self, ReadItem};
use crate::values::{Changes, Edit, Values};
use crate::versioned::Stored;
use crate::write::compose::{Composer, OnlyIf, needs_no_reading, number, range_of};
use crate::write::refuse::{RefusedAction, Why, of_other_version, why};
use crate::write::request::{ItemRequest, Operation, Role};
use crate::write::send::Outcome;

/// So many items of a batch are under way at once.
const AT_ONCE: usize = 8;

/// What became of a write that happens once for each idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<T, C: Claim> {
    /// It happened now.
    Done(T),
    /// It had happened before: this is the record of it.
    Before(C::Stored),
}

impl<T, C: Claim> Once<T, C> {
    /// What happened now, if it did.
    pub fn done(self) -> Option<T> {
        match self {
            Once::Done(done) => Some(done),
            Once::Before(_) => None,
        }
    }
}

/// What became of the items of a write.
enum Sent {
    Done(Option<Item>),
    Before(Item),
    Refused(RefusedAction),
}

impl Store {
    /// Sends what was composed, and judges a refusal.
    async fn settle(
        &self,
        entity: &Described,
        requests: &[ItemRequest],
        only_if: OnlyIf<'_>,
    ) -> Result<Sent> {
        let refused = match self.send(requests).await? {
            Outcome::Done(item) => return Ok(Sent::Done(item)),
            Outcome::Refused(refused) => refused,
        };
        let claim = refused
            .iter()
            .find(|(position, _)| requests[*position].role == Role::Claim);
        if let Some((position, seen)) = claim {
            return Ok(Sent::Before(
                self.claimed(&requests[*position], seen.clone()).await?,
            ));
        }
        let now = self.now_millis();
        let first = refused.into_iter().next();
        let (position, seen) = first.unwrap_or_default();
        Ok(Sent::Refused(RefusedAction {
            name: entity.name.clone(),
            entity: entity.name.clone(),
            why: why(entity, &requests[position], seen.as_ref(), only_if, now),
            seen,
        }))
    }

    /// The record that holds an idempotency key, read if the refusal did not bring it.
    pub(crate) async fn claimed(&self, request: &ItemRequest, seen: Option<Item>) -> Result<Item> {
        let seen = match seen {
            Some(seen) => Some(seen),
            None => {
                self.get_item(&request.table, request.key.clone(), true)
                    .await?
            }
        };
        seen.ok_or_else(|| Error::Unavailable {
            why: "the record of an idempotency key came and went".to_owned(),
        })
    }

    /// A new item.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Taken`], [`Error::Invalid`], or [`Error::NotFound`] of the item that counts it.
    pub async fn create<T: Entity>(&self, _: &'static Write, data: T) -> Result<T::Stored> {
        self.insert(data).await
    }

    /// A new item, whatever pattern asks for it.
    pub(crate) async fn insert<T: Entity>(&self, data: T) -> Result<T::Stored> {
        match self.insert_with(data, None).await? {
            Inserted::Done(stored) => Ok(stored),
            // Without a claim nothing can have happened before.
            Inserted::Before(_) => Err(exists(T::descriptor())),
        }
    }

    /// A new item, once for each idempotency key.
    ///
    /// # Errors
    /// As [`Store::create`]; [`Error::KeyReused`] when the key was used for another request.
    pub async fn create_once<T: Entity, C: Claim>(
        &self,
        _: &'static Write,
        data: T,
        claim: Option<C>,
    ) -> Result<Once<T::Stored, C>> {
        let record = claim_of(claim.as_ref())?;
        match self.insert_with(data, record).await? {
            Inserted::Done(stored) => Ok(Once::Done(stored)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    async fn insert_with<T: Entity>(
        &self,
        data: T,
        claim: Option<(&'static Described, Fields)>,
    ) -> Result<Inserted<T::Stored>> {
        let entity = T::descriptor();
        let fields = Fields::of(entity, &data)?;
        let only_if = OnlyIf::always();
        let mut replaces = None;
        // The second time an item is replaced whose time has passed and that has guards or is counted.
        for _ in 0..2 {
            let mut composer = Composer::new(self);
            let stamp = composer.create(0, entity, &fields, replaces.as_ref())?;
            if let Some((entity, fields)) = &claim {
                composer.claim(entity, fields)?;
            }
            let refused = match self.settle(entity, &composer.finish()?, only_if).await? {
                Sent::Done(_) => return Ok(Inserted::Done(T::Stored::stored(data, stamp))),
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) => refused,
            };
            match &refused.seen {
                Some(seen)
                    if refused.why == Why::Exists
                        && replaces.is_none()
                        && item::is_expired(entity, seen, self.now_millis()) =>
                {
                    replaces = Some(item::parse(entity, T::migrations, seen.clone())?);
                }
                _ => return Err(refused.into_error()),
            }
        }
        Err(exists(entity))
    }

    /// A change of an item that is read first; applied again to what another writer left.
    ///
    /// # Errors
    /// What the change function says; [`Error::NotFound`], [`Error::Conflict`], [`Error::Refused`] when the condition is not met.
    pub async fn change<T, P, E>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
        mut change: impl FnMut(&T::Stored) -> Result<P, E>,
    ) -> Result<T::Stored, E>
    where
        T: Entity,
        P: Patch<T>,
        E: From<Error>,
    {
        let only_if = only_if(write, &params);
        let changed = self
            .rewrite::<T, E>(key.values(), only_if, |stored, old| {
                let patch = change(stored)?;
                Ok((apply(T::descriptor(), old, patch.changes())?, None))
            })
            .await?;
        match changed {
            Inserted::Done(stored) => Ok(stored),
            Inserted::Before(_) => Err(conflict(T::descriptor()).into()),
        }
    }

    /// A change of an item that is read first, once for each idempotency key.
    ///
    /// # Errors
    /// As [`Store::change`]; [`Error::KeyReused`] when the key was used for another request.
    pub async fn change_once<T, P, C, E>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
        mut change: impl FnMut(&T::Stored) -> Result<(P, Option<C>), E>,
    ) -> Result<Once<T::Stored, C>, E>
    where
        T: Entity,
        P: Patch<T>,
        C: Claim,
        E: From<Error>,
    {
        let only_if = only_if(write, &params);
        let mut claimed: Option<C> = None;
        let changed = self
            .rewrite::<T, E>(key.values(), only_if, |stored, old| {
                let (patch, claim) = change(stored)?;
                let fields = apply(T::descriptor(), old, patch.changes())?;
                let record = claim_of(claim.as_ref())?;
                claimed = claim;
                Ok((fields, record))
            })
            .await?;
        match changed {
            Inserted::Done(stored) => Ok(Once::Done(stored)),
            Inserted::Before(item) => Ok(before(claimed.as_ref(), item)?),
        }
    }

    /// Reads, changes and writes an item until no other writer comes in between, or patience ends.
    pub(crate) async fn rewrite<T: Entity, E: From<Error>>(
        &self,
        key: Values,
        only_if: OnlyIf<'_>,
        mut change: impl FnMut(
            &T::Stored,
            &Fields,
        ) -> Result<(Fields, Option<(&'static Described, Fields)>), E>,
    ) -> Result<Inserted<T::Stored>, E> {
        let entity = T::descriptor();
        let key = key.checked(&entity.name)?;
        for attempt in 0..=self.reapplies(entity) {
            let old = self.read_for_change::<T>(&key, attempt > 0).await?;
            let old = old.ok_or_else(|| not_found(entity))?;
            let data: T = old.fields.to(entity)?;
            let (mut fields, claim) = change(&T::Stored::stored(data, old.stamp), &old.fields)?;
            // Counts are kept by what is counted, never by a change.
            for counter in &entity.counters {
                match old.fields.0.get(counter) {
                    Some(count) => fields.0.insert(counter.clone(), count.clone()),
                    None => fields.0.remove(counter),
                };
            }
            let mut composer = Composer::new(self);
            let stamp = composer.update(0, entity, &old, &fields, only_if)?;
            if let Some((entity, fields)) = &claim {
                composer.claim(entity, fields)?;
            }
            match self.settle(entity, &composer.finish()?, only_if).await? {
                Sent::Done(_) => {
                    let data: T = fields.into(entity)?;
                    return Ok(Inserted::Done(T::Stored::stored(data, stamp)));
                }
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) if refused.why == Why::Changed => {
                    self.patience().wait(attempt).await;
                }
                Sent::Refused(refused) => return Err(refused.into_error().into()),
            }
        }
        Err(conflict(entity).into())
    }

    pub(crate) fn reapplies(&self, entity: &Described) -> u32 {
        match entity.versioned {
            Some(versioned) if !versioned.reapply => 0,
            _ => self.patience().reapply,
        }
    }

    /// The item as it is stored, for a change. What an eventual read does not find is looked for again.
    pub(crate) async fn read_for_change<T: Entity>(
        &self,
        key: &Values,
        strong: bool,
    ) -> Result<Option<ReadItem>> {
        let entity = T::descriptor();
        let place = item::key_of(&entity.name, &entity.key, |name| key.get(name))?;
        let mut found = self.get_item(&entity.table, place.clone(), strong).await?;
        if found.is_none() && !strong {
            found = self.get_item(&entity.table, place, true).await?;
        }
        let now = self.now_millis();
        let found =
            found.filter(|raw| item::is_of(entity, raw) && !item::is_expired(entity, raw, now));
        found
            .map(|raw| item::parse(entity, T::migrations, raw))
            .transpose()
    }

    /// A change that needs not know the state before it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Refused`] when the condition is not met, [`Error::Uncertain`] when the answer was lost.
    pub async fn apply<T: Entity, P: Patch<T>>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
        patch: P,
    ) -> Result<T::Stored> {
        match self
            .apply_with::<T>(write, key.values(), &params, patch.changes(), None)
            .await?
        {
            Inserted::Done(stored) => Ok(stored),
            Inserted::Before(_) => Err(conflict(T::descriptor())),
        }
    }

    /// A change that needs not know the state before it, once for each idempotency key. What it gives may be newer than the change.
    ///
    /// # Errors
    /// As [`Store::apply`]; [`Error::KeyReused`] when the key was used for another request.
    pub async fn apply_once<T: Entity, P: Patch<T>, C: Claim>(
        &self,
        write: &'static Write,
        key: &T::Key,
        params: Values,
        patch: P,
        claim: Option<C>,
    ) -> Result<Once<T::Stored, C>> {
        let record = claim_of(claim.as_ref())?;
        match self
            .apply_with::<T>(write, key.values(), &params, patch.changes(), record)
            .await?
        {
            Inserted::Done(stored) => Ok(Once::Done(stored)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    async fn apply_with<T: Entity>(
        &self,
        write: &'static Write,
        key: Values,
        params: &Values,
        changes: Changes,
        claim: Option<(&'static Described, Fields)>,
    ) -> Result<Inserted<T::Stored>> {
        let entity = T::descriptor();
        let key = key.checked(&entity.name)?;
        let only_if = only_if(write, params);
        let changes = changes.checked(&entity.name)?;
        if !needs_no_reading(entity, &changes) {
            return self
                .rewrite::<T, Error>(key, only_if, |_, old| {
                    Ok((apply(entity, old, changes.clone())?, claim.clone()))
                })
                .await;
        }
        let mut composer = Composer::new(self);
        composer.update_unread(0, entity, &key, &changes, only_if)?;
        if let Some((entity, fields)) = &claim {
            composer.claim(entity, fields)?;
        }
        match self.settle(entity, &composer.finish()?, only_if).await? {
            Sent::Done(Some(item)) => stored_from_item::<T>(item)?
                .map(Inserted::Done)
                .ok_or_else(|| not_found(entity)),
            Sent::Done(None) => {
                let now = self.read_for_change::<T>(&key, true).await?;
                let now = now.ok_or_else(|| not_found(entity))?;
                Ok(Inserted::Done(T::Stored::stored(
                    now.fields.into(entity)?,
                    now.stamp,
                )))
            }
            Sent::Before(item) => Ok(Inserted::Before(item)),
            // An item of another shape is read and brought up to date, or is newer than this code.
            Sent::Refused(refused) if of_other_version(entity, refused.seen.as_ref()) => {
                self.rewrite::<T, Error>(key, only_if, |_, old| {
                    Ok((apply(entity, old, changes.clone())?, claim.clone()))
                })
                .await
            }
            Sent::Refused(refused) => Err(refused.into_error()),
        }
    }

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
            .remove_with::<T>(key.values(), only_if(write, &params), None)
            .await?
        {
            Inserted::Done(stored) => Ok(stored),
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
            .remove_with::<T>(key.values(), only_if(write, &params), record)
            .await?
        {
            Inserted::Done(stored) => Ok(Once::Done(stored)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    pub(crate) async fn remove_with<T: Entity>(
        &self,
        key: Values,
        only_if: OnlyIf<'_>,
        claim: Option<(&'static Described, Fields)>,
    ) -> Result<Inserted<T::Stored>> {
        let entity = T::descriptor();
        let key = key.checked(&entity.name)?;
        let plain =
            entity.versioned.is_none() && entity.unique.is_empty() && entity.counted_by.is_empty();
        for attempt in 0..=self.reapplies(entity) {
            let mut composer = Composer::new(self);
            let mut known = None;
            if plain && claim.is_none() {
                composer.unread(0, entity, &key, Operation::Delete, only_if)?;
            } else {
                let old = self.read_for_change::<T>(&key, attempt > 0).await?;
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
            match self.settle(entity, &composer.finish()?, only_if).await? {
                Sent::Done(deleted) => {
                    let raw = known.map(|old| old.raw).or(deleted);
                    let stored = raw.map(stored_from_item::<T>).transpose()?.flatten();
                    return stored.map(Inserted::Done).ok_or_else(|| not_found(entity));
                }
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) if refused.why == Why::Changed => {
                    self.patience().wait(attempt).await;
                }
                Sent::Refused(refused) => return Err(refused.into_error()),
            }
        }
        Err(conflict(entity))
    }

    async fn record_of(&self, entity: &Described, fields: &Fields) -> Result<Option<Item>> {
        let key = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
        let now = self.now_millis();
        let found = self.get_item(&entity.table, key, true).await?;
        Ok(found.filter(|record| !item::is_expired(entity, record, now)))
    }

    /// Changes many items, each for itself, in the order given.
    pub async fn change_each<T, P, E>(
        &self,
        write: &'static Write,
        keys: &[T::Key],
        params: Values,
        mut change: impl FnMut(&T::Stored) -> Result<P, E>,
    ) -> Vec<Result<T::Stored, E>>
    where
        T: Entity,
        P: Patch<T>,
        E: From<Error>,
    {
        let mut done = Vec::with_capacity(keys.len());
        for key in keys {
            done.push(
                self.change::<T, P, E>(write, key, params.clone(), &mut change)
                    .await,
            );
        }
        done
    }

    /// Deletes many items, each for itself, in the order given.
    pub async fn remove_each<T: Entity>(
        &self,
        write: &'static Write,
        keys: &[T::Key],
        params: Values,
    ) -> Vec<Result<T::Stored>> {
        let removals = keys
            .iter()
            .map(|key| self.remove::<T>(write, key, params.clone()));
        stream::iter(removals).buffered(AT_ONCE).collect().await
    }

    /// Creates many items, each for itself, in the order given.
    pub async fn create_each<T: Entity>(
        &self,
        write: &'static Write,
        items: Vec<T>,
    ) -> Vec<Result<T::Stored>> {
        let creations = items.into_iter().map(|item| self.create(write, item));
        stream::iter(creations).buffered(AT_ONCE).collect().await
    }

    /// Finds items and deletes each of them, with its guards and counts; gives how many. It can be taken up again where it was
    /// interrupted, and leaves alone what is gone already.
    ///
    /// # Errors
    /// The first error there is; what was deleted before it stays deleted.
    pub async fn delete_found<T: Entity>(
        &self,
        read: &'static tablewright_descriptor::Read,
        given: Values,
    ) -> Result<u64>
    where
        T::Stored: Row + Unpin + 'static,
    {
        let only_if = OnlyIf::always();
        let mut found = self.query::<T::Stored>(read, given).limit(100).all();
        let mut deleted = 0;
        let mut keys = Vec::new();
        loop {
            let next = found.next().await.transpose()?;
            let ended = next.is_none();
            keys.extend(next.map(|stored| stored.data().key().values()));
            if keys.len() < 100 && !ended {
                continue;
            }
            let removals = keys
                .drain(..)
                .map(|key| self.remove_with::<T>(key, only_if, None));
            let mut removals = stream::iter(removals).buffer_unordered(AT_ONCE);
            while let Some(removed) = removals.next().await {
                match removed {
                    Ok(_) => deleted += 1,
                    Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if ended {
                return Ok(deleted);
            }
        }
    }

    /// Does something once for each idempotency key: what was answered before is given back, also when doing it again fails because it
    /// was done. `work` makes the claim in its own transaction.
    ///
    /// # Errors
    /// [`Error::KeyReused`] when the key was used for another request, or what `work` says.
    pub async fn once<T, C, E, F>(
        &self,
        key: &C::Key,
        same_request: impl Fn(&C) -> bool,
        work: impl FnOnce() -> F,
    ) -> Result<Once<T, C>, E>
    where
        C: Claim,
        E: From<Error>,
        F: Future<Output = Result<Once<T, C>, E>>,
    {
        if let Some(record) = self.answered::<C>(key, &same_request).await? {
            return Ok(Once::Before(record));
        }
        match work().await {
            Ok(once) => Ok(once),
            Err(error) => match self.answered::<C>(key, &same_request).await? {
                Some(record) => Ok(Once::Before(record)),
                None => Err(error),
            },
        }
    }

    async fn answered<C: Claim>(
        &self,
        key: &C::Key,
        same_request: impl Fn(&C) -> bool,
    ) -> Result<Option<C::Stored>> {
        let key = key.values().checked(&C::descriptor().name)?;
        let Some(found) = self.read_for_change::<C>(&key, true).await? else {
            return Ok(None);
        };
        let record = C::Stored::stored(found.fields.into(C::descriptor())?, found.stamp);
        if same_request(record.data()) {
            Ok(Some(record))
        } else {
            Err(key_reused(C::descriptor()))
        }
    }
}

/// What was written, or the record that says it had been.
pub(crate) enum Inserted<S> {
    Done(S),
    Before(Item),
}

pub(crate) fn claim_of<C: Claim>(
    claim: Option<&C>,
) -> Result<Option<(&'static Described, Fields)>> {
    let entity = C::descriptor();
    claim
        .map(|claim| Ok((entity, Fields::of(entity, claim)?)))
        .transpose()
}

/// The record that was there: of the same request, or the key was used for another.
pub(crate) fn before<T, C: Claim>(claim: Option<&C>, item: Item) -> Result<Once<T, C>> {
    let entity = C::descriptor();
    let record = stored_from_item::<C>(item)?;
    let record =
        record.ok_or_else(|| Error::unreadable(&entity.name, "it is of another entity"))?;
    match claim {
        Some(claim) if claim.same_request(record.data()) => Ok(Once::Before(record)),
        _ => Err(key_reused(entity)),
    }
}

fn only_if<'c>(write: &'static Write, given: &'c Values) -> OnlyIf<'c> {
    OnlyIf {
        condition: write
            .actions
            .first()
            .and_then(|action| action.condition.as_ref()),
        given,
    }
}

/// The fields after a patch.
pub(crate) fn apply(entity: &Described, old: &Fields, changes: Changes) -> Result<Fields> {
    let changes = changes.checked(&entity.name)?;
    let mut fields = old.clone();
    for (name, edit) in changes.edits {
        match edit {
            Edit::Set(value) => {
                fields.0.insert(name, value);
            }
            Edit::Remove => {
                fields.0.remove(&name);
            }
            Edit::Add(by) => {
                // What is not there counts from zero; a fraction must not be taken for nothing.
                let has = match fields.has(&name) {
                    true => fields.get::<i64>(&name).ok_or_else(|| {
                        let why = "it is no whole number, and is added to only where nothing is read first";
                        Error::invalid(&entity.name, &name, why)
                    })?,
                    false => 0,
                };
                let (min, max) = range_of(entity, &name).unwrap_or((i64::MIN, i64::MAX));
                let sum = has.checked_add(by);
                let sum = sum.filter(|sum| (min..=max).contains(sum));
                // As an addition that reads nothing first is refused.
                let sum = sum.ok_or_else(|| Error::Refused {
                    entity: entity.name.clone(),
                })?;
                fields.0.insert(name, number(sum));
            }
        }
    }
    fields.bring_into_form(entity);
    Ok(fields)
}

pub(crate) fn not_found(entity: &Described) -> Error {
    Error::NotFound {
        entity: entity.name.clone(),
    }
}

fn exists(entity: &Described) -> Error {
    Error::Exists {
        entity: entity.name.clone(),
    }
}

pub(crate) fn conflict(entity: &Described) -> Error {
    Error::Conflict {
        entity: entity.name.clone(),
    }
}

fn key_reused(entity: &Described) -> Error {
    Error::KeyReused {
        entity: entity.name.clone(),
    }
}
