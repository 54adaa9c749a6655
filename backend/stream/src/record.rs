//! One change of one item, as the stream tells it.

use std::sync::Arc;

use aws_sdk_dynamodbstreams::types as wire;
use serde_json::{Value, json};
use tablewright::Item;

use crate::handler::Shard;
use crate::image;
use crate::source::Position;

/// One change of one item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The same in every delivery of this change, and of no other.
    pub event_id: String,
    /// The table, as its model names it: without the prefix of the environment.
    pub table: String,
    /// Where in its shard the change is.
    pub sequence: String,
    /// When it happened, in milliseconds since 1970. DynamoDB tells the second.
    pub happened: i64,
    /// Who made it.
    pub cause: Cause,
    /// The key of the item.
    pub keys: Item,
    /// The item before, if it was there and the stream shows it.
    pub before: Option<Item>,
    /// The item after, if it is there and the stream shows it.
    pub after: Option<Item>,
}

/// Who made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Somebody who asked for it.
    Request,
    /// The time of the item had passed: DynamoDB deleted it.
    TimeToLive,
}

/// Why a record is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotARecord(pub(crate) String);

impl std::fmt::Display for NotARecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the record cannot be read: {}", self.0)
    }
}

impl std::error::Error for NotARecord {}

/// What a shard gave: a change, or what cannot be read as one.
#[derive(Debug, Clone)]
pub(crate) enum Came {
    Record(Arc<Record>),
    Unreadable(Arc<Unreadable>),
    /// Nobody will read what was here.
    Lost(Lost),
}

/// Changes that are no longer kept, and were not read.
#[derive(Debug, Clone)]
pub(crate) struct Lost {
    pub(crate) of: Shard,
    /// When that was seen, in milliseconds since 1970.
    pub(crate) seen: i64,
}

/// A record that cannot be read: of a type DynamoDB did not have when this was written, say.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) event_id: String,
    pub(crate) table: String,
    sequence: Option<String>,
    pub(crate) happened: i64,
    pub(crate) why: String,
    /// All that is known of it.
    pub(crate) text: String,
}

impl Came {
    /// Where in its shard it is, where that is known.
    pub(crate) fn sequence(&self) -> Option<&str> {
        match self {
            Came::Record(record) => Some(&record.sequence),
            Came::Unreadable(unreadable) => unreadable.sequence.as_deref(),
            Came::Lost(_) => None,
        }
    }

    /// From where one reads on after it, where that is known. After a loss that is the oldest there is: the place before it would tell of the same loss again.
    pub(crate) fn position(&self) -> Option<Position> {
        match self {
            Came::Lost(_) => Some(Position::Oldest),
            _ => self.sequence().map(|at| Position::After(at.to_owned())),
        }
    }

    pub(crate) fn happened(&self) -> i64 {
        match self {
            Came::Record(record) => record.happened,
            Came::Unreadable(unreadable) => unreadable.happened,
            Came::Lost(lost) => lost.seen,
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Came::Lost(_))
    }
}

impl Unreadable {
    /// As AWS Lambda tells it; none where nobody knows which it is.
    pub(crate) fn of_lambda(table: &str, record: &Value, why: &NotARecord) -> Option<Self> {
        let change = &record["dynamodb"];
        let happened = change["ApproximateCreationDateTime"].as_f64();
        Some(Unreadable {
            event_id: record["eventID"].as_str()?.to_owned(),
            table: table.to_owned(),
            sequence: Some(change["SequenceNumber"].as_str()?.to_owned()),
            happened: happened.map_or(0, |seconds| (seconds * 1000.0) as i64),
            why: why.0.clone(),
            text: record.to_string(),
        })
    }

    pub(crate) fn new(table: &str, shard: &str, record: &wire::Record, why: String) -> Self {
        let change = record.dynamodb.as_ref();
        let sequence = change.and_then(|change| change.sequence_number.clone());
        let happened = change.and_then(|change| change.approximate_creation_date_time);
        // Without an id it is known by its place.
        let place = || format!("{shard}.{}", sequence.as_deref().unwrap_or("unknown"));
        Unreadable {
            event_id: record.event_id.clone().unwrap_or_else(place),
            table: table.to_owned(),
            sequence,
            happened: happened.map_or(0, |moment| moment.to_millis().unwrap_or_default()),
            why,
            text: format!("{record:?}"),
        }
    }
}

