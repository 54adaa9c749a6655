//! What the streams of the tables have told, read without our consumers; and the same as records, read with them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use tablewright::Store;
use tablewright::descriptor::Table;
use tablewright_local::Engine;
use tablewright_stream::{Consumers, Failure, Following, Options, Record, Streams};

use crate::lock;

/// All a stream has told so far, by stream and shard: the numbers in their order.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) table: &'static Table,
    streams: Streams,
    pub(crate) shards: BTreeMap<(String, String), Shard>,
}

#[derive(Debug, Default)]
pub(crate) struct Shard {
    pub(crate) sequences: Vec<String>,
    next: Option<String>,
}

impl Told {
    pub(crate) fn new(engine: &Engine, table: &'static Table) -> Self {
        Told {
            table,
            streams: engine.streams(),
            shards: BTreeMap::new(),
        }
    }

    /// How many changes were told.
    pub(crate) fn many(&self) -> usize {
        self.shards
            .values()
            .map(|shard| shard.sequences.len())
            .sum()
    }

    /// Reads on to the end.
    pub(crate) async fn read_on(&mut self) -> anyhow::Result<()> {
        let listed = self.streams.list_streams().table_name(&self.table.name);
        for stream in listed.send().await?.streams.unwrap_or_default() {
            let arn = stream.stream_arn.context("a stream has an address")?;
            let described = self.streams.describe_stream().stream_arn(&arn);
            let described = described.send().await?.stream_description;
            let shards = described.and_then(|described| described.shards);
            for shard in shards.unwrap_or_default() {
                let id = shard.shard_id.context("a shard has an id")?;
                self.read_shard(&arn, &id).await?;
            }
        }
        Ok(())
    }

    async fn read_shard(&mut self, stream: &str, id: &str) -> anyhow::Result<()> {
        let of = (stream.to_owned(), id.to_owned());
        let shard = self.shards.entry(of).or_default();
        if shard.next.is_none() {
            let asked = self.streams.get_shard_iterator();
            let asked = asked.stream_arn(stream).shard_id(id);
            let asked = match shard.sequences.last() {
                None => asked.shard_iterator_type("TRIM_HORIZON".into()),
                Some(last) => asked
                    .shard_iterator_type("AFTER_SEQUENCE_NUMBER".into())
                    .sequence_number(last),
            };
            shard.next = asked.send().await?.shard_iterator;
        }
        while let Some(iterator) = shard.next.take() {
            let read = self.streams.get_records().shard_iterator(iterator);
            let read = read.send().await?;
            shard.next = read.next_shard_iterator;
            let records = read.records.unwrap_or_default();
            if records.is_empty() {
                break;
            }
            for record in records {
                let change = record.dynamodb.context("a record has a change")?;
                let sequence = change.sequence_number.context("a change has a number")?;
                shard.sequences.push(sequence);
            }
        }
        Ok(())
    }

    /// The same changes as records.
    pub(crate) async fn records(&self, engine: &Engine) -> anyhow::Result<Vec<Arc<Record>>> {
        let store = Store::new(engine.dynamodb());
        let mut options = Options::default();
        options.poll = Duration::from_millis(20);
        let following = Following {
            streams: engine.streams(),
            options,
        };
        let seen: Arc<Mutex<BTreeMap<String, Arc<Record>>>> = Arc::default();
        let seeing = Arc::clone(&seen);
        let mut consumers = Consumers::none();
        let see = move |record: Arc<Record>| {
            let place = format!("{:0>40}", record.sequence);
            lock(&seeing).insert(place, record);
            async { Ok::<(), Failure>(()) }
        };
        consumers.follow("soak-looks-on", &store, self.table, &following, see);
        let (mut before, mut still) = (0, 0);
        while lock(&seen).len() < self.many() && still < 1200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = lock(&seen).len();
            (still, before) = if now > before {
                (0, now)
            } else {
                (still + 1, now)
            };
        }
        consumers.stop().await;
        let records = std::mem::take(&mut *lock(&seen));
        Ok(records.into_values().collect())
    }
}
