//! What is worth a mail.

use tablewright::Uuid;

use crate::model::{TaskStatus, TasksEvent, WaitingMail, WaitingMailNews};

/// Something people are told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct News {
    pub(crate) task_id: Uuid,
    /// Who did it: they know (C1-21).
    pub(crate) actor: Option<String>,
    pub(super) told: Told,
    pub(super) what: What,
}

/// A mail: what happened, told to one person.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneMail<'m> {
    pub(crate) event_id: &'m str,
    /// Where in the change stream, so that mails are in the order of what happened.
    pub(crate) sequence: &'m str,
    pub(crate) user_id: &'m str,
    pub(crate) news: &'m News,
}

/// Whom it concerns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    /// One member (S1-43).
    Member(String),
    /// Everybody who is assigned, and who made the task (S1-44).
    Everybody,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    Assigned,
    Status(TaskStatus),
    Closed,
}

impl News {
    /// What a mail that waited tells.
    pub(super) fn of_waiting(mail: &WaitingMail) -> Self {
        let (told, what) = match mail.news {
            WaitingMailNews::Assigned => (Told::Member(mail.user_id.clone()), What::Assigned),
            WaitingMailNews::Open => (Told::Everybody, What::Status(TaskStatus::Open)),
            WaitingMailNews::InProgress => (Told::Everybody, What::Status(TaskStatus::InProgress)),
            WaitingMailNews::Completed => (Told::Everybody, What::Status(TaskStatus::Completed)),
            WaitingMailNews::Closed => (Told::Everybody, What::Closed),
        };
        News {
            task_id: mail.task_id,
            actor: mail.actor.clone(),
            told,
            what,
        }
    }

    /// The word it waits as.
    pub(crate) fn word(&self) -> WaitingMailNews {
        match self.what {
            What::Assigned => WaitingMailNews::Assigned,
            What::Status(TaskStatus::Open) => WaitingMailNews::Open,
            What::Status(TaskStatus::InProgress) => WaitingMailNews::InProgress,
            What::Status(TaskStatus::Completed) => WaitingMailNews::Completed,
            What::Status(TaskStatus::Closed) | What::Closed => WaitingMailNews::Closed,
        }
    }

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
