//! The streams of a table: their shards, and the records in them.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::error::SdkError;
use aws_sdk_dynamodbstreams::types::{self as wire, ShardIteratorType};
use tablewright::Store;
use tablewright::descriptor::Table;

use crate::error::StreamError;
use crate::handler;

/// The streams of a table. It may have more than one: the one it has now, and for a day each that was turned off.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    streams: Client,
    store: Store,
    table: &'static Table,
}

/// A shard of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ShardId {
    pub(crate) stream: String,
    pub(crate) shard: String,
}

impl ShardId {
    /// As handlers know it.
    pub(crate) fn told(&self) -> handler::Shard {
        handler::Shard {
            stream: self.stream.clone(),
            shard: self.shard.clone(),
        }
    }
}

/// A shard, and those that must be read to their ends before it.
#[derive(Debug, Clone)]
pub(crate) struct Shard {
    pub(crate) id: ShardId,
    pub(crate) before: Vec<ShardId>,
}

/// Where to read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Position {
    Oldest,
    After(String),
}

impl Position {
    /// As a lease has it.
    pub(crate) fn of(after: Option<String>) -> Self {
        after.map_or(Position::Oldest, Position::After)
    }

    /// As it is written into a lease.
    pub(crate) fn after(&self) -> Option<String> {
        match self {
            Position::Oldest => None,
            Position::After(sequence) => Some(sequence.clone()),
        }
    }
}

/// Records, and where the next ones are; nowhere when the shard has ended.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) records: Vec<wire::Record>,
    pub(crate) next: Option<String>,
}

/// Why nothing was read.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// The iterator is too old: a new one is needed.
    Expired,
    /// The records after this position are no longer kept.
    Trimmed,
    /// The shard is no longer there.
    Gone,
    /// Later, perhaps.
    Failed(String),
}

impl Source {
    pub(crate) fn new(store: &Store, streams: Client, table: &'static Table) -> Self {
        Source {
            streams,
            store: store.clone(),
            table,
        }
    }

    /// The name the model has for the table.
    pub(crate) fn table(&self) -> &'static str {
        &self.table.name
    }

    /// The addresses of the streams, the oldest first.
    async fn streams(&self) -> Result<Vec<String>, StreamError> {
        let table = self.store.table_name(self.table);
        let described = self.store.client().describe_table().table_name(&table);
        let described = described.send().await;
        let described = described.map_err(|error| StreamError::of("DescribeTable", &error))?;
        let now = described.table.and_then(|table| table.latest_stream_arn);
        let now = now.ok_or(StreamError::NoStream {
            table: table.clone(),
        })?;
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let asked = self.streams.list_streams().table_name(&table);
            let listed = asked.set_exclusive_start_stream_arn(after).send().await;
            let listed = listed.map_err(|error| StreamError::of("ListStreams", &error))?;
            let streams = listed.streams.unwrap_or_default().into_iter();
            all.extend(
                streams.filter_map(|stream| Some((stream.stream_label?, stream.stream_arn?))),
            );
            after = listed.last_evaluated_stream_arn;
            if after.is_none() {
                break;
            }
        }
        // A label is the moment at which the stream was turned on.
        all.sort();
        let mut all: Vec<String> = all.into_iter().map(|(_, arn)| arn).collect();
        if !all.contains(&now) {
            all.push(now);
        }
        Ok(all)
    }

    /// All shards that are kept.
    pub(crate) async fn shards(&self) -> Result<Vec<Shard>, StreamError> {
        let mut all: Vec<Shard> = Vec::new();
        for stream in self.streams().await? {
            let earlier: Vec<ShardId> = all.iter().map(|shard| shard.id.clone()).collect();
            let id = |shard: String| ShardId {
                stream: stream.clone(),
                shard,
            };
            for shard in self.shards_of(&stream).await? {
                let Some(name) = shard.shard_id else { continue };
                let before = match shard.parent_shard_id {
                    Some(parent) => vec![id(parent)],
                    // What happened while an earlier stream was on happened before.
                    None => earlier.clone(),
                };
                all.push(Shard {
                    id: id(name),
                    before,
                });
            }
        }
        Ok(all)
    }

    async fn shards_of(&self, stream: &str) -> Result<Vec<wire::Shard>, StreamError> {
        let mut shards = Vec::new();
        let mut after = None;
        loop {
            let asked = self.streams.describe_stream().stream_arn(stream);
            let described = asked.set_exclusive_start_shard_id(after).send().await;
            let described = described.map_err(|error| StreamError::of("DescribeStream", &error))?;
            let Some(description) = described.stream_description else {
                return Ok(shards);
            };
            shards.extend(description.shards.unwrap_or_default());
            after = description.last_evaluated_shard_id;
            if after.is_none() {
                return Ok(shards);
            }
        }
    }

    pub(crate) async fn iterator(&self, id: &ShardId, from: &Position) -> Result<String, NotRead> {
        let asked = self.streams.get_shard_iterator();
        let asked = asked.stream_arn(&id.stream).shard_id(&id.shard);
        let asked = match from {
            Position::Oldest => asked.shard_iterator_type(ShardIteratorType::TrimHorizon),
            Position::After(sequence) => asked
                .shard_iterator_type(ShardIteratorType::AfterSequenceNumber)
                .sequence_number(sequence),
        };
        let given = asked.send().await.map_err(|error| NotRead::of(&error))?;
        given
            .shard_iterator
            .ok_or_else(|| NotRead::Failed(String::from("GetShardIterator gave no iterator")))
    }

    /// The next records, so many at most.
    pub(crate) async fn records(&self, iterator: &str, most: i32) -> Result<Read, NotRead> {
        let asked = self.streams.get_records().shard_iterator(iterator);
        let given = asked
            .limit(most)
            .send()
            .await
            .map_err(|error| NotRead::of(&error))?;
        Ok(Read {
            records: given.records.unwrap_or_default(),
            next: given.next_shard_iterator,
        })
    }
}

impl NotRead {
    fn of<E, R>(error: &SdkError<E, R>) -> Self
    where
        SdkError<E, R>: ProvideErrorMetadata + std::error::Error,
    {
        match error.code() {
            Some("ExpiredIteratorException") => NotRead::Expired,
            Some("TrimmedDataAccessException") => NotRead::Trimmed,
            Some("ResourceNotFoundException") => NotRead::Gone,
            code => {
                let message = error.message().unwrap_or("no answer");
                NotRead::Failed(format!("{}: {message}", code.unwrap_or("request")))
            }
        }
    }
}
