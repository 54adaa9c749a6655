//! What follows a task's status: when it was completed, and when it is forgotten.

use crate::model::{Task, TaskStatus};

/// How long completed tasks are kept: for ever unless told otherwise (S0-41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// So many days after completion they are forgotten.
    pub days: Option<u32>,
}

const DAY: i64 = 24 * 60 * 60;

impl Retention {
    fn ends(self, completed_at: i64) -> Option<i64> {
        self.days
            .map(|days| completed_at.saturating_add(i64::from(days) * DAY))
    }

    /// Brings `completed_at` and `ttl` of a task into line with its status. `before` is the task as it was, if it was.
    pub(super) fn follow(self, task: &mut Task, before: Option<&Task>, now: i64) {
        let was_completed = before.filter(|before| before.status == TaskStatus::Completed);
        (task.completed_at, task.ttl) = match (task.status, was_completed) {
            (TaskStatus::Completed, Some(before)) => (before.completed_at, before.ttl),
            (TaskStatus::Completed, None) => (Some(now), self.ends(now)),
            // Reopening clears both (C0-10).
            _ => (None, None),
        };
    }
}