/// The principal of deletions by time to live, in every region.
const TIME_TO_LIVE: (&str, &str) = ("Service", "dynamodb.amazonaws.com");

impl Record {
    pub(crate) fn of_stream(table: &str, record: wire::Record) -> Result<Self, NotARecord> {
        let lacks = |what: &str| NotARecord(format!("it has no {what}"));
        let identity = record.user_identity.as_ref();
        let cause = Cause::of(
            identity.and_then(|identity| identity.r#type()),
            identity.and_then(|identity| identity.principal_id()),
        );
        let change = record.dynamodb.ok_or_else(|| lacks("change"))?;
        let happened = change.approximate_creation_date_time;
        let image = |image: Option<_>| image.map(image::of_stream).transpose();
        Ok(Record {
            event_id: record.event_id.ok_or_else(|| lacks("id"))?,
            table: table.to_owned(),
            sequence: change
                .sequence_number
                .ok_or_else(|| lacks("sequence number"))?,
            happened: happened.map_or(0, |moment| moment.to_millis().unwrap_or_default()),
            cause,
            keys: image(change.keys)?.unwrap_or_default(),
            before: image(change.old_image)?,
            after: image(change.new_image)?,
        })
    }

    /// As an event of AWS Lambda has it, with the table's name in the model.
    ///
    /// # Errors
    /// [`NotARecord`] when something is missing or not of its type.
    pub fn of_lambda(table: &str, record: &Value) -> Result<Self, NotARecord> {
        let lacks = |what: &str| NotARecord(format!("it has no {what}"));
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let change = &record["dynamodb"];
        let image = |name: &str| match &change[name] {
            Value::Null => Ok(None),
            image => image::of_json(image).map(Some),
        };
        let identity = &record["userIdentity"];
        let kind = identity["type"].as_str();
        let principal = identity["principalId"].as_str();
        let happened = change["ApproximateCreationDateTime"].as_f64();
        Ok(Record {
            event_id: text(&record["eventID"]).ok_or_else(|| lacks("eventID"))?,
            table: table.to_owned(),
            sequence: text(&change["SequenceNumber"]).ok_or_else(|| lacks("SequenceNumber"))?,
            // Lambda tells seconds; they may have a fraction.
            happened: happened.map_or(0, |seconds| (seconds * 1000.0) as i64),
            cause: Cause::of(kind, principal),
            keys: image("Keys")?.unwrap_or_default(),
            before: image("OldImage")?,
            after: image("NewImage")?,
        })
    }

    /// In the shape of an event of AWS Lambda, which [`Record::of_lambda`] reads.
    pub fn to_json(&self) -> Value {
        let mut change = json!({
            "Keys": image::to_json(&self.keys),
            "SequenceNumber": self.sequence,
            "ApproximateCreationDateTime": self.happened as f64 / 1000.0,
        });
        for (name, image) in [("OldImage", &self.before), ("NewImage", &self.after)] {
            if let Some(image) = image {
                change[name] = image::to_json(image);
            }
        }
        let mut record =
            json!({ "eventID": self.event_id, "eventName": self.kind(), "dynamodb": change });
        if self.cause == Cause::TimeToLive {
            let (kind, principal) = TIME_TO_LIVE;
            record["userIdentity"] = json!({ "type": kind, "principalId": principal });
        }
        record
    }

    fn kind(&self) -> &'static str {
        match (&self.before, &self.after) {
            (Some(_), Some(_)) => "MODIFY",
            (Some(_), None) => "REMOVE",
            _ => "INSERT",
        }
    }

    /// About how large it is in memory, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let images = [Some(&self.keys), self.before.as_ref(), self.after.as_ref()];
        200 + images
            .into_iter()
            .flatten()
            .map(image::weight)
            .sum::<usize>()
    }

    /// What tells its item from every other of the table.
    pub(crate) fn item(&self) -> String {
        let mut keys: Vec<String> = self
            .keys
            .iter()
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        keys.sort();
        keys.join("&")
    }
}

impl Cause {
    fn of(kind: Option<&str>, principal: Option<&str>) -> Self {
        match kind.zip(principal) {
            Some(TIME_TO_LIVE) => Cause::TimeToLive,
            _ => Cause::Request,
        }
    }
}
