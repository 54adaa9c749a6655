//! The historian: what happened to a task, kept from its events.

use std::sync::Arc;

use serde_json::Value;
use tablewright::{Error, Uuid};
use tablewright_stream::events::Event;
use tablewright_stream::{Failure, Handler, Record};

use crate::model::{HistoryEntry, HistoryEntryRepo, Tasks, TasksEvent};

/// How long an entry is kept, in seconds: a year.
const KEPT: i64 = 365 * 24 * 3600;

/// Keeps what happened. An event that comes again finds its entry.
#[derive(Debug, Clone)]
pub struct Historian {
    history: HistoryEntryRepo,
}

impl Historian {
    /// One that writes into these tables.
    pub fn new(tasks: &Tasks) -> Self {
        Historian {
            history: tasks.history_entries.clone(),
        }
    }
}

impl Handler for Historian {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        let events = Event::all_of::<TasksEvent>(&record);
        for event in events.map_err(|error| Failure::Record(error.to_string()))? {
            // What happens to people is no history of a task.
            let Some(entry) = entry(&record, event)? else {
                continue;
            };
            match self.history.record_event(entry).await {
                Ok(_) | Err(Error::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn entry(record: &Record, event: Event) -> Result<Option<HistoryEntry>, Failure> {
    let Some(task_id) = event.detail.get("TaskId") else {
        return Ok(None);
    };
    let task_id = task_id.as_str().and_then(|id| id.parse::<Uuid>().ok());
    let task_id = task_id.ok_or_else(|| Failure::Record(String::from("it is of no task")))?;
    let happened_at = event.time.as_second();
    Ok(Some(HistoryEntry {
        task_id,
        // Numbers of up to 40 digits, which the stream tells in order.
        sequence: format!("{:0>40}", record.sequence),
        event_id: event.id,
        event: event.detail_type,
        detail: Value::Object(event.detail),
        happened_at,
        expires_at: happened_at + KEPT,
    }))
}
