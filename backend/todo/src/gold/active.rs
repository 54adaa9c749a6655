//! How many users changed a task on each day.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan as _;
use jiff::civil::Date;
use tablewright_lake::{GoldRow, GoldTable, LakeError, Refining};

use super::{ACTIVE, USER};
use crate::model::Task;

/// Changes come late by a day at most: days before that are counted once and for all.
const LATE: i64 = 2;

/// How many users changed a task on each day, by the changes themselves.
pub(super) async fn put(refining: &Refining, today: Date) -> Result<(), LakeError> {
    let reader = refining.reader();
    let mut known: BTreeMap<Date, i64> = BTreeMap::new();
    let see = |row: &GoldRow<'_>| known.extend(row.day("day").zip(row.count("users")));
    match reader.gold(ACTIVE, see).await {
        Err(error @ LakeError::Damaged { .. }) => {
            tracing::error!(%error, "it is counted anew");
            known.clear();
        }
        read => read?,
    }
    let settled = known
        .keys()
        .next_back()
        .copied()
        .unwrap_or(Date::MIN)
        .min(today);
    let since = settled.saturating_sub(LATE.days());
    known.retain(|day, _| *day < since);
    let mut recent: BTreeMap<Date, BTreeSet<String>> = BTreeMap::new();
    let see = |day, user| _ = recent.entry(day).or_default().insert(user);
    reader.changed_since::<Task>(USER, since, see).await?;
    known.extend(
        recent
            .into_iter()
            .map(|(day, users)| (day, users.len() as i64)),
    );
    let table = GoldTable::new(ACTIVE)
        .days("day", known.keys().copied())
        .counts("users", known.values().copied());
    refining.put(table).await
}
