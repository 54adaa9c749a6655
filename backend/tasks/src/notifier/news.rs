//! What is worth a mail.

use tablewright::Uuid;

use crate::model::{TaskStatus, TasksEvent};

/// Something people are told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct News {
    pub(super) task_id: Uuid,
    /// Who did it: they know (C1-21).
    pub(super) actor: Option<String>,
    pub(super) told: Told,
    pub(super) what: What,
}

/// Whom it concerns.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Told {
    /// One member (S1-43).
    Member(String),
    /// Everybody who is assigned, and who made the task (S1-44).
    Everybody,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    Assigned,
    Status(TaskStatus),
    Closed,
}

impl News {
    pub(super) fn of(event: &TasksEvent) -> Option<Self> {
        Some(match event {
            TasksEvent::TaskAssigned(assigned) => News {
                task_id: assigned.task_id,
                actor: Some(assigned.assigned_by.clone()),
                told: Told::Member(assigned.user_id.clone()),
                what: What::Assigned,
            },
            TasksEvent::TaskStatusUpdated(updated) => News {
                task_id: updated.task_id,
                actor: updated.updated_by.clone(),
                told: Told::Everybody,
                what: What::Status(updated.new_status),
            },
            TasksEvent::TaskClosed(closed) => News {
                task_id: closed.task_id,
                actor: closed.closed_by.clone(),
                told: Told::Everybody,
                what: What::Closed,
            },
            TasksEvent::TaskCreated(_)
            | TasksEvent::TaskUnassigned(_)
            | TasksEvent::TaskRenamed(_)
            | TasksEvent::TaskDescribed(_)
            | TasksEvent::TaskPriorityChanged(_)
            | TasksEvent::TaskDeleted(_)
            | TasksEvent::UserJoined(_)
            | TasksEvent::UserDeactivated(_)
            | TasksEvent::UserActivated(_) => return None,
        })
    }
}
