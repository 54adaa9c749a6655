//! One effect for each idempotency key.

use tablewright_descriptor::Entity as Described;

use crate::Store;
use crate::entity::{Claim, EntityKey, Kind, stored_from_item, typed};
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::item::{self};
use crate::store::NO_PATTERN;
use crate::versioned::Stored;
use crate::write::request::ItemRequest;
use crate::write::single::key_reused;

/// What became of a write that happens once for each idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<T, C: Claim> {
    /// It happened now.
    Done(T),
    /// It had happened before: this is the record of it.
    Before(C::Stored),
}

impl<T, C: Claim> Once<T, C> {
    /// The same, with something made of what happened now.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Once<U, C> {
        match self {
            Once::Done(done) => Once::Done(change(done)),
            Once::Before(record) => Once::Before(record),
        }
    }

    /// What happened now, if it did.
    pub fn done(self) -> Option<T> {
        match self {
            Once::Done(done) => Some(done),
            Once::Before(_) => None,
        }
    }
}

/// What an earlier record under the key of a request says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// The same request was done, and this is its answer.
    Answered,
    /// The same request was begun, and has no answer yet: its process may have ended. The work goes on, so it must be such that doing it
    /// again does what is left.
    Begun,
    /// The key was used for another request.
    OfAnother,
}

impl Store {
    pub(crate) async fn record_of(
        &self,
        entity: &Described,
        fields: &Fields,
    ) -> Result<Option<Item>> {
        let key = item::key_of(&entity.name, &entity.key, |name| fields.0.get(name))?;
        let now = self.now_millis();
        let found = self.get_item(&entity.table, key, true).await?;
        Ok(found.filter(|record| !item::is_expired(entity, record, now)))
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
        let earlier = |record: &C| match same_request(record) {
            true => Earlier::Answered,
            false => Earlier::OfAnother,
        };
        self.once_or_resumed(key, earlier, work).await
    }

    /// As [`Store::once`], for work of several transactions too: it claims the key with a record that has no answer yet, does what is
    /// to be done, and gives the record its answer. Where only the claim is found, the work goes on.
    ///
    /// # Errors
    /// [`Error::KeyReused`] when the key was used for another request, or what `work` says.
    pub async fn once_or_resumed<T, C, E, F>(
        &self,
        key: &C::Key,
        earlier: impl Fn(&C) -> Earlier,
        work: impl FnOnce() -> F,
    ) -> Result<Once<T, C>, E>
    where
        C: Claim,
        E: From<Error>,
        F: Future<Output = Result<Once<T, C>, E>>,
    {
        if let Some(record) = self.answered::<C>(key, &earlier).await? {
            return Ok(Once::Before(record));
        }
        match work().await {
            Ok(once) => Ok(once),
            Err(error) => match self.answered::<C>(key, &earlier).await? {
                Some(record) => Ok(Once::Before(record)),
                None => Err(error),
            },
        }
    }

    async fn answered<C: Claim>(
        &self,
        key: &C::Key,
        earlier: impl Fn(&C) -> Earlier,
    ) -> Result<Option<C::Stored>> {
        let key = key.values().checked(&C::descriptor().name)?;
        let store = match self.pattern() {
            NO_PATTERN => self.for_pattern(&C::descriptor().name),
            _ => self.clone(),
        };
        let Some(found) = store.read_for_change(Kind::of::<C>(), &key, true).await? else {
            return Ok(None);
        };
        let record = typed::<C>((found.fields, found.stamp))?;
        match earlier(record.data()) {
            Earlier::Answered => Ok(Some(record)),
            Earlier::Begun => Ok(None),
            Earlier::OfAnother => Err(key_reused(C::descriptor())),
        }
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
}

/// The record of a request, on its way into the transaction.
pub(crate) type Claimed = (&'static Described, Fields);

pub(crate) fn claim_of<C: Claim>(claim: Option<&C>) -> Result<Option<Claimed>> {
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
