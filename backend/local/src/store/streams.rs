//! Change streams as the API has them, where the engine differs.
//!
//! - A stream ends with its table. The engine goes by the name of the table alone, so that what was said of an old stream
//!   would be answered from the new one; here a stream ARN and an iterator are good for the stream they were made for.
//! - Shard ids have 28 to 65 characters. Those of the engine carry the name of the table, which has 3 to 255.
//! - A shard that is being written has no last sequence number; with one, readers take it for closed.
//! - `userIdentity` has capital keys.
//! - Records go after a day; whoever would read on past one that went is told, with an iterator from before as well.

use dynoxide::actions::describe_stream::{DescribeStreamRequest, DescribeStreamResponse};
use dynoxide::actions::get_records::{GetRecordsRequest, GetRecordsResponse};
use dynoxide::actions::get_shard_iterator::{
    GetShardIteratorRequest, GetShardIteratorResponse, decode_shard_iterator, encode_shard_iterator,
};
use dynoxide::{Database, DynoxideError, streams};
use serde::Serialize;
use serde_json::{Value, json};

/// What tells the stream of a table from its predecessors, if it has or had one.
pub(crate) fn label(db: &Database, table: &str) -> Option<String> {
    let table = db.get_table_metadata(table).ok()??;
    table.stream_label
}

/// The stream an ARN names, if it is the table's present one.
struct Stream {
    table: String,
    label: String,
}

impl Stream {
    fn find(db: &Database, arn: &str) -> dynoxide::Result<Self> {
        let table = arn.split('/').nth(1).unwrap_or_default().to_owned();
        match label(db, &table) {
            Some(label) if streams::stream_arn(&table, &label) == arn => {
                Ok(Stream { table, label })
            }
            _ => Err(DynoxideError::ResourceNotFoundException(format!(
                "Requested resource not found: Stream: {arn} not found"
            ))),
        }
    }

    /// The id the API shows: 37 characters, as Amazon's have.
    fn shard_id(&self) -> String {
        let began: String = self.label.chars().filter(char::is_ascii_digit).collect();
        format!("shardId-{began:0>20.20}-{:08x}", fnv1a(&self.table))
    }

    /// The id the engine knows the shard by.
    fn shard_id_of_engine(&self) -> String {
        streams::shard_id(&self.table)
    }
}

fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

pub(crate) fn describe_stream(
    db: &Database,
    request: DescribeStreamRequest,
) -> dynoxide::Result<DescribeStreamResponse> {
    let stream = Stream::find(db, &request.stream_arn)?;
    let after = request.exclusive_start_shard_id.clone();
    let mut response = db.describe_stream(request)?;
    let shards = &mut response.stream_description.shards;
    for shard in shards.iter_mut() {
        shard.shard_id = stream.shard_id();
        shard.sequence_number_range.ending_sequence_number = None;
    }
    if let Some(after) = after {
        shards.retain(|shard| shard.shard_id != after);
    }
    Ok(response)
}

pub(crate) fn get_shard_iterator(
    db: &Database,
    mut request: GetShardIteratorRequest,
) -> dynoxide::Result<GetShardIteratorResponse> {
    let stream = Stream::find(db, &request.stream_arn)?;
    if request.shard_id != stream.shard_id() {
        return Err(DynoxideError::ResourceNotFoundException(format!(
            "Requested resource not found: Shard: {} not found in stream: {}",
            request.shard_id, request.stream_arn
        )));
    }
    request.shard_id = stream.shard_id_of_engine();
    let arn = request.stream_arn.clone();
    let mut response = db.get_shard_iterator(request)?;
    response.shard_iterator = response.shard_iterator.map(|inner| iterator(&arn, &inner));
    Ok(response)
}

/// Where an iterator is: after a record of a table.
#[derive(Debug)]
pub(crate) struct Place {
    arn: String,
    shard: String,
    pub(crate) table: String,
    pub(crate) position: i64,
}

impl Place {
    fn of(given: &Value) -> Option<Self> {
        let (arn, inner) = given["ShardIterator"].as_str()?.split_once("|1|")?;
        let (table, shard, position) = decode_shard_iterator(inner)?;
        Some(Place {
            arn: arn.to_owned(),
            shard,
            table,
            position,
        })
    }

    /// An iterator of the same stream, after another record.
    pub(crate) fn after(&self, position: i64) -> String {
        let inner = encode_shard_iterator(&self.table, &self.shard, position);
        iterator(&self.arn, &inner)
    }
}

/// Where the iterator is that a request for records has.
pub(crate) fn place_asked(body: &[u8]) -> Option<Place> {
    Place::of(&serde_json::from_slice(body).ok()?)
}

/// Where the iterator is that was given, if one was.
pub(crate) fn place_given(body: &str) -> Option<Place> {
    Place::of(&serde_json::from_str(body).ok()?)
}

/// Whether a request for an iterator is for the oldest or the latest there is.
pub(crate) fn names_no_record(body: &[u8]) -> bool {
    let request: Option<Value> = serde_json::from_slice(body).ok();
    request.is_some_and(|request| request["SequenceNumber"].is_null())
}

/// An iterator says which stream it is of, as Amazon's do.
fn iterator(arn: &str, inner: &str) -> String {
    format!("{arn}|1|{inner}")
}

/// Records as the engine writes them, or corrected. Most have nothing to correct.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Records {
    AsTheyAre(GetRecordsResponse),
    Corrected(Value),
}

pub(crate) fn get_records(db: &Database, request: GetRecordsRequest) -> dynoxide::Result<Records> {
    let Some((arn, inner)) = request.shard_iterator.split_once("|1|") else {
        return Err(DynoxideError::ValidationException(String::from(
            "Invalid ShardIterator",
        )));
    };
    Stream::find(db, arn)?;
    let mut response = db.get_records(GetRecordsRequest {
        shard_iterator: inner.to_owned(),
        limit: request.limit,
    })?;
    response.next_shard_iterator = response
        .next_shard_iterator
        .map(|inner| iterator(arn, &inner));
    with_capital_identities(response)
}

fn with_capital_identities(response: GetRecordsResponse) -> dynoxide::Result<Records> {
    let mut identities = Vec::new();
    for (index, record) in response.records.iter().enumerate() {
        if let Some(identity) = &record.user_identity {
            let (kind, principal) = (&identity.identity_type, &identity.principal_id);
            identities.push((index, json!({ "Type": kind, "PrincipalId": principal })));
        }
    }
    if identities.is_empty() {
        return Ok(Records::AsTheyAre(response));
    }
    let mut response = serde_json::to_value(response)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))?;
    for (index, identity) in identities {
        response["Records"][index]["userIdentity"] = identity;
    }
    Ok(Records::Corrected(response))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shard_ids_are_of_legal_length_and_tell_streams_apart() {
        let id = |table: &str, label: &str| {
            let (table, label) = (table.to_owned(), label.to_owned());
            Stream { table, label }.shard_id()
        };
        let short = id("abc", "1700000000.000000001");
        assert_eq!(short, "shardId-01700000000000000001-1a47e90b");
        assert_eq!(id(&"a".repeat(255), "1700000000.000000001").len(), 37);
        assert_eq!(id("abc", "").len(), 37);
        assert_ne!(short, id("abd", "1700000000.000000001"));
        assert_ne!(short, id("abc", "1700000000.000000002"));
    }
}
