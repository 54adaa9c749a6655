//! New items.

use futures_util::{StreamExt, stream};
use tablewright_descriptor::Write;

use crate::Store;
use crate::entity::{Claim, Entity, Kind};
use crate::error::Result;
use crate::fields::Fields;
use crate::item::{self};
use crate::versioned::{Stamp, Stored};
use crate::write::compose::Composer;
use crate::write::conditions::OnlyIf;
use crate::write::once::{Claimed, Once, before, claim_of};
use crate::write::refuse::Why;
use crate::write::single::{AT_ONCE, Inserted, Sent, exists};

impl Store {
    /// A new item.
    ///
    /// # Errors
    /// [`Error::Exists`](crate::Error::Exists), [`Error::Taken`](crate::Error::Taken), [`Error::Invalid`](crate::Error::Invalid), or [`Error::NotFound`](crate::Error::NotFound) of the item that counts it.
    pub async fn create<T: Entity>(&self, write: &'static Write, data: T) -> Result<T::Stored> {
        self.for_pattern(&write.name).insert(data).await
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
    /// As [`Store::create`]; [`Error::KeyReused`](crate::Error::KeyReused) when the key was used for another request.
    pub async fn create_once<T: Entity, C: Claim>(
        &self,
        write: &'static Write,
        data: T,
        claim: Option<C>,
    ) -> Result<Once<T::Stored, C>> {
        let record = claim_of(claim.as_ref())?;
        let store = self.for_pattern(&write.name);
        match store.insert_with(data, record).await? {
            Inserted::Done(stored) => Ok(Once::Done(stored)),
            Inserted::Before(item) => before(claim.as_ref(), item),
        }
    }

    async fn insert_with<T: Entity>(
        &self,
        data: T,
        claim: Option<Claimed>,
    ) -> Result<Inserted<T::Stored>> {
        let kind = Kind::of::<T>();
        let mut fields = Fields::of(kind.entity, &data)?;
        let mut data = data;
        if !kind.entity.counters.is_empty() {
            fields.forget_counts(kind.entity);
            data = fields.to(kind.entity)?;
        }
        Ok(match self.insert_fields(kind, &fields, claim).await? {
            Inserted::Done(stamp) => Inserted::Done(T::Stored::stored(data, stamp)),
            Inserted::Before(item) => Inserted::Before(item),
        })
    }

    /// A new item of these fields, in the forms its entity stores them in and without counts.
    pub(crate) async fn insert_fields(
        &self,
        kind: Kind,
        fields: &Fields,
        claim: Option<Claimed>,
    ) -> Result<Inserted<Stamp>> {
        let entity = kind.entity;
        let only_if = OnlyIf::always();
        let mut replaces = None;
        // The second time an item is replaced whose time has passed and that has guards or is counted.
        for _ in 0..2 {
            let mut composer = Composer::new(self);
            let stamp = composer.create(0, entity, fields, replaces.as_ref())?;
            if let Some((entity, fields)) = &claim {
                composer.claim(entity, fields)?;
            }
            let refused = match self.settle(entity, &composer.finish()?, only_if).await? {
                Sent::Done(_) => return Ok(Inserted::Done(stamp)),
                Sent::Before(item) => return Ok(Inserted::Before(item)),
                Sent::Refused(refused) => refused,
            };
            match &refused.seen {
                Some(seen)
                    if refused.why == Why::Exists
                        && replaces.is_none()
                        && item::is_expired(entity, seen, self.now_millis()) =>
                {
                    replaces = Some(item::parse(entity, kind.migrations, seen.clone())?);
                }
                _ => return Err(refused.into_error()),
            }
        }
        Err(exists(entity))
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
}
