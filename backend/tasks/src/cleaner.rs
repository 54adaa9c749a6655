//! The cleaner: when a task is deleted, its assignments go too (C1-19).

use std::sync::Arc;

use tablewright::{Change, Error, Uuid};
use tablewright_stream::{Failure, Handler, Record};

use crate::model::{AssignmentKey, AssignmentRepo, SignAssignmentLeft, TasksEvent};
use crate::state::App;

/// Removes the assignments of deleted tasks. Nobody is assigned to a task that is not there, since assigning checks it in its transaction: whoever was
/// assigned at the same moment was assigned before. Deletions are found by an eventual read, so a strong one says when all are gone. To do it twice does no
/// harm.
#[derive(Debug, Clone)]
pub(crate) struct Cleaner {
    assignments: AssignmentRepo,
}

impl Cleaner {
    pub(crate) fn new(app: &App) -> Self {
        Cleaner {
            assignments: app.tasks.assignments.clone(),
        }
    }
}

/// How many assignments are read at once.
const AT_ONCE: u32 = 50;

impl Cleaner {
    /// Puts a name to all assignments of a task.
    async fn sign(&self, task_id: Uuid, by: &str) -> Result<(), Failure> {
        let all = self.assignments.assignments_left(task_id).limit(AT_ONCE);
        for assignment in all.all().collect().await? {
            let key = AssignmentKey::new(task_id, &assignment.user_id);
            let name = SignAssignmentLeft {
                removed_by: Change::Set(Some(by.to_owned())),
            };
            match self.assignments.sign_assignment_left(&key, name).await {
                // It ended by itself.
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Handler for Cleaner {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        for event in TasksEvent::of(&record.table, before, after)? {
            if let TasksEvent::TaskDeleted(deleted) = event {
                if let Some(by) = &deleted.deleted_by {
                    self.sign(deleted.task_id, by).await?;
                }
                let removed = self
                    .assignments
                    .delete_assignments_of_task(deleted.task_id)
                    .await?;
                tracing::debug!(task = %deleted.task_id, removed, "assignments of a deleted task");
                let left = self.assignments.assignments_left(deleted.task_id);
                if left.first().await?.is_some() {
                    return Err(Failure::World(String::from(
                        "an assignment of a deleted task is not seen everywhere yet",
                    )));
                }
            }
        }
        Ok(())
    }
}
