//! What callers see.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tablewright::{Date, Ulid};
use tablewright_service::{ETag, Problem, Tagged};

use crate::model::{Task, TaskCounts, TaskPriority, TaskStatus, TaskTitles, User};

/// One thing a user wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Task", transform = all_are_told)]
pub(crate) struct TaskView {
    /// What it is known by. It sorts by creation.
    pub(crate) task_id: Ulid,
    /// What is to be done.
    pub(crate) title: String,
    /// What else is to be known.
    pub(crate) description: Option<String>,
    /// How far it is.
    pub(crate) status: TaskStatus,
    /// How urgent it is.
    pub(crate) priority: Option<TaskPriority>,
    /// What it belongs to.
    pub(crate) category: Option<String>,
    /// The day it is due.
    pub(crate) due_date: Option<Date>,
    /// When it was written down, in seconds since 1970.
    pub(crate) created_at: i64,
    /// When it was changed last, in seconds since 1970.
    pub(crate) updated_at: i64,
    /// When it was completed, in seconds since 1970; null until then.
    pub(crate) completed_at: Option<i64>,
    /// When it is forgotten, in seconds since 1970; null if never.
    pub(crate) expires_at: Option<i64>,
}

/// Callers are told every field: what a task has not is `null`.
fn all_are_told(schema: &mut Schema) {
    let fields = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&String> = fields.into_iter().flat_map(Map::keys).collect();
    let names = json!(names);
    schema.insert("required".into(), names);
}

impl From<&Task> for TaskView {
    fn from(task: &Task) -> Self {
        TaskView {
            task_id: task.task_id,
            title: task.title.clone(),
            description: task.description.clone(),
            status: task.status,
            priority: task.priority,
            category: task.category.clone(),
            due_date: task.due_date,
            created_at: task.created_at,
            updated_at: task.updated_at,
            completed_at: task.completed_at,
            expires_at: task.ttl,
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

/// What a list can show of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskField {
    TaskId,
    Title,
    Description,
    Status,
    Priority,
    Category,
    DueDate,
    CreatedAt,
    UpdatedAt,
    CompletedAt,
    ExpiresAt,
}

impl TaskField {
    fn name(self) -> &'static str {
        match self {
            TaskField::TaskId => "task_id",
            TaskField::Title => "title",
            TaskField::Description => "description",
            TaskField::Status => "status",
            TaskField::Priority => "priority",
            TaskField::Category => "category",
            TaskField::DueDate => "due_date",
            TaskField::CreatedAt => "created_at",
            TaskField::UpdatedAt => "updated_at",
            TaskField::CompletedAt => "completed_at",
            TaskField::ExpiresAt => "expires_at",
        }
    }

    /// Whether a list of titles has it.
    pub(crate) fn is_in_titles(self) -> bool {
        use TaskField::{DueDate, Priority, Status, TaskId, Title};
        matches!(self, TaskId | Title | Status | Priority | DueDate)
    }
}

/// A task in a list: all of it, or the fields that were asked for.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum ListedTask {
    Whole(TaskView),
    Some(Map<String, Value>),
}

impl ListedTask {
    pub(crate) fn of(task: &Task, fields: Option<&[TaskField]>) -> Self {
        let whole = TaskView::from(task);
        match fields {
            None => ListedTask::Whole(whole),
            Some(fields) => ListedTask::shown(json!(whole), fields),
        }
    }

    pub(crate) fn of_titles(row: &TaskTitles, fields: &[TaskField]) -> Self {
        let TaskTitles {
            task_id,
            title,
            status,
            priority,
            due_date,
        } = row;
        let shown = json!({
            "task_id": task_id, "title": title, "status": status, "priority": priority, "due_date": due_date,
        });
        ListedTask::shown(shown, fields)
    }

    fn shown(task: Value, fields: &[TaskField]) -> Self {
        let Value::Object(mut task) = task else {
            return ListedTask::Some(Map::new());
        };
        let is_wanted = |name: &str| {
            name == TaskField::TaskId.name() || fields.iter().any(|field| field.name() == name)
        };
        task.retain(|name, _| is_wanted(name));
        ListedTask::Some(task)
    }
}

impl JsonSchema for ListedTask {
    fn schema_name() -> Cow<'static, str> {
        "ListedTask".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = TaskView::json_schema(generator);
        schema.insert(
            "description".into(),
            json!("A task in a list: all of it, or the fields that were asked for."),
        );
        schema.insert("required".into(), json!(["task_id"]));
        schema
    }
}

/// The person who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub(crate) struct UserView {
    /// The subject of their token.
    pub(crate) user_id: String,
    /// Their address. Nobody else has it.
    pub(crate) email: String,
    /// Their name.
    pub(crate) name: String,
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
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

/// How many tasks the caller has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TaskStatistics {
    /// All of them.
    pub(crate) total: i64,
    /// By status.
    pub(crate) by_status: ByStatus,
    /// By priority.
    pub(crate) by_priority: ByPriority,
}

/// How many tasks are in each status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ByStatus {
    pub(crate) pending: i64,
    pub(crate) in_progress: i64,
    pub(crate) completed: i64,
    pub(crate) cancelled: i64,
}

/// How many tasks have each priority, and how many have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ByPriority {
    pub(crate) low: i64,
    pub(crate) medium: i64,
    pub(crate) high: i64,
    pub(crate) urgent: i64,
    pub(crate) none: i64,
}

impl TaskStatistics {
    /// Of somebody who never had a task.
    pub(crate) const NONE: TaskStatistics = TaskStatistics {
        total: 0,
        by_status: ByStatus {
            pending: 0,
            in_progress: 0,
            completed: 0,
            cancelled: 0,
        },
        by_priority: ByPriority {
            low: 0,
            medium: 0,
            high: 0,
            urgent: 0,
            none: 0,
        },
    };
}

impl From<&TaskCounts> for TaskStatistics {
    fn from(counts: &TaskCounts) -> Self {
        let with_one = counts.by_priority_low
            + counts.by_priority_medium
            + counts.by_priority_high
            + counts.by_priority_urgent;
        TaskStatistics {
            total: counts.total,
            by_status: ByStatus {
                pending: counts.by_status_pending,
                in_progress: counts.by_status_in_progress,
                completed: counts.by_status_completed,
                cancelled: counts.by_status_cancelled,
            },
            by_priority: ByPriority {
                low: counts.by_priority_low,
                medium: counts.by_priority_medium,
                high: counts.by_priority_high,
                urgent: counts.by_priority_urgent,
                none: counts.total - with_one,
            },
        }
    }
}
