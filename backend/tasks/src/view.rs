//! What callers see. The names are those of the document: `taskId`, `createdBy`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tablewright::Uuid;
use tablewright_service::{ETag, Problem, Tagged};

use crate::model::{
    Assignment, HistoryEntry, Task, TaskPriority, TaskStatus, UndeliveredMail,
    UndeliveredMailOutcome, User, UserGroup, UserStatus,
};
use crate::notifier::waits_since;
use crate::waiting::Waiting;

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Task")]
pub(crate) struct TaskView {
    /// What it is known by.
    pub(crate) task_id: Uuid,
    /// What is to be done.
    pub(crate) title: String,
    /// What else is to be known.
    pub(crate) description: Option<String>,
    /// How far it is.
    pub(crate) status: TaskStatus,
    /// How urgent it is.
    pub(crate) priority: TaskPriority,
    /// Who wrote it down.
    pub(crate) created_by: String,
    /// When, in seconds since 1970.
    pub(crate) created_at: i64,
    /// Who changed it last; null if nobody has.
    pub(crate) updated_by: Option<String>,
    /// When it was changed last, in seconds since 1970.
    pub(crate) updated_at: i64,
    /// Who closed it; null if it is not closed.
    pub(crate) closed_by: Option<String>,
    /// When it was closed, in seconds since 1970.
    pub(crate) closed_at: Option<i64>,
}

impl From<&Task> for TaskView {
    fn from(task: &Task) -> Self {
        TaskView {
            task_id: task.task_id,
            title: task.title.clone(),
            description: task.description.clone(),
            status: task.status,
            priority: task.priority,
            created_by: task.created_by.clone(),
            created_at: task.created_at,
            updated_by: task.updated_by.clone(),
            updated_at: task.updated_at,
            closed_by: task.closed_by.clone(),
            closed_at: task.closed_at,
        }
    }
}

/// The tag of a task: of what callers see, and of its revision, since what changes and changes back within a second looks the same.
pub(crate) fn tag_of(task: &Task) -> Result<ETag, Problem> {
    ETag::of_content(&(TaskView::from(task), task.revision))
}

/// A task with its tag.
pub(crate) fn tagged(task: &Task) -> Result<Tagged<TaskView>, Problem> {
    Ok(Tagged {
        body: TaskView::from(task),
        etag: tag_of(task)?,
    })
}

/// A piece of work, and who works on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TaskWithAssignments")]
pub(crate) struct TaskDetail {
    #[serde(flatten)]
    pub(crate) task: TaskView,
    /// Who works on it, up to 100 people.
    pub(crate) assignments: Vec<AssignmentView>,
    /// Whether more people do: `…/assignments` lists all.
    pub(crate) more_assignments: bool,
}

/// Somebody works on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Assignment")]
pub(crate) struct AssignmentView {
    /// Which task.
    pub(crate) task_id: Uuid,
    /// Who works on it.
    pub(crate) user_id: String,
    /// Who said so.
    pub(crate) assigned_by: String,
    /// When, in seconds since 1970.
    pub(crate) assigned_at: i64,
}

impl From<&Assignment> for AssignmentView {
    fn from(assignment: &Assignment) -> Self {
        AssignmentView {
            task_id: assignment.task_id,
            user_id: assignment.user_id.clone(),
            assigned_by: assignment.assigned_by.clone(),
            assigned_at: assignment.assigned_at,
        }
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "User")]
pub(crate) struct UserView {
    /// The subject of their token.
    pub(crate) user_id: String,
    /// Their address. Nobody else has it.
    pub(crate) email: String,
    /// Their name, if it is known.
    pub(crate) name: Option<String>,
    /// Whether they may do anything at all.
    pub(crate) user_status: UserStatus,
    /// Their groups when they were seen last. What they may do is in their token.
    pub(crate) groups: Vec<UserGroup>,
    /// Since when they are known, in seconds since 1970.
    pub(crate) created_at: i64,
    /// When this was changed last, in seconds since 1970.
    pub(crate) updated_at: i64,
}

impl From<&User> for UserView {
    fn from(user: &User) -> Self {
        UserView {
            user_id: user.user_id.clone(),
            email: user.email.clone(),
            name: user.name.clone(),
            user_status: user.user_status,
            groups: user.groups.clone(),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

/// Something that happened to a task.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HistoryEntry")]
pub(crate) struct HistoryView {
    /// The event.
    pub(crate) event_id: String,
    /// What happened, as `TaskAssigned`.
    pub(crate) event: String,
    /// What is known of it.
    pub(crate) detail: Value,
    /// When, in seconds since 1970.
    pub(crate) happened_at: i64,
}

impl From<&HistoryEntry> for HistoryView {
    fn from(entry: &HistoryEntry) -> Self {
        HistoryView {
            event_id: entry.event_id.clone(),
            event: entry.event.clone(),
            detail: entry.detail.clone(),
            happened_at: entry.happened_at,
        }
    }
}

/// A mail that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UndeliveredMail")]
pub(crate) struct UndeliveredView {
    /// The event it tells of.
    pub(crate) event_id: String,
    /// To whom it was.
    pub(crate) user_id: String,
    /// Whether it came back, or was never sent.
    pub(crate) outcome: UndeliveredMailOutcome,
    /// Why.
    pub(crate) reason: String,
    /// When that was known, in seconds since 1970.
    pub(crate) at: i64,
}

impl From<&UndeliveredMail> for UndeliveredView {
    fn from(mail: &UndeliveredMail) -> Self {
        UndeliveredView {
            event_id: mail.event_id.clone(),
            user_id: mail.user_id.clone(),
            outcome: mail.outcome,
            reason: mail.reason.clone(),
            at: mail.at,
        }
    }
}

/// A mail that is sent later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WaitingMail")]
pub(crate) struct WaitingView {
    /// The event it tells of.
    pub(crate) event_id: String,
    /// To whom it is.
    pub(crate) user_id: String,
    /// The task it is about.
    pub(crate) task_id: Uuid,
    /// Since when it waits, in seconds since 1970.
    pub(crate) since: i64,
    /// When it is tried again, in seconds since 1970; of one that waits behind another of its task, when it is looked whether it still does.
    pub(crate) next_try: i64,
    /// What the server answered the last time, or why else it was not sent; null where it was not tried, as behind another of its task.
    pub(crate) last_answer: Option<String>,
}

impl From<Waiting> for WaitingView {
    fn from(Waiting { mail, answer }: Waiting) -> Self {
        WaitingView {
            since: waits_since(&mail),
            event_id: mail.event_id,
            user_id: mail.user_id,
            task_id: mail.task_id,
            next_try: mail.due_at,
            last_answer: answer,
        }
    }
}

/// Some of a list, and where the next page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed<T> {
    /// In order.
    pub(crate) items: Vec<T>,
    /// The cursor of the next page; null when there is nothing more.
    pub(crate) next_cursor: Option<String>,
}
