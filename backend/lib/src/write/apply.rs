//! Changes that need not know the state before them.

use tablewright_descriptor::{Entity as Described, Write};

use crate::Store;
use crate::entity::{Claim, Entity, EntityKey, Kind, Patch, typed};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::values::{Changes, Edit, Values};
use crate::versioned::Stamp;
use crate::write::compose::Composer;
use crate::write::conditions::{OnlyIf, number, range_of};
use crate::write::difference::needs_no_reading;
use crate::write::once::{Claimed, Once, before, claim_of};
use crate::write::refuse::of_other_version;
use crate::write::single::{Inserted, Sent, conflict, not_found, only_if};

impl Store {
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
            .for_pattern(&write.name)
            .apply_changes(
                Kind::of::<T>(),
                key.values(),
                only_if(write, &params),
                patch.changes(),
                None,
            )
            .await?
        {
            Inserted::Done(written) => typed::<T>(written),
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
            .for_pattern(&write.name)
            .apply_changes(
                Kind::of::<T>(),
                key.values(),
                only_if(write, &params),
                patch.changes(),
                record,
            )
            .await?
        {
            Inserted::Done(written) => Ok(Once::Done(typed::<T>(written)?)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    /// A change without a look at the item, unless the change itself asks for one.
    pub(crate) async fn apply_changes(
        &self,
        kind: Kind,
        key: Values,
        only_if: OnlyIf<'_>,
        changes: Changes,
        claim: Option<Claimed>,
    ) -> Result<Inserted<(Fields, Stamp)>> {
        let entity = kind.entity;
        let key = key.checked(&entity.name)?;
        let changes = changes.checked(&entity.name)?;
        if !needs_no_reading(entity, &changes) {
            return self.reapply(kind, key, only_if, &changes, &claim).await;
        }
        let mut composer = Composer::new(self);
        composer.update_unread(0, entity, &key, &changes, only_if)?;
        if let Some((entity, fields)) = &claim {
            composer.claim(entity, fields)?;
        }
        match self.settle(entity, &composer.finish()?, only_if).await? {
            Sent::Done(Some(item)) => kind
                .read(item)?
                .map(Inserted::Done)
                .ok_or_else(|| not_found(entity)),
            Sent::Done(None) => {
                let now = self.read_for_change(kind, &key, true).await?;
                let now = now.ok_or_else(|| not_found(entity))?;
                Ok(Inserted::Done((now.fields, now.stamp)))
            }
            Sent::Before(item) => Ok(Inserted::Before(item)),
            // An item of another shape is read and brought up to date, or is newer than this code.
            Sent::Refused(refused) if of_other_version(entity, refused.seen.as_ref()) => {
                self.reapply(kind, key, only_if, &changes, &claim).await
            }
            Sent::Refused(refused) => Err(refused.into_error()),
        }
    }

    /// Changes that are made to what is read first.
    pub(crate) async fn reapply(
        &self,
        kind: Kind,
        key: Values,
        only_if: OnlyIf<'_>,
        changes: &Changes,
        claim: &Option<Claimed>,
    ) -> Result<Inserted<(Fields, Stamp)>> {
        self.rewrite(kind, key, only_if, |old| {
            let fields = apply(kind.entity, &old.fields, changes.clone())?;
            Ok((fields, claim.clone()))
        })
        .await
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
