//! Whether what is stored agrees: tasks with their counts, with the entries of every index, and users with the guards of their addresses.

mod entries;
mod lists;

use std::collections::BTreeMap;
use std::fmt;

use tablewright::{Entity, Error, Item, Ulid, Versioned, misplaced_keys, stored_from_item};

use crate::model::{Task, TaskCounts, TaskPriority, TaskStatus, User};
use crate::state::App;
use crate::view::TaskStatistics;

/// What was compared, and what does not agree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many users have tasks or counts.
    pub users: usize,
    /// How many tasks there are.
    pub tasks: usize,
    /// What does not agree, each in a sentence.
    pub faults: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.faults {
            writeln!(f, "{fault}")?;
        }
        let Report {
            users,
            tasks,
            faults,
        } = self;
        match faults.len() {
            0 => write!(
                f,
                "{tasks} tasks of {users} users agree with their counts and their indexes"
            ),
            many => write!(f, "{many} faults in {tasks} tasks of {users} users"),
        }
    }
}

/// All there is of a user.
#[derive(Debug, Default)]
struct Owned {
    tasks: BTreeMap<Ulid, Versioned<Task>>,
    counts: Option<TaskCounts>,
}

/// Compares everything. It reads the whole table and every index, and each index once more for every user: for tests, and after a fault.
///
/// # Errors
/// When something cannot be read.
pub async fn check(app: &App) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut owners: BTreeMap<String, Owned> = BTreeMap::new();
    let mut people = Vec::new();
    let mut others = 0;
    let items = scanned(app, None).await?;
    entries::agree(app, &items, &mut report).await?;
    for item in items {
        keys_agree::<Task>(&item, &mut report)?;
        keys_agree::<TaskCounts>(&item, &mut report)?;
        keys_agree::<User>(&item, &mut report)?;
        if let Some(task) = stored_from_item::<Task>(item.clone())? {
            let owned = owners.entry(task.user_id.clone()).or_default();
            owned.tasks.insert(task.task_id, task);
        } else if let Some(counts) = stored_from_item::<TaskCounts>(item.clone())? {
            let owned = owners.entry(counts.user_id.clone()).or_default();
            owned.counts = Some(counts);
        } else if let Some(user) = stored_from_item::<User>(item.clone())? {
            people.push(user);
        } else if stored_from_item::<crate::model::Idempotency>(item)?.is_none() {
            others += 1;
        }
    }
    report.users = owners.len();
    for (user_id, owned) in &owners {
        report.tasks += owned.tasks.len();
        counts_agree(user_id, owned, &mut report);
        lists::agree(app, user_id, owned, &mut report).await?;
    }
    guards_agree(app, &people, others, &mut report).await?;
    Ok(report)
}

/// The keys of an item, its entries in indexes among them, are those of its fields. A list shows an entry under another key only where it
/// asks for exactly that key.
fn keys_agree<T: Entity>(item: &Item, report: &mut Report) -> Result<(), Error> {
    for name in misplaced_keys::<T>(item)? {
        let [partition, sort] = place(item);
        let fault = format!("{name} of {partition} {sort} is not what its fields say");
        report.faults.push(fault);
    }
    Ok(())
}

/// Where an item is in the table, also by what an index has of it.
fn place(item: &Item) -> [&str; 2] {
    let keys = Task::descriptor().table.key_attributes();
    let mut place = keys.filter_map(|key| item.get(&key.name)?.as_s().ok());
    [place.next(), place.next()].map(|part| part.map_or("", String::as_str))
}

/// All there is in the table, or in one of its indexes.
async fn scanned(app: &App, index: Option<&str>) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    let scan = app.store().client().scan().table_name(app.table());
    let scan = match index {
        None => scan.consistent_read(true),
        Some(index) => scan.index_name(index),
    };
    let mut pages = scan.into_paginator().items().send();
    while let Some(item) = pages.next().await {
        items.push(item.map_err(|error| Error::of_request(&error))?);
    }
    Ok(items)
}

/// S0-31, S0-32: the counts are those of the tasks.
fn counts_agree(user_id: &str, owned: &Owned, report: &mut Report) {
    let mut counted = TaskCounts {
        user_id: user_id.to_owned(),
        total: 0,
        by_status_pending: 0,
        by_status_in_progress: 0,
        by_status_completed: 0,
        by_status_cancelled: 0,
        by_priority_low: 0,
        by_priority_medium: 0,
        by_priority_high: 0,
        by_priority_urgent: 0,
    };
    for task in owned.tasks.values() {
        counted.total += 1;
        *match task.status {
            TaskStatus::Pending => &mut counted.by_status_pending,
            TaskStatus::InProgress => &mut counted.by_status_in_progress,
            TaskStatus::Completed => &mut counted.by_status_completed,
            TaskStatus::Cancelled => &mut counted.by_status_cancelled,
        } += 1;
        let Some(priority) = task.priority else {
            continue;
        };
        *match priority {
            TaskPriority::Low => &mut counted.by_priority_low,
            TaskPriority::Medium => &mut counted.by_priority_medium,
            TaskPriority::High => &mut counted.by_priority_high,
            TaskPriority::Urgent => &mut counted.by_priority_urgent,
        } += 1;
    }
    let stored = owned.counts.as_ref().map(TaskStatistics::from);
    let counted = TaskStatistics::from(&counted);
    // Who has no tasks need not have counts.
    if stored.as_ref() != Some(&counted) && !(stored.is_none() && counted.total == 0) {
        let stored =
            stored.map_or_else(|| String::from("not there"), |stored| format!("{stored:?}"));
        report.faults.push(format!(
            "the counts of {user_id} are {stored}, and the tasks are {counted:?}"
        ));
    }
}

/// S0-10: every address has its guard, and no guard is left over.
async fn guards_agree(
    app: &App,
    people: &[Versioned<User>],
    guards: usize,
    report: &mut Report,
) -> Result<(), Error> {
    for user in people {
        let found = app.todo.users.user_by_email(&user.email).await?;
        if found.is_none_or(|found| found.user_id != user.user_id) {
            report
                .faults
                .push(format!("the address of {} is not guarded", user.user_id));
        }
    }
    if guards != people.len() {
        report.faults.push(format!(
            "{guards} guards and other items for {} users",
            people.len()
        ));
    }
    Ok(())
}
