//! Much at once: new items in batches, for those who know that they are new.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use tablewright_descriptor::Entity as Described;

use crate::Store;
use crate::capacity::{self, Direction};
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::write::compose::Composer;
use crate::write::counts::Counts;
use crate::write::request::{ItemRequest, Operation};
use crate::write::send::Outcome;

/// The most items DynamoDB takes in one BatchWriteItem.
const MOST_ITEMS: usize = 25;

/// So many batches are under way at once.
const BATCHES: usize = 4;

/// Loads many new items: BatchWriteItem, 25 at a time, with everything that belongs to them. Nobody else may write what is loaded
/// meanwhile: no item is conditional, what is there is overwritten, and numbers are counted at the end, each keeper once. An import, or
/// the data of a test; services create.
#[derive(Debug)]
pub struct Load {
    store: Store,
    waiting: BTreeMap<String, Vec<Item>>,
    counts: Counts,
    sent: FuturesUnordered<BoxFuture<'static, Result<()>>>,
}

impl Load {
    /// Nothing yet.
    pub fn into_store(store: &Store) -> Self {
        Load {
            store: store.clone(),
            waiting: BTreeMap::new(),
            counts: Counts::default(),
            sent: FuturesUnordered::new(),
        }
    }

    /// One more item. It may still be on its way when this returns.
    ///
    /// # Errors
    /// [`Error::Invalid`], or why an earlier batch could not be written.
    pub async fn add(&mut self, entity: &Described, mut fields: Fields) -> Result<()> {
        fields.forget_counts(entity);
        let mut composer = Composer::counting(&self.store, std::mem::take(&mut self.counts));
        let composed = composer.create(0, entity, &fields, None);
        let (requests, counts) = composer.without_settling();
        self.counts = counts;
        composed?;
        for request in requests {
            if let Operation::Put(item) = request.operation {
                let table = self.store.table_name(&request.table);
                let waiting = self.waiting.entry(table.clone()).or_default();
                waiting.push(item);
                if waiting.len() == MOST_ITEMS {
                    let batch = std::mem::take(waiting);
                    self.send(table, batch).await?;
                }
            }
        }
        Ok(())
    }

    /// Waits for everything, and counts.
    ///
    /// # Errors
    /// Why something could not be written, or [`Error::NotFound`] of an item that counts what was loaded.
    pub async fn finish(mut self) -> Result<()> {
        for (table, batch) in std::mem::take(&mut self.waiting) {
            if !batch.is_empty() {
                self.send(table, batch).await?;
            }
        }
        while let Some(written) = self.sent.next().await {
            written?;
        }
        let mut keepers = Vec::new();
        self.counts.settle(&mut keepers, self.store.now_millis())?;
        for keeper in &keepers {
            self.count(keeper).await?;
        }
        Ok(())
    }

    async fn count(&self, keeper: &ItemRequest) -> Result<()> {
        match self.store.send(std::slice::from_ref(keeper)).await? {
            Outcome::Done(_) => Ok(()),
            Outcome::Refused(_) => Err(Error::NotFound {
                entity: keeper.keeper().to_owned(),
            }),
        }
    }

    async fn send(&mut self, table: String, batch: Vec<Item>) -> Result<()> {
        while self.sent.len() >= BATCHES {
            self.sent.next().await.transpose()?;
        }
        let store = self.store.clone();
        let batch = async move { store.put_batch(&table, batch).await };
        let mut batch = batch.boxed();
        // Serialising it is work of our own, to be done while the endpoint is busy with the others.
        if let Some(written) = (&mut batch).now_or_never() {
            return written;
        }
        self.sent.push(batch);
        Ok(())
    }
}

impl Store {
    /// Puts items until all are written, or patience ends.
    async fn put_batch(&self, table: &str, items: Vec<Item>) -> Result<()> {
        let put = |item: Item| {
            let put = PutRequest::builder().set_item(Some(item)).build();
            let put = put.map_err(|error| Error::invalid(table, "", error))?;
            Ok(WriteRequest::builder().put_request(put).build())
        };
        let mut left: Vec<WriteRequest> = items.into_iter().map(put).collect::<Result<_>>()?;
        let mut attempt = 0;
        while !left.is_empty() {
            let count = left.len();
            let request = self
                .client()
                .batch_write_item()
                .request_items(table, left)
                .return_consumed_capacity(self.capacity_asked());
            let output = self
                .reading("BatchWriteItem", || request.clone().send())
                .await?;
            capacity::note(
                self,
                "BatchWriteItem",
                Direction::Write,
                output.consumed_capacity.as_deref().unwrap_or_default(),
            );
            let unprocessed = output.unprocessed_items;
            left = unprocessed
                .and_then(|mut tables| tables.remove(table))
                .unwrap_or_default();
            if left.is_empty() {
                break;
            }
            // What came through is progress, and patience begins anew.
            attempt = if left.len() < count { 1 } else { attempt + 1 };
            if attempt >= self.patience().attempts {
                return Err(Error::Throttled);
            }
            self.wait_to_retry("BatchWriteItem", attempt).await;
        }
        Ok(())
    }
}
