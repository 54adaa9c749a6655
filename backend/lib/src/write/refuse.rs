//! Why a write was refused, action by action.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;

use crate::Store;
use crate::entity::{Entity, stored_from_item};
use crate::error::Error;
use crate::fields::Item;
use crate::item::{self, DATA_VERSION, LAST_WRITE};
use crate::judge::holds;
use crate::write::conditions::{OnlyIf, number};
use crate::write::request::{Expected, ItemRequest, Role};

/// Why one action was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There is such an item already.
    Exists,
    /// There is no such item, or its time has passed.
    NotFound,
    /// The item that counts it, of this entity, is not there.
    NoKeeper(String),
    /// Another item has this unique value.
    Taken(String),
    /// The item does not meet the condition.
    Condition,
    /// Another writer changed the item.
    Changed,
}

/// One action that was refused, with the item there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused<S> {
    /// Why.
    pub why: Why,
    /// The item as it is; none when it is not there, or is none of the entity's.
    pub seen: Option<S>,
}

/// The actions of a transaction that were refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub(crate) actions: Vec<RefusedAction>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RefusedAction {
    pub(crate) name: String,
    pub(crate) entity: String,
    pub(crate) why: Why,
    pub(crate) seen: Option<Item>,
}

impl Refusal {
    /// What became of an action, if it was refused.
    pub fn of<T: Entity>(&self, action: &str) -> Option<Refused<T::Stored>> {
        let refused = self.actions.iter().find(|refused| refused.name == action)?;
        let seen = refused.seen.clone();
        Some(Refused {
            why: refused.why.clone(),
            seen: seen.and_then(|item| stored_from_item::<T>(item).ok().flatten()),
        })
    }

    /// Why an action was refused, if it was.
    pub fn why(&self, action: &str) -> Option<&Why> {
        let refused = self.actions.iter().find(|refused| refused.name == action);
        refused.map(|refused| &refused.why)
    }

    /// The error of the first action that was refused.
    pub fn into_error(self) -> Error {
        let first = self.actions.into_iter().next();
        first.map_or_else(
            || Error::Backend {
                code: "TransactionCanceledException".to_owned(),
                message: "nothing says why".to_owned(),
            },
            RefusedAction::into_error,
        )
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, refused) in self.actions.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{}: {}", refused.name, refused.clone().into_error())?;
        }
        Ok(())
    }
}

impl RefusedAction {
    pub(crate) fn into_error(self) -> Error {
        let entity = self.entity;
        match self.why {
            Why::Exists => Error::Exists { entity },
            Why::NotFound => Error::NotFound { entity },
            Why::NoKeeper(entity) => Error::NotFound { entity },
            Why::Taken(unique) => Error::Taken { entity, unique },
            Why::Condition => Error::Refused { entity },
            Why::Changed => Error::Conflict { entity },
        }
    }
}

/// Why a transaction did not happen: an action was refused, or something went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// These actions were refused. Nothing was written.
    Refused(Refusal),
    /// Something went wrong.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => refusal.into_error(),
            Failure::Error(error) => error,
        }
    }
}

/// Why a transaction did not happen, with the outcome of each of its actions by name.
#[derive(Debug, Clone, PartialEq)]
pub enum Failed<R> {
    /// These actions were refused. Nothing was written. In a box: it holds every item it has seen.
    Refused(Box<R>),
    /// Something went wrong.
    Error(Error),
}

impl<R> From<Error> for Failed<R> {
    fn from(error: Error) -> Self {
        Failed::Error(error)
    }
}

impl<R: From<Refusal>> From<Failure> for Failed<R> {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => Failed::Refused(Box::new(refusal.into())),
            Failure::Error(error) => Failed::Error(error),
        }
    }
}

impl<R: fmt::Debug> fmt::Display for Failed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Refused(refused) => write!(f, "the transaction was refused: {refused:?}"),
            Failed::Error(error) => error.fmt(f),
        }
    }
}

impl<R: fmt::Debug> std::error::Error for Failed<R> {}

/// Judges a request that was refused by the item there is.
pub(crate) fn why(
    entity: &Described,
    request: &ItemRequest,
    seen: Option<&Item>,
    only_if: OnlyIf<'_>,
    now: i64,
) -> Why {
    let gone = seen.is_none_or(|seen| item::is_expired(entity, seen, now));
    match &request.role {
        Role::Named(Expected::Absent) => Why::Exists,
        Role::Named(_) if gone => Why::NotFound,
        Role::Named(Expected::Present) => Why::Condition,
        Role::Named(Expected::AsRead) => {
            let unmet = seen.is_some_and(|seen| is_unmet(entity, seen, only_if));
            let same_token =
                entity.versioned.is_some() && seen.is_some_and(|seen| has_token_of(request, seen));
            if same_token || (entity.versioned.is_none() && unmet) {
                Why::Condition
            } else {
                Why::Changed
            }
        }
        Role::Guard(unique) => Why::Taken(unique.clone()),
        Role::OwnGuard => Why::Changed,
        Role::Counter(keeper) => Why::NoKeeper(keeper.clone()),
        Role::Claim => Why::Exists,
    }
}

fn is_unmet(entity: &Described, seen: &Item, only_if: OnlyIf<'_>) -> bool {
    let fields = item::fields_of(entity, seen.clone());
    match (only_if.condition, fields) {
        (Some(condition), Ok(fields)) => !holds(entity, condition, &fields, only_if.given),
        _ => false,
    }
}

/// Whether an item is stored in another version of its shape than the one the code writes.
pub(crate) fn of_other_version(entity: &Described, seen: Option<&Item>) -> bool {
    let Some(versioned) = entity.versioned else {
        return false;
    };
    let found = match seen.and_then(|seen| seen.get(DATA_VERSION)) {
        Some(AttributeValue::N(number)) => number.parse::<i64>().ok(),
        _ => return false,
    };
    found != Some(i64::from(versioned.data_version))
}

/// Whether the item still has the token the request was made from: then it was not the token that failed.
fn has_token_of(request: &ItemRequest, seen: &Item) -> bool {
    request.token.is_some() && seen.get(LAST_WRITE) == request.token.map(number).as_ref()
}

/// The error of a write of one item that was refused.
pub(crate) fn error_of(
    store: &Store,
    entity: &Described,
    requests: &[ItemRequest],
    refused: Vec<(usize, Option<Item>)>,
) -> Error {
    let now = store.now_millis();
    let (position, seen) = refused.into_iter().next().unwrap_or_default();
    let action = RefusedAction {
        name: entity.name.clone(),
        entity: entity.name.clone(),
        why: why(
            entity,
            &requests[position],
            seen.as_ref(),
            OnlyIf::always(),
            now,
        ),
        seen,
    };
    action.into_error()
}
