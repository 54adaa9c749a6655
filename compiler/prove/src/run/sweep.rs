//! What is past its TTL deleted, as DynamoDB does some time after: the item alone, whatever counts it or guards its values.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, DeleteRequest, WriteRequest};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tablewright::Error;
use tablewright::descriptor::Table;

use super::Watch;
use super::bench::Bench;
use super::error::{ProveError, of_request};
use super::hand::patiently;

/// As many as one request takes.
const AT_A_TIME: usize = 25;
/// So many requests are on their way at once.
const AT_ONCE: usize = 4;
/// So often what was not taken is sent again.
const ATTEMPTS: u32 = 8;

/// So many items are looked at in a request: an engine may hold all it looks at.
const PAGE: i32 = 1000;

type Key = HashMap<String, AttributeValue>;

impl Bench<'_> {
    /// Deletes all that is past its TTL at the moment of the proof.
    pub(crate) async fn sweep(&self, now_millis: i64, watch: Watch<'_>) -> Result<(), ProveError> {
        let tables = self.schema.tables.iter();
        let tables: Vec<&Table> = tables.map(|table| &**table).collect();
        for (done, table) in tables.iter().enumerate() {
            watch(done as u64, tables.len() as u64);
            let Some(ttl) = &table.ttl else {
                continue;
            };
            let name = self.store.table_name(table);
            let over = self.past(table, &name, ttl, now_millis).await?;
            let batches = over.chunks(AT_A_TIME).map(|keys| self.delete(&name, keys));
            stream::iter(batches)
                .buffer_unordered(AT_ONCE)
                .try_collect::<()>()
                .await?;
        }
        Ok(())
    }

    /// The keys of what is past its TTL in a table.
    async fn past(
        &self,
        table: &Table,
        name: &str,
        ttl: &str,
        now_millis: i64,
    ) -> Result<Vec<Key>, ProveError> {
        let now = AttributeValue::N(now_millis.div_euclid(1000).to_string());
        let key = [Some(&table.partition_key), table.sort_key.as_ref()];
        let key = key.into_iter().flatten().map(|key| key.name.clone());
        let names = (0..).map(|number| format!("#k{number}")).zip(key);
        let mut names: HashMap<String, String> = names.collect();
        let shown: Vec<String> = names.keys().cloned().collect();
        names.insert("#ttl".to_owned(), ttl.to_owned());
        let (mut found, mut start) = (Vec::new(), None);
        loop {
            let send = || {
                let scan = self.store.client().scan().table_name(name);
                scan.filter_expression("#ttl <= :now")
                    .projection_expression(shown.join(", "))
                    .set_expression_attribute_names(Some(names.clone()))
                    .expression_attribute_values(":now", now.clone())
                    .set_exclusive_start_key(start.clone())
                    .limit(PAGE)
                    .send()
            };
            let page = patiently(true, send).await;
            let page = page.map_err(|error| failed(of_request(&error)))?;
            found.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(found);
            }
        }
    }

    async fn delete(&self, table: &str, keys: &[Key]) -> Result<(), ProveError> {
        let requests = keys.iter().map(|key| {
            let delete = DeleteRequest::builder().set_key(Some(key.clone()));
            let delete = delete.build().expect("it has a key");
            WriteRequest::builder().delete_request(delete).build()
        });
        let mut requests: Vec<WriteRequest> = requests.collect();
        for _ in 0..ATTEMPTS {
            let send = || {
                let batch = self.store.client().batch_write_item();
                batch.request_items(table, requests.clone()).send()
            };
            let sent = patiently(true, send).await;
            let sent = sent.map_err(|error| failed(of_request(&error)))?;
            let left = sent.unprocessed_items.unwrap_or_default().remove(table);
            requests = left.unwrap_or_default();
            if requests.is_empty() {
                return Ok(());
            }
        }
        Err(failed(Error::Throttled))
    }
}

fn failed(why: Error) -> ProveError {
    ProveError::Endpoint {
        doing: "deleting what is past its TTL".to_owned(),
        why,
    }
}
