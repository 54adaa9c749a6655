//! What people read in place of words for machines.

use jiff::Timestamp;

use crate::model::{HistoryEntry, Task, TaskStatus};
use crate::rules::{Role, may_become};

/// A status, as people say it.
pub(super) fn status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Open => "Open",
        TaskStatus::InProgress => "In progress",
        TaskStatus::Completed => "Completed",
        TaskStatus::Closed => "Closed",
    }
}

/// What somebody can make of a task by changing its status: the word for the request, and the one for the button.
pub(super) fn moves(task: &Task, role: Role) -> Vec<(&'static str, &'static str)> {
    let others = TaskStatus::ALL.into_iter().filter(|to| *to != task.status);
    let allowed = others.filter(|to| may_become(task.status, *to, role));
    allowed
        .map(|to| {
            let says = match (task.status, to) {
                (TaskStatus::Open, TaskStatus::InProgress) => "Start",
                (_, TaskStatus::Completed) => "Complete",
                (TaskStatus::InProgress, TaskStatus::Open) => "Put back",
                _ => match to {
                    TaskStatus::Open => "Reopen",
                    _ => "Resume",
                },
            };
            (to.as_str(), says)
        })
        .collect()
}

/// A subject as a part of an address. Of what a subject may have, these two would be read as something else.
pub(super) fn in_path(subject: &str) -> String {
    subject.replace('/', "%2F").replace('|', "%7C")
}

/// A moment, in universal time.
pub(super) fn moment(seconds: i64) -> String {
    match Timestamp::from_second(seconds) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => String::from("some time"),
    }
}

/// What events call people.
const PEOPLE: [&str; 7] = [
    "CreatedBy",
    "UserId",
    "AssignedBy",
    "UpdatedBy",
    "ClosedBy",
    "RemovedBy",
    "DeletedBy",
];

/// The ids of those an entry speaks of.
pub(super) fn people_in(entry: &HistoryEntry) -> impl Iterator<Item = &str> {
    PEOPLE
        .iter()
        .filter_map(|name| entry.detail[*name].as_str())
}

/// What happened, in a sentence. `name` says what somebody is called.
pub(super) fn sentence(entry: &HistoryEntry, name: impl Fn(&str) -> String) -> String {
    let said = |field: &str| match entry.detail[field].as_str() {
        Some(id) => name(id),
        None => String::from("somebody"),
    };
    match entry.event.as_str() {
        "TaskCreated" => format!("created by {}", said("CreatedBy")),
        "TaskAssigned" => format!("assigned to {} by {}", said("UserId"), said("AssignedBy")),
        "TaskUnassigned" => format!("taken from {} by {}", said("UserId"), said("RemovedBy")),
        "TaskStatusUpdated" => {
            let known = |member: &str| {
                let mut all = TaskStatus::ALL.into_iter();
                let found = all.find(|one| entry.detail[member] == one.as_str());
                found.map(|found| status(found).to_lowercase())
            };
            // Entries of the first version of the event say `Status`, and not what it was.
            let to = known("NewStatus").or_else(|| known("Status"));
            let to = to.unwrap_or_else(|| String::from("another status"));
            let by = said("UpdatedBy");
            match known("PreviousStatus") {
                Some(from) => format!("moved from {from} to {to} by {by}"),
                None => format!("moved to {to} by {by}"),
            }
        }
        "TaskClosed" => format!("closed by {}", said("ClosedBy")),
        "TaskRenamed" => {
            let title = entry.detail["Title"].as_str().unwrap_or_default();
            format!("called “{title}” by {}", said("UpdatedBy"))
        }
        "TaskDescribed" => format!("described by {}", said("UpdatedBy")),
        "TaskPriorityChanged" => {
            let priority = entry.detail["Priority"].as_str().unwrap_or_default();
            format!("made {} by {}", priority.to_lowercase(), said("UpdatedBy"))
        }
        "TaskDeleted" => format!("deleted by {}", said("DeletedBy")),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tablewright::Uuid;

    use super::*;

    fn entry(event: &str, detail: Value) -> String {
        let entry = HistoryEntry {
            task_id: Uuid::nil(),
            sequence: "0".repeat(40),
            event_id: "1".into(),
            event: event.into(),
            detail,
            happened_at: 0,
            expires_at: 0,
        };
        sentence(&entry, |id| match id {
            "ada" => String::from("Ada"),
            id => id.to_owned(),
        })
    }

    #[test]
    fn events_are_sentences() {
        let sentences = [
            entry("TaskCreated", json!({ "CreatedBy": "ada" })),
            entry(
                "TaskAssigned",
                json!({ "UserId": "bob", "AssignedBy": "ada" }),
            ),
            entry(
                "TaskStatusUpdated",
                json!({ "NewStatus": "IN_PROGRESS", "PreviousStatus": "OPEN", "UpdatedBy": "bob" }),
            ),
            entry(
                "TaskStatusUpdated",
                json!({ "Status": "COMPLETED", "UpdatedBy": "bob" }),
            ),
            entry(
                "TaskRenamed",
                json!({ "Title": "Fix it", "UpdatedBy": "ada" }),
            ),
            entry(
                "TaskPriorityChanged",
                json!({ "Priority": "HIGH", "UpdatedBy": "bob" }),
            ),
            entry("TaskClosed", json!({})),
            entry(
                "TaskUnassigned",
                json!({ "UserId": "bob", "RemovedBy": "ada" }),
            ),
            entry("TaskDeleted", json!({ "DeletedBy": "ada" })),
            entry("Something", json!(null)),
        ];
        assert_eq!(
            sentences,
            [
                "created by Ada",
                "assigned to bob by Ada",
                "moved from open to in progress by bob",
                "moved to completed by bob",
                "called “Fix it” by Ada",
                "made high by bob",
                "closed by somebody",
                "taken from bob by Ada",
                "deleted by Ada",
                "Something"
            ]
        );
        assert_eq!(moment(1_704_067_200), "2024-01-01 00:00 UTC");
        assert_eq!(moment(i64::MAX), "some time");
    }
}
