//! A write of one item that was refused: for which item, and whether an earlier attempt of its own is what it was refused for.

use std::sync::atomic::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::Store;
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::judge::{order_of, same_members};
use crate::write::request::{Expected, ItemRequest, Operation, Role};
use crate::write::send::Outcome;

impl Store {
    /// A single write was refused. If the answer to an earlier attempt was lost, that attempt may be what it was refused for.
    pub(super) async fn refused_alone(
        &self,
        request: &ItemRequest,
        seen: Option<Item>,
        lost: Option<String>,
    ) -> Result<Outcome> {
        let seen = self.item_of_refusal(request, seen).await;
        match (lost, seen) {
            (None, seen) => Ok(Outcome::Refused(vec![(0, seen?)])),
            (Some(_), Ok(seen)) if happened(request, seen.as_ref()) => Ok(Outcome::Done(seen)),
            (Some(why), _) => Err(Error::Uncertain { why }),
        }
    }

    /// The item a single write was refused for. Amazon's endpoint brings it; others know nothing of that, and a refusal without an item
    /// would pass for one that found none. Until an endpoint has brought one, such a refusal is looked into.
    async fn item_of_refusal(
        &self,
        request: &ItemRequest,
        brought: Option<Item>,
    ) -> Result<Option<Item>> {
        if brought.is_some() {
            self.brings_items().store(true, Ordering::Relaxed);
            return Ok(brought);
        }
        if self.brings_items().load(Ordering::Relaxed) {
            return Ok(None);
        }
        self.get_item(&request.table, request.key.clone(), true)
            .await
    }

    /// Whether a request was perhaps refused for there being no item, and there may be one now: then it is sent again, since it is
    /// another refusal, or none, that counts. Where refusals bring their items, one without says that there was none.
    pub(super) fn may_have_come(&self, request: &ItemRequest) -> bool {
        let needs_one = request.role == Role::Named(Expected::Present);
        needs_one && !self.brings_items().load(Ordering::Relaxed)
    }

    pub(super) async fn is_there(&self, request: &ItemRequest) -> Result<bool> {
        let found = self.get_item(&request.table, request.key.clone(), true);
        Ok(found.await?.is_some())
    }
}

/// Whether what is stored is what an earlier attempt of this request wrote, its answer lost.
fn happened(request: &ItemRequest, seen: Option<&Item>) -> bool {
    match (&request.operation, &request.leaves, seen) {
        (Operation::Put(item), _, Some(seen)) => holds_all(seen, item),
        (Operation::Update { .. }, Some(leaves), Some(seen)) => holds_all(seen, leaves),
        (Operation::Delete, _, None) => true,
        _ => false,
    }
}

/// Whether an item has all attributes of another, with the same values; numbers may be written in two ways.
fn holds_all(seen: &Item, expected: &Item) -> bool {
    expected
        .iter()
        .all(|(name, value)| seen.get(name).is_some_and(|other| equal(value, other)))
}

fn equal(a: &AttributeValue, b: &AttributeValue) -> bool {
    match (a, b) {
        (AttributeValue::M(a), AttributeValue::M(b)) => a.len() <= b.len() && holds_all(b, a),
        (AttributeValue::L(a), AttributeValue::L(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (AttributeValue::Ss(a), AttributeValue::Ss(b))
        | (AttributeValue::Ns(a), AttributeValue::Ns(b)) => same_members(a, b),
        (a, b) => a == b || order_of(a, b).is_some_and(std::cmp::Ordering::is_eq),
    }
}
