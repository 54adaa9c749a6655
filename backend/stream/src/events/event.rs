//! One event.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tablewright::ModelEvent;

use crate::record::{Cause, Record};

/// Something that happened, as it is told to others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The same in every delivery of this event, and of no other. EventBridge gives events ids of its own; this one is in `detail._event` too.
    pub id: String,
    /// The name of the model.
    pub source: String,
    /// The name of the event.
    #[serde(rename = "detail-type")]
    pub detail_type: String,
    /// When it happened. DynamoDB tells the second.
    pub time: Timestamp,
    /// What is told of it, and `_event` with its `id`, its `version` and, where nobody asked for it, its `cause`.
    pub detail: Map<String, Value>,
}

/// Why something is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnEvent(String);

impl fmt::Display for NotAnEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an event cannot be made of it: {}", self.0)
    }
}

impl std::error::Error for NotAnEvent {}

impl Event {
    /// What happened with a change, as the model declares it.
    ///
    /// # Errors
    /// When the items cannot be read.
    pub fn all_of<E: ModelEvent>(record: &Record) -> Result<Vec<Self>, NotAnEvent> {
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        let happened = E::of_change(&record.table, before, after);
        let happened = happened.map_err(|error| NotAnEvent(error.to_string()))?;
        happened
            .iter()
            .map(|event| Event::of(record, event))
            .collect()
    }

    /// One of the events a change made happen.
    ///
    /// # Errors
    /// When it cannot be written as JSON, or the model has none of its name.
    pub fn of<E: ModelEvent>(record: &Record, event: &E) -> Result<Self, NotAnEvent> {
        let told = serde_json::to_value(event).map_err(|error| NotAnEvent(error.to_string()))?;
        let name = told["type"].as_str().unwrap_or_default().to_owned();
        let declared = E::schema().events.iter().find(|event| event.name == name);
        let Some(declared) = declared else {
            return Err(NotAnEvent(format!("the model has no event `{name}`")));
        };
        let mut detail = match told["detail"].clone() {
            Value::Object(detail) => detail,
            _ => Map::new(),
        };
        let id = format!("{}.{name}", record.event_id);
        let mut about = json!({ "id": id, "version": declared.version });
        if record.cause == Cause::TimeToLive {
            about["cause"] = json!("time-to-live");
        }
        detail.insert("_event".to_owned(), about);
        let time = Timestamp::from_millisecond(record.happened);
        Ok(Event {
            id,
            source: E::schema().name.clone(),
            detail_type: name,
            time: time.map_err(|error| NotAnEvent(error.to_string()))?,
            detail,
        })
    }

    /// As JSON, on one line.
    pub fn to_json(&self) -> String {
        // Text, numbers and maps with text for keys: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
