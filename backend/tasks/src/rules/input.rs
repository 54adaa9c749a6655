//! What callers send of a task, and what of it is allowed.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tablewright::{Change, Uuid};
use tablewright_service::{Faults, Kind, Problem, block, line};

use crate::model::{Task, TaskPriority, TaskStatus, UserStatus};

/// The longest title.
const TITLE: usize = 200;
/// The longest description.
const DESCRIPTION: usize = 2000;

/// A task, as an admin writes it down (S1-19).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    /// What is to be done: one line.
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// What else is to be known, in several lines.
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    /// How urgent it is; `MEDIUM` unless said.
    #[serde(default)]
    pub priority: TaskPriority,
}

/// What is to be otherwise. What is not said stays; `null` removes the description.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskChange {
    /// What is to be done: one line.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub title: Change<String>,
    /// What else is to be known, in several lines.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "Option<String>", length(max = 2000))]
    pub description: Change<Option<String>>,
    /// How urgent it is.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "TaskPriority")]
    pub priority: Change<TaskPriority>,
}

/// A value that is there, `null` included, is a change.
fn said<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Change<T>, D::Error> {
    T::deserialize(deserializer).map(Change::Set)
}

/// What a task is to say. Its values have been checked (S1-22).
#[derive(Debug, Clone, Default)]
pub struct Edit(TaskChange);

impl NewTask {
    /// What the new task says.
    ///
    /// # Errors
    /// 422 with every value that is not allowed.
    pub fn checked(self) -> Result<Edit, Problem> {
        TaskChange {
            title: Change::Set(self.title),
            description: Change::Set(self.description),
            priority: Change::Set(self.priority),
        }
        .checked()
    }
}

impl TaskChange {
    /// What the task says otherwise.
    ///
    /// # Errors
    /// 422 with every value that is not allowed.
    pub fn checked(mut self) -> Result<Edit, Problem> {
        let mut faults = Faults::new();
        if let Change::Set(title) = &self.title {
            faults.note("title", line(title, TITLE));
        }
        if let Change::Set(description) = &mut self.description {
            // An empty text says as much as none.
            description.take_if(|text| text.is_empty());
            if let Some(text) = description {
                faults.note("description", block(text, DESCRIPTION));
            }
        }
        faults.none_of(Kind::INVALID)?;
        Ok(Edit(self))
    }
}

impl Edit {
    /// A new task with this (S1-23).
    pub fn into_task(self, task_id: Uuid, created_by: &str, now: i64) -> Task {
        let mut task = Task {
            task_id,
            title: String::new(),
            description: None,
            status: TaskStatus::Open,
            priority: TaskPriority::default(),
            created_by: created_by.to_owned(),
            created_at: now,
            updated_by: None,
            updated_at: now,
            closed_by: None,
            closed_at: None,
            deleted_by: None,
            revision: 1,
        };
        self.apply_to(&mut task);
        task
    }

    /// The task after it, by somebody, now. What changes nothing leaves it as it is, the time of its last change included.
    pub fn made_to(&self, before: &Task, by: &str, now: i64) -> Task {
        let mut task = before.clone();
        self.apply_to(&mut task);
        if task != *before {
            task.updated_by = Some(by.to_owned());
            // A clock that steps back must not make a change older than the one before.
            task.updated_at = now.max(before.updated_at);
            task.revision = before.revision.saturating_add(1);
        }
        task
    }

    fn apply_to(&self, task: &mut Task) {
        self.0.title.apply_to(&mut task.title);
        self.0.description.apply_to(&mut task.description);
        self.0.priority.apply_to(&mut task.priority);
    }
}

/// The status a request says. What is none gives 400 (C1-24), be it another word or no word at all, and so does `CLOSED`: closing is a request of its own.
///
/// # Errors
/// 400 with the reason.
pub fn task_status(said: &Value) -> Result<TaskStatus, Problem> {
    let mut known = TaskStatus::ALL.into_iter();
    match known.find(|status| said == status.as_str()) {
        Some(TaskStatus::Closed) => Err(refused("a task is closed by POST …/close")),
        Some(status) => Ok(status),
        None => Err(refused("it is OPEN, IN_PROGRESS or COMPLETED")),
    }
}

/// The status of a user a request says. What is none gives 400.
///
/// # Errors
/// 400 with the reason.
pub fn user_status(said: &Value) -> Result<UserStatus, Problem> {
    let mut known = UserStatus::ALL.into_iter();
    known
        .find(|status| said == status.as_str())
        .ok_or_else(|| refused("it is ACTIVE or DEACTIVATED"))
}

fn refused(reason: &str) -> Problem {
    Problem::new(Kind::MALFORMED).field("status", reason)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(value: serde_json::Value) -> Result<Task, Problem> {
        let new: NewTask = serde_json::from_value(value).unwrap();
        Ok(new.checked()?.into_task(Uuid::nil(), "ada", 7))
    }

    /// S1-19, S1-23
    #[test]
    fn a_new_task_is_open_and_of_medium_priority() {
        let task = new(json!({ "title": "Fix bug" })).unwrap();
        assert_eq!(
            (task.status, task.priority, task.description),
            (TaskStatus::Open, TaskPriority::Medium, None)
        );
        assert_eq!((task.created_by.as_str(), task.created_at), ("ada", 7));
        assert!(serde_json::from_value::<NewTask>(json!({})).is_err());
        assert!(
            serde_json::from_value::<NewTask>(json!({ "title": "x", "status": "CLOSED" })).is_err()
        );
    }

    /// S1-22, C1-24
    #[test]
    fn texts_have_limits_and_every_fault_is_told() {
        let refused = new(json!({ "title": " ", "description": "x".repeat(2001) })).unwrap_err();
        let body = refused.body();
        let fields: Vec<&str> = body.errors.iter().map(|error| &*error.field).collect();
        assert_eq!((body.status, fields), (422, vec!["title", "description"]));
        assert!(new(json!({ "title": "é".repeat(200), "description": "é".repeat(2000) })).is_ok());
    }

    #[test]
    fn what_is_not_said_stays_and_null_removes() {
        let before = new(json!({ "title": "a", "description": "b", "priority": "HIGH" })).unwrap();
        let change: TaskChange = serde_json::from_value(json!({ "description": null })).unwrap();
        let after = change.checked().unwrap().made_to(&before, "eve", 9);
        assert_eq!(
            (after.title.as_str(), after.description, after.priority),
            ("a", None, TaskPriority::High)
        );
        assert_eq!(
            (after.updated_by.as_deref(), after.updated_at),
            (Some("eve"), 9)
        );
        let same = TaskChange::default().checked().unwrap();
        assert_eq!(same.made_to(&before, "eve", 9), before);
    }

    /// C1-24
    #[test]
    fn a_status_that_is_none_gives_400() {
        let completed = task_status(&json!("COMPLETED")).unwrap();
        assert_eq!(completed, TaskStatus::Completed);
        let nones = ["", "open", "DONE", "CLOSED"].map(|word| json!(word));
        for none in nones.into_iter().chain([json!(7), json!(null), json!({})]) {
            assert_eq!(task_status(&none).unwrap_err().status(), 400, "{none}");
        }
        let active = user_status(&json!("ACTIVE")).unwrap();
        assert_eq!(active, UserStatus::Active);
        for none in [json!("active"), json!(true)] {
            assert_eq!(user_status(&none).unwrap_err().status(), 400, "{none}");
        }
    }
}
