//! Counts of what goes without a transaction: DynamoDB deletes an item whose time has passed, and tells it in the stream only.

use std::collections::BTreeSet;

use crate::Store;
use crate::entity::{Entity, Kind};
use crate::error::Result;
use crate::fields::{Fields, Item};
use crate::item;
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

impl Store {
    /// Takes an item that is gone off the numbers of those that count it, once for each `record`, in one transaction with it. For items
    /// that went without one: those that time deleted. Who counted it and is gone as well is left alone.
    ///
    /// # Errors
    /// When the item cannot be read or the numbers cannot be written.
    pub async fn count_out<R: Entity>(
        &self,
        counted: &[Counted],
        gone: &Item,
        record: &R,
    ) -> Result<CountedOut> {
        let mut kinds = counted.iter().map(|counted| counted.0);
        let kind = kinds.find(|kind| item::is_of(kind.entity, gone));
        let Some(kind) = kind.filter(|kind| !kind.entity.counted_by.is_empty()) else {
            return Ok(CountedOut::NotCounted);
        };
        let fields = item::present_fields(kind.entity, kind.migrations, gone.clone())?;
        let record = Fields::of(R::descriptor(), record)?;
        let store = self.for_pattern(PATTERN);
        let mut keepers = BTreeSet::new();
        loop {
            let mut composer = Composer::new(&store).without_keepers(&keepers);
            composer.count_out(kind.entity, &fields)?;
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
