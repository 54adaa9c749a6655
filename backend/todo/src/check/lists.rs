//! Lists against the tasks there are.

use std::collections::BTreeMap;

use tablewright::{Date, Error, Query, Versioned};

use super::{Owned, Report};
use crate::model::{Task, TaskPriority, TaskStatus};
use crate::state::App;

/// Every list of the model gives exactly the tasks it should, as they are.
pub(super) async fn agree(
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
