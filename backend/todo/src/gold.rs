//! Gold: what the lake knows of all tasks, added up.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::BoxFuture;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use tablewright_lake::{GoldRow, GoldTable, LakeError, Reader};

use crate::model::{Task, TaskStatus};

/// The tables, and their columns.
pub(crate) const PER_DAY: &str = "tasks_per_day";
pub(crate) const COMPLETION: &str = "completion";
pub(crate) const OVERDUE: &str = "overdue";
pub(crate) const ACTIVE: &str = "active_users";

/// The column, and the field of a task, that says whose it is. The tables that have it are in its order.
pub(crate) const USER: &str = "user_id";

/// Changes come late by a day at most: days before that are counted once and for all.
const LATE: i64 = 2;

/// Computes all tables, as of a moment in milliseconds since 1970.
pub(crate) fn refine(
    reader: Reader,
    now: i64,
) -> BoxFuture<'static, Result<Vec<GoldTable>, LakeError>> {
    Box::pin(async move {
        let today = day(now.div_euclid(1000));
        let mut sums = Sums::default();
        reader.items::<Task>(|task| sums.add(&task, today)).await?;
        let mut tables = sums.tables(today);
        tables.push(active_users(&reader, today).await?);
        Ok(tables)
    })
}

fn day(seconds: i64) -> Date {
    let moment = Timestamp::from_second(seconds).unwrap_or_default();
    moment.to_zoned(TimeZone::UTC).date()
}

/// What is added up of the tasks there are.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    /// By user and day: how many were created, and how many completed.
    per_day: BTreeMap<(String, Date), (i64, i64)>,
    /// By user and category.
    completion: BTreeMap<(String, Option<String>), Completion>,
    overdue: BTreeMap<String, i64>,
}

#[derive(Debug, Default, PartialEq)]
struct Completion {
    /// Those that were not cancelled.
    tasks: i64,
    completed: i64,
    /// From creation to completion, all together.
    seconds: i64,
}

impl Sums {
    fn add(&mut self, task: &Task, today: Date) {
        let user = || task.user_id.clone();
        self.per_day
            .entry((user(), day(task.created_at)))
            .or_default()
            .0 += 1;
        if let Some(completed_at) = task.completed_at {
            self.per_day
                .entry((user(), day(completed_at)))
                .or_default()
                .1 += 1;
        }
        let open = matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress);
        let due = task.due_date.filter(|_| open);
        if due.is_some_and(|due| due < today) {
            *self.overdue.entry(user()).or_default() += 1;
        }
        if task.status == TaskStatus::Cancelled {
            return;
        }
        let place = (user(), task.category.clone());
        let completion = self.completion.entry(place).or_default();
        completion.tasks += 1;
        if let Some(completed_at) = task.completed_at {
            completion.completed += 1;
            completion.seconds += (completed_at - task.created_at).max(0);
        }
    }

    fn tables(&self, today: Date) -> Vec<GoldTable> {
        let per_day = || self.per_day.iter();
        let completion = || self.completion.iter();
        let share = |part: i64, of: i64| (of > 0).then(|| part as f64 / of as f64);
        vec![
            GoldTable::new(PER_DAY)
                .texts(USER, per_day().map(|((user, _), _)| Some(user.as_str())))
                .days("day", per_day().map(|((_, day), _)| *day))
                .counts("created", per_day().map(|(_, (created, _))| *created))
                .counts("completed", per_day().map(|(_, (_, completed))| *completed)),
            GoldTable::new(COMPLETION)
                .texts(USER, completion().map(|((user, _), _)| Some(user.as_str())))
                .texts(
                    "category",
                    completion().map(|((_, category), _)| category.as_deref()),
                )
                .counts("tasks", completion().map(|(_, sum)| sum.tasks))
                .counts("completed", completion().map(|(_, sum)| sum.completed))
                .numbers(
                    "rate",
                    completion().map(|(_, sum)| share(sum.completed, sum.tasks)),
                )
                .numbers(
                    "seconds_to_complete",
                    completion().map(|(_, sum)| share(sum.seconds, sum.completed)),
                ),
            GoldTable::new(OVERDUE)
                .texts(USER, self.overdue.keys().map(|user| Some(user.as_str())))
                .days("day", self.overdue.keys().map(|_| today))
                .counts("tasks", self.overdue.values().copied()),
        ]
    }
}

/// How many users changed a task on each day, by the changes themselves.
async fn active_users(reader: &Reader, today: Date) -> Result<GoldTable, LakeError> {
    let mut known: BTreeMap<Date, i64> = BTreeMap::new();
    let see = |row: &GoldRow<'_>| known.extend(row.day("day").zip(row.count("users")));
    reader.gold(ACTIVE, see).await?;
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
    Ok(GoldTable::new(ACTIVE)
        .days("day", known.keys().copied())
        .counts("users", known.values().copied()))
}
