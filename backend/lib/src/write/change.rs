//! Changes of items that are read first, applied again to what another writer left.

use std::sync::{Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use tablewright_descriptor::{Entity as Described, Write};

use crate::Store;
use crate::entity::{Claim, Entity, EntityKey, Kind, Migrate, Patch, typed};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::item::{self, ReadItem};
use crate::values::Values;
use crate::versioned::{Stamp, Stored};
use crate::write::apply::apply;
use crate::write::compose::Composer;
use crate::write::conditions::OnlyIf;
use crate::write::once::{Claimed, Once, before, claim_of};
use crate::write::refuse::Why;
use crate::write::single::{AT_ONCE, Inserted, Sent, conflict, not_found, only_if};

impl Store {
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
            .for_pattern(&write.name)
            .rewrite::<E>(Kind::of::<T>(), key.values(), only_if, |old| {
                let patch = change(&seen::<T>(old)?)?;
                Ok((apply(T::descriptor(), &old.fields, patch.changes())?, None))
            })
            .await?;
        match changed {
            Inserted::Done(written) => Ok(typed::<T>(written)?),
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
            .for_pattern(&write.name)
            .rewrite::<E>(Kind::of::<T>(), key.values(), only_if, |old| {
                let (patch, claim) = change(&seen::<T>(old)?)?;
                let fields = apply(T::descriptor(), &old.fields, patch.changes())?;
                let record = claim_of(claim.as_ref())?;
                claimed = claim;
                Ok((fields, record))
            })
            .await?;
        match changed {
            Inserted::Done(written) => Ok(Once::Done(typed::<T>(written)?)),
            Inserted::Before(item) => Ok(before(claimed.as_ref(), item)?),
        }
    }

    /// Reads, changes and writes an item until no other writer comes in between, or patience ends.
    pub(crate) async fn rewrite<E: From<Error>>(
        &self,
        kind: Kind,
        key: Values,
        only_if: OnlyIf<'_>,
        mut change: impl FnMut(&ReadItem) -> Result<(Fields, Option<Claimed>), E>,
    ) -> Result<Inserted<(Fields, Stamp)>, E> {
        let entity = kind.entity;
        let key = key.checked(&entity.name)?;
        for attempt in 0..=self.reapplies(entity) {
            let strong = attempt > 0;
            let old = self.read_for_change(kind, &key, strong).await?;
            let mut old = old.ok_or_else(|| not_found(entity))?;
            let (mut fields, claim) = match change(&old) {
                // What was refused may be no longer so: an eventual read is behind at times.
                Err(_) if !strong => {
                    let now = self.read_for_change(kind, &key, true).await?;
                    old = now.ok_or_else(|| not_found(entity))?;
                    change(&old)?
                }
                changed => changed?,
            };
            fields.keep_counts(entity, &old.fields);
            let mut composer = Composer::new(self);
            let stamp = composer.update(0, entity, &old, &fields, only_if)?;
            if let Some((entity, fields)) = &claim {
                composer.claim(entity, fields)?;
            }
            match self.settle(entity, &composer.finish()?, only_if).await? {
                Sent::Done(_) => return Ok(Inserted::Done((fields, stamp))),
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) if refused.why == Why::Changed => {
                    if attempt < self.reapplies(entity) {
                        self.patience().wait(attempt).await;
                    }
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
    pub(crate) async fn read_for_change(
        &self,
        kind: Kind,
        key: &Values,
        strong: bool,
    ) -> Result<Option<ReadItem>> {
        self.read_stored(kind.entity, kind.migrations, key, strong)
            .await
    }

    /// The same of an entity that an action of a pattern names.
    pub(crate) async fn read_stored(
        &self,
        entity: &Described,
        migrations: Migrate,
        key: &Values,
        strong: bool,
    ) -> Result<Option<ReadItem>> {
        let place = item::key_of(&entity.name, &entity.key, |name| key.get(name))?;
        let mut found = self.get_item(&entity.table, place.clone(), strong).await?;
        if found.is_none() && !strong {
            found = self.get_item(&entity.table, place, true).await?;
        }
        let now = self.expiry_millis();
        let found =
            found.filter(|raw| item::is_of(entity, raw) && !item::is_expired(entity, raw, now));
        found
            .map(|raw| item::parse(entity, migrations, raw))
            .transpose()
    }

    /// Changes many items, each for itself and several at once; what became of each, in the order given.
    pub async fn change_each<T, P, E>(
        &self,
        write: &'static Write,
        keys: &[T::Key],
        params: Values,
        change: impl FnMut(&T::Stored) -> Result<P, E>,
    ) -> Vec<Result<T::Stored, E>>
    where
        T: Entity,
        P: Patch<T>,
        E: From<Error>,
    {
        // The items take turns: one at a time asks what is to become of it.
        let change = Mutex::new(change);
        let change = &change;
        let changes: Vec<_> = keys
            .iter()
            .map(|key| {
                self.change::<T, P, E>(write, key, params.clone(), move |seen| {
                    let mut change = change.lock().unwrap_or_else(PoisonError::into_inner);
                    (*change)(seen)
                })
            })
            .collect();
        stream::iter(changes).buffered(AT_ONCE).collect().await
    }
}

/// The item a change is made to, as its type.
fn seen<T: Entity>(old: &ReadItem) -> Result<T::Stored> {
    let data: T = old.fields.to(T::descriptor())?;
    Ok(T::Stored::stored(data, old.stamp))
}
