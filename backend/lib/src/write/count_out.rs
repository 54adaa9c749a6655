//! Counts of what goes without a transaction: DynamoDB deletes an item whose time has passed, and tells it in the stream only.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::Entity as Described;

use crate::Store;
use crate::entity::{Entity, Kind};
use crate::error::Result;
use crate::fields::{Fields, Item};
use crate::item::{self, LAST_WRITE};
use crate::write::compose::Composer;
use crate::write::counts::gone_keepers;
use crate::write::refuse::error_of;
use crate::write::request::Role;
use crate::write::send::Outcome;

/// An entity whose items others count.
#[derive(Debug, Clone, Copy)]
pub struct Counted(Kind);

impl Counted {
    /// The entity of a type.
    pub fn of<T: Entity>() -> Self {
        Counted(Kind::of::<T>())
    }
}

/// What became of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedOut {
    /// The item was taken off now.
    Now,
    /// It had been, under the same record.
    Before,
    /// Nobody counts it.
    NotCounted,
}

/// What these counts are called among the patterns.
const PATTERN: &str = "count_out";

/// What the clocks of two machines may differ by, in milliseconds.
const CLOCKS: i64 = 60_000;

impl Store {
    /// Takes an item off the numbers of those that count it, once for each `record`, in one transaction with it. For items
    /// that went without one: those that time deleted, at the moment `went` (milliseconds since 1970; the stream tells it). Who counted it
    /// and is gone as well is left alone; so is who has taken their place since and never counted it.
    ///
    /// # Errors
    /// When the item cannot be read or the numbers cannot be written.
    pub async fn count_out<R: Entity>(
        &self,
        counted: &[Counted],
        gone: &Item,
        went: i64,
        record: &R,
    ) -> Result<CountedOut> {
        let mut kinds = counted.iter().map(|counted| counted.0);
        let kind = kinds.find(|kind| item::is_of(kind.entity, gone));
        let Some(kind) = kind.filter(|kind| !kind.entity.counted_by.is_empty()) else {
            return Ok(CountedOut::NotCounted);
        };
        let at = counted_at(kind.entity, gone, went);
        let fields = item::present_fields(kind.entity, kind.migrations, gone.clone())?;
        let record = Fields::of(R::descriptor(), record)?;
        let store = self.for_pattern(PATTERN);
        let mut keepers = BTreeSet::new();
        let mut counts = Composer::new(&store);
        counts.count_out(kind.entity, &fields, at)?;
        if counts.finish()?.is_empty() {
            return Ok(CountedOut::NotCounted);
        }
        loop {
            let mut composer = Composer::new(&store).without_keepers(&keepers);
            composer.count_out(kind.entity, &fields, at)?;
            composer.claim(R::descriptor(), &record)?;
            let requests = composer.finish()?;
            let refused = match store.send(&requests).await? {
                Outcome::Done(_) => return Ok(CountedOut::Now),
                Outcome::Refused(refused) => refused,
            };
            let mut roles = refused.iter().map(|(place, _)| &requests[*place].role);
            if roles.any(|role| *role == Role::Claim) {
                return Ok(CountedOut::Before);
            }
            let missing = gone_keepers(&requests, &refused);
            if missing.is_subset(&keepers) {
                return Err(error_of(&store, kind.entity, &requests, refused));
            }
            keepers.extend(missing);
        }
    }
}

/// A moment at which whoever counted an item did so. Who did had begun when it was last written; who has taken their place
/// began after it had gone. Between the two is the time it had left to live, and the moment is there: past the last write by what clocks may
/// differ by, though never past the half of that time.
fn counted_at(entity: &Described, gone: &Item, went: i64) -> i64 {
    let number = |name: &str| match gone.get(name) {
        Some(AttributeValue::N(number)) => number.parse::<i64>().ok(),
        _ => None,
    };
    let written = match entity.versioned {
        Some(_) => number(LAST_WRITE),
        // Nothing tells when it was written; it was before its time had passed.
        None => {
            let ttl = entity.ttl.as_deref().and_then(number);
            ttl.map(|end| end.saturating_mul(1000))
        }
    };
    let written = written.unwrap_or(went);
    let left = went.saturating_sub(written).max(0);
    written.saturating_add(CLOCKS.min(left / 2))
}
