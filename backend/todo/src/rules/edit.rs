//! A change of a task, and the task after it.

use tablewright::{Change, Date};

use super::Retention;
use crate::model::{Task, TaskPriority, TaskStatus, UpdateTask};

/// What a caller wants of a task to be otherwise. Its values have been checked.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// Its title.
    pub title: Change<String>,
    /// Its description, or that it has none.
    pub description: Change<Option<String>>,
    /// Its status.
    pub status: Change<TaskStatus>,
    /// Its priority, or that it has none.
    pub priority: Change<Option<TaskPriority>>,
    /// Its category, or that it has none.
    pub category: Change<Option<String>>,
    /// The day it is due, or that there is none.
    pub due_date: Change<Option<Date>>,
}

impl Edit {
    /// Of its status alone.
    pub fn of_status(status: TaskStatus) -> Self {
        Edit {
            status: Change::Set(status),
            ..Edit::default()
        }
    }
}

/// The task after an edit. One that changes nothing leaves it as it is, the time of its last change included.
pub fn edited(before: &Task, edit: &Edit, now: i64, retention: Retention) -> Task {
    let mut task = before.clone();
    edit.title.apply_to(&mut task.title);
    edit.description.apply_to(&mut task.description);
    edit.status.apply_to(&mut task.status);
    edit.priority.apply_to(&mut task.priority);
    edit.category.apply_to(&mut task.category);
    edit.due_date.apply_to(&mut task.due_date);
    retention.follow(&mut task, Some(before), now);
    if task != *before {
        // A clock that steps back must not make a change older than the one before.
        task.updated_at = now.max(before.updated_at);
        task.revision = before.revision.saturating_add(1);
    }
    task
}

/// What is to be written so that a task becomes this one.
pub fn patch_of(task: &Task) -> UpdateTask {
    UpdateTask {
        title: Change::Set(task.title.clone()),
        description: Change::Set(task.description.clone()),
        status: Change::Set(task.status),
        priority: Change::Set(task.priority),
        category: Change::Set(task.category.clone()),
        due_date: Change::Set(task.due_date),
        updated_at: Change::Set(task.updated_at),
        completed_at: Change::Set(task.completed_at),
        ttl: Change::Set(task.ttl),
        revision: Change::Set(task.revision),
    }
}

#[cfg(test)]
mod tests {
    use tablewright::Ulid;

    use super::*;

    fn task(status: TaskStatus) -> Task {
        Task {
            user_id: "ada".into(),
            task_id: Ulid::at(1),
            title: "Write".into(),
            description: None,
            status,
            priority: None,
            category: None,
            due_date: None,
            created_at: 100,
            updated_at: 100,
            completed_at: None,
            ttl: None,
            revision: 1,
        }
    }

    const WEEK: Retention = Retention { days: Some(7) };

    /// S0-14, S0-41, C0-10, C0-19
    #[test]
    fn completion_sets_its_time_and_reopening_clears_it() {
        let done = edited(
            &task(TaskStatus::Pending),
            &Edit::of_status(TaskStatus::Completed),
            500,
            WEEK,
        );
        assert_eq!(
            (done.completed_at, done.ttl, done.updated_at),
            (Some(500), Some(500 + 7 * 86_400), 500)
        );
        for open in [
            TaskStatus::Pending,
            TaskStatus::InProgress,
            TaskStatus::Cancelled,
        ] {
            let again = edited(&done, &Edit::of_status(open), 900, WEEK);
            assert_eq!(
                (again.completed_at, again.ttl, again.updated_at),
                (None, None, 900)
            );
        }
        // Completed once more, or otherwise changed, it was completed when it was.
        let title = Edit {
            title: "Rewrite".to_owned().into(),
            ..Edit::of_status(TaskStatus::Completed)
        };
        let later = edited(&done, &title, 900, WEEK);
        assert_eq!(
            (later.completed_at, later.ttl, later.updated_at),
            (Some(500), Some(500 + 7 * 86_400), 900)
        );
    }

    /// S0-41: nothing ends unless it is asked for.
    #[test]
    fn tasks_are_kept_for_ever_by_default() {
        let done = edited(
            &task(TaskStatus::Pending),
            &Edit::of_status(TaskStatus::Completed),
            500,
            Retention::default(),
        );
        assert_eq!((done.completed_at, done.ttl), (Some(500), None));
    }

    #[test]
    fn what_changes_nothing_changes_nothing() {
        let before = task(TaskStatus::Pending);
        let same = Edit {
            title: "Write".to_owned().into(),
            ..Edit::of_status(TaskStatus::Pending)
        };
        assert_eq!(edited(&before, &same, 900, WEEK), before);
        let back = edited(&before, &Edit::of_status(TaskStatus::Cancelled), 50, WEEK);
        assert_eq!(back.updated_at, 100, "the clock stepped back");
        assert_eq!(back.revision, 2, "within the same second it is another");
    }

    #[test]
    fn a_value_is_removed_by_saying_so() {
        let before = Task {
            priority: Some(TaskPriority::High),
            category: Some("home".into()),
            ..task(TaskStatus::Pending)
        };
        let after = edited(
            &before,
            &Edit {
                priority: Change::Set(None),
                ..Edit::default()
            },
            200,
            WEEK,
        );
        assert_eq!(
            (after.priority, after.category.as_deref()),
            (None, Some("home"))
        );
    }
}
