//! What is counted of a task.

use jiff::civil::Date;

use super::day;
use crate::model::{Task, TaskStatus};

/// What is counted of a task, as it is at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) completed_at: Option<i64>,
    pub(super) is_cancelled: bool,
    pub(super) category: Option<String>,
}

impl From<Task> for Facts {
    fn from(task: Task) -> Self {
        Facts {
            created_at: task.created_at,
            updated_at: task.updated_at,
            completed_at: task.completed_at,
            is_cancelled: task.status == TaskStatus::Cancelled,
            category: task.category,
        }
    }
}

impl Facts {
    /// On which day it was completed, and after how many seconds.
    pub(super) fn completed(&self) -> Option<(Date, i64)> {
        let at = self.completed_at?;
        Some((day(at), (at - self.created_at).max(0)))
    }

    /// The completion that a change to this takes back: who reopens a task on the day of its completion has not completed it that day. On a later day it was completed all the same.
    pub(super) fn takes_back(&self, before: &Facts) -> Option<(Date, i64)> {
        let completed = before.completed()?;
        (completed.0 == day(self.updated_at)).then_some(completed)
    }
}
