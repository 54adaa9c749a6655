//! Gold: what the lake knows of all tasks, added up.
//!
//! What was created and completed is counted from the changes, so that it stays: a task that is deleted later, by whom or by what ever, was created and completed all the same.

mod active;
mod count;
mod facts;
mod line;
mod overdue;
mod part;
mod sums;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tablewright_lake::{LakeError, Refining};

pub(crate) use self::part::piece_of;

/// The tables, and their columns.
pub(crate) const PER_DAY: &str = "tasks_per_day";
pub(crate) const COMPLETION: &str = "completion";
pub(crate) const OVERDUE: &str = "overdue";
pub(crate) const ACTIVE: &str = "active_users";

/// The column, and the field of a task, that says whose it is. The tables that have it are in its order.
pub(crate) const USER: &str = "user_id";

/// Computes all tables.
pub(crate) fn refine(refining: Refining) -> BoxFuture<'static, Result<(), LakeError>> {
    Box::pin(async move {
        let today = day(refining.now().div_euclid(1000));
        count::count(&refining).await?;
        overdue::put(&refining, today).await?;
        active::put(&refining, today).await
    })
}

/// The day of a moment, in UTC.
fn day(seconds: i64) -> Date {
    let moment = Timestamp::from_second(seconds).unwrap_or_default();
    moment.to_zoned(TimeZone::UTC).date()
}
