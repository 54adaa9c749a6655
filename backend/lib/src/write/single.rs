//! Writes of one item, with the guards, counts and claim that belong to it.

use tablewright_descriptor::{Entity as Described, Write};

use crate::Store;
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::values::Values;
use crate::write::conditions::OnlyIf;
use crate::write::refuse::{RefusedAction, Why, why};
use crate::write::request::{ItemRequest, Role};
use crate::write::send::Outcome;

/// So many items of a batch are under way at once.
pub(crate) const AT_ONCE: usize = 8;

/// What became of the items of a write.
pub(crate) enum Sent {
    Done(Option<Item>),
    Before(Item),
    Refused(RefusedAction),
}

impl Store {
    /// Sends what was composed, and judges a refusal.
    pub(crate) async fn settle(
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
        let why = why(entity, &requests[position], seen.as_ref(), only_if, now);
        if why == Why::Changed {
            self.note_conflict();
        }
        Ok(Sent::Refused(RefusedAction {
            name: entity.name.clone(),
            entity: entity.name.clone(),
            why,
            seen,
        }))
    }
}

/// What was written, or the record that says it had been.
pub(crate) enum Inserted<S> {
    Done(S),
    Before(Item),
}

pub(crate) fn only_if<'c>(write: &'static Write, given: &'c Values) -> OnlyIf<'c> {
    OnlyIf {
        condition: write
            .actions
            .first()
            .and_then(|action| action.condition.as_ref()),
        given,
    }
}

pub(crate) fn not_found(entity: &Described) -> Error {
    Error::NotFound {
        entity: entity.name.clone(),
    }
}

pub(crate) fn exists(entity: &Described) -> Error {
    Error::Exists {
        entity: entity.name.clone(),
    }
}

pub(crate) fn conflict(entity: &Described) -> Error {
    Error::Conflict {
        entity: entity.name.clone(),
    }
}

pub(crate) fn key_reused(entity: &Described) -> Error {
    Error::KeyReused {
        entity: entity.name.clone(),
    }
}
