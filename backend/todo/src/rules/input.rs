//! What callers send of a task, and what of it is allowed.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use tablewright::{Change, Ulid};
use tablewright_service::{Kind, Problem};

use super::{Day, Edit, Faults, Retention, block, line, normal_category};
use crate::model::{Task, TaskPriority, TaskStatus};

/// The longest title.
const TITLE: usize = 200;
/// The longest description.
const DESCRIPTION: usize = 1000;
/// The longest category.
const CATEGORY: usize = 50;

/// A whole task, as its owner writes it. What is not said it has not.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{ "title": "Read the guide", "priority": "high", "due_date": "2030-05-01" }]))]
pub struct TaskInput {
    /// What is to be done: one line.
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// What else is to be known, in several lines.
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// How far it is; `pending` unless said.
    #[serde(default)]
    pub status: TaskStatus,
    /// How urgent it is.
    pub priority: Option<TaskPriority>,
    /// What it belongs to: one line, compared as it is written, in Unicode normal form C.
    #[schemars(length(min = 1, max = 50))]
    pub category: Option<String>,
    /// The day it is due.
    pub due_date: Option<Day>,
}

/// What is to be otherwise. What is not said stays; `null` removes a value.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("examples" = [{ "status": "in_progress", "category": "home", "due_date": null }]))]
pub struct TaskPatch {
    /// What is to be done: one line.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub title: Change<String>,
    /// What else is to be known, in several lines.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "Option<String>", length(max = 1000))]
    pub description: Change<Option<String>>,
    /// How far it is.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "TaskStatus")]
    pub status: Change<TaskStatus>,
    /// How urgent it is.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "Option<TaskPriority>")]
    pub priority: Change<Option<TaskPriority>>,
    /// What it belongs to: one line.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "Option<String>", length(min = 1, max = 50))]
    pub category: Change<Option<String>>,
    /// The day it is due.
    #[serde(deserialize_with = "said")]
    #[schemars(with = "Option<Day>")]
    pub due_date: Change<Option<Day>>,
}

/// A value that is there, `null` included, is a change.
fn said<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Change<T>, D::Error> {
    T::deserialize(deserializer).map(Change::Set)
}

impl TaskInput {
    /// The edit that makes a task all of this.
    ///
    /// # Errors
    /// 422 with every value that is not allowed.
    pub fn checked(self) -> Result<Edit, Problem> {
        TaskPatch {
            title: Change::Set(self.title),
            description: Change::Set(self.description),
            status: Change::Set(self.status),
            priority: Change::Set(self.priority),
            category: Change::Set(self.category),
            due_date: Change::Set(self.due_date),
        }
        .checked()
    }
}

impl TaskPatch {
    /// The edit.
    ///
    /// # Errors
    /// 422 with every value that is not allowed.
    pub fn checked(self) -> Result<Edit, Problem> {
        let mut faults = Faults::new();
        if let Change::Set(title) = &self.title {
            faults.note("title", line(title, TITLE));
        }
        if let Change::Set(Some(description)) = &self.description {
            faults.note("description", block(description, DESCRIPTION));
        }
        let category = match self.category {
            Change::Set(Some(category)) => {
                let category = normal_category(&category);
                faults.note("category", line(&category, CATEGORY));
                Change::Set(Some(category))
            }
            unchanged => unchanged,
        };
        faults.none_of(Kind::INVALID)?;
        Ok(Edit {
            title: self.title,
            // An empty text says as much as none.
            description: match self.description {
                Change::Set(text) => Change::Set(text.filter(|text| !text.is_empty())),
                Change::Keep => Change::Keep,
            },
            status: self.status,
            priority: self.priority,
            category,
            due_date: match self.due_date {
                Change::Set(day) => Change::Set(day.map(|day| day.0)),
                Change::Keep => Change::Keep,
            },
        })
    }
}

impl Edit {
    /// A new task with this.
    pub fn into_task(self, user_id: &str, task_id: Ulid, now: i64, retention: Retention) -> Task {
        fn value<T: Default>(change: Change<T>) -> T {
            match change {
                Change::Set(value) => value,
                Change::Keep => T::default(),
            }
        }
        let mut task = Task {
            user_id: user_id.to_owned(),
            task_id,
            title: value(self.title),
            description: value(self.description),
            status: value(self.status),
            priority: value(self.priority),
            category: value(self.category),
            due_date: value(self.due_date),
            created_at: now,
            updated_at: now,
            completed_at: None,
            ttl: None,
            revision: 1,
        };
        retention.follow(&mut task, None, now);
        task
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input(value: serde_json::Value) -> Result<Edit, Problem> {
        serde_json::from_value::<TaskInput>(value)
            .unwrap()
            .checked()
    }

    /// S0-11, S0-12
    #[test]
    fn only_a_title_is_needed() {
        let task = input(json!({ "title": "Write" })).unwrap().into_task(
            "ada",
            Ulid::at(1),
            7,
            Retention::default(),
        );
        assert_eq!(
            (task.status, task.priority, task.created_at),
            (TaskStatus::Pending, None, 7)
        );
        assert!(serde_json::from_value::<TaskInput>(json!({ "description": "x" })).is_err());
        assert!(
            serde_json::from_value::<TaskInput>(json!({ "title": "x", "color": "red" })).is_err()
        );
    }

    /// S0-48
    #[test]
    fn every_fault_is_told_at_once() {
        let refused = input(json!({
            "title": " ", "description": "x".repeat(1001), "category": "a\u{0}",
        }));
        let body = refused.unwrap_err().body();
        let fields: Vec<&str> = body
            .errors
            .iter()
            .map(|error| error.field.as_str())
            .collect();
        assert_eq!(
            (body.status, fields),
            (422, vec!["title", "description", "category"])
        );
    }

    #[test]
    fn a_task_written_down_as_done_was_completed_now() {
        let done = input(json!({ "title": "Write", "status": "completed" })).unwrap();
        let task = done.into_task("ada", Ulid::at(1), 7, Retention { days: Some(1) });
        assert_eq!((task.completed_at, task.ttl), (Some(7), Some(7 + 86_400)));
    }

    #[test]
    fn null_removes_and_silence_keeps() {
        let patch: TaskPatch =
            serde_json::from_value(json!({ "priority": null, "category": "Cafe\u{301}" })).unwrap();
        let edit = patch.checked().unwrap();
        assert_eq!(edit.priority, Change::Set(None));
        assert_eq!(edit.category, Change::Set(Some("Café".into())));
        assert_eq!((edit.title, edit.due_date), (Change::Keep, Change::Keep));
        // A title cannot be removed.
        assert!(serde_json::from_value::<TaskPatch>(json!({ "title": null })).is_err());
        assert!(serde_json::from_value::<TaskPatch>(json!({ "due_date": "tomorrow" })).is_err());
    }
}
