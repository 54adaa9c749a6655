//! Whether what is stored agrees: tasks with their counts, with the entries of every index, and users with the guards of their addresses.

use std::collections::BTreeMap;
use std::fmt;

use tablewright::{Date, Entity, Error, Item, Query, Ulid, Versioned, stored_from_item};

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

/// Compares everything. It reads the whole table, and each index once for every user: for tests, and after a fault.
///
/// # Errors
/// When something cannot be read.
pub async fn check(app: &App) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut owners: BTreeMap<String, Owned> = BTreeMap::new();
    let mut people = Vec::new();
    let mut others = 0;
    for item in all_items(app).await? {
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
        indexes_agree(app, user_id, owned, &mut report).await?;
    }
    guards_agree(app, &people, others, &mut report).await?;
    Ok(report)
}

async fn all_items(app: &App) -> Result<Vec<Item>, Error> {
    let name = app.store().table_name(&Task::descriptor().table);
    let mut items = Vec::new();
    let mut pages = app
        .store()
        .client()
        .scan()
        .table_name(name)
        .consistent_read(true)
        .into_paginator()
        .items()
        .send();
    while let Some(item) = pages.next().await {
        let item = item.map_err(|error| Error::Unavailable {
            why: format!("{:?}", error.into_service_error()),
        })?;
        items.push(item);
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

/// Every list of the model gives exactly the tasks it should, as they are.
async fn indexes_agree(
    app: &App,
    user_id: &str,
    owned: &Owned,
    report: &mut Report,
) -> Result<(), Error> {
    let tasks = &app.todo.tasks;
    let now = app.now();
    let mut compare = Comparison {
        owned,
        user_id,
        now,
        report,
    };
    compare
        .with("tasks", tasks.tasks(user_id), |_| true)
        .await?;
    compare
        .with(
            "tasks_grouped_by_status",
            tasks.tasks_grouped_by_status(user_id),
            |_| true,
        )
        .await?;
    compare
        .with(
            "tasks_with_due_date",
            tasks.tasks_with_due_date(user_id),
            |task| task.due_date.is_some(),
        )
        .await?;
    compare
        .with(
            "tasks_by_urgency",
            tasks.tasks_by_urgency(user_id),
            |task| task.priority.is_some(),
        )
        .await?;
    compare
        .with(
            "tasks_grouped_by_category",
            tasks.tasks_grouped_by_category(user_id),
            |task| task.category.is_some(),
        )
        .await?;
    let is_open = |task: &Task| matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress);
    compare
        .with(
            "overdue_tasks",
            tasks.overdue_tasks(user_id, LAST),
            |task| is_open(task) && task.due_date.is_some_and(|day| day < LAST),
        )
        .await?;
    // By value: an entry under another key than its own shows here.
    for status in TaskStatus::ALL {
        compare
            .with(
                "tasks_by_status",
                tasks.tasks_by_status(user_id, status),
                |task| task.status == status,
            )
            .await?;
    }
    for priority in TaskPriority::ALL {
        compare
            .with(
                "tasks_by_priority",
                tasks.tasks_by_priority(user_id, priority),
                |task| task.priority == Some(priority),
            )
            .await?;
    }
    let mut categories: Vec<&str> = owned
        .tasks
        .values()
        .filter_map(|task| task.category.as_deref())
        .collect();
    categories.sort_unstable();
    categories.dedup();
    for category in categories {
        compare
            .with(
                "tasks_by_category",
                tasks.tasks_by_category(user_id, category),
                |task| task.category.as_deref() == Some(category),
            )
            .await?;
    }
    let mut days: Vec<Date> = owned
        .tasks
        .values()
        .filter_map(|task| task.due_date)
        .collect();
    days.sort_unstable();
    days.dedup();
    for day in days {
        compare
            .with("tasks_due_on", tasks.tasks_due_on(user_id, day), |task| {
                task.due_date == Some(day)
            })
            .await?;
    }
    Ok(())
}

const LAST: Date = Date::constant(9999, 12, 31);

struct Comparison<'c> {
    owned: &'c Owned,
    user_id: &'c str,
    now: i64,
    report: &'c mut Report,
}

impl Comparison<'_> {
    async fn with(
        &mut self,
        pattern: &str,
        query: Query<Versioned<Task>>,
        belongs: impl Fn(&Task) -> bool,
    ) -> Result<(), Error> {
        let user_id = self.user_id;
        let mut found = BTreeMap::new();
        for task in query.limit(1000).all().collect().await? {
            let id = task.task_id;
            if found.insert(id, task).is_some() {
                self.report
                    .faults
                    .push(format!("{pattern} gives task {id} of {user_id} twice"));
            }
        }
        for (id, task) in &self.owned.tasks {
            // What has expired is left out of every list.
            let expected = belongs(task) && task.ttl.is_none_or(|ttl| ttl > self.now);
            let fault = match found.remove(id) {
                None if expected => "does not give",
                Some(_) if !expected => "should not give",
                Some(listed) if listed != *task => "gives another state of",
                _ => continue,
            };
            self.report
                .faults
                .push(format!("{pattern} {fault} task {id} of {user_id}"));
        }
        for id in found.keys() {
            self.report.faults.push(format!(
                "{pattern} gives task {id} of {user_id}, which is not there"
            ));
        }
        Ok(())
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
