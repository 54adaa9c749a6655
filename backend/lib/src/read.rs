//! Single requests that read, tried again where that helps.

use std::collections::HashMap;
use std::future::Future;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Select};
use tablewright_descriptor::Table;

use crate::Store;
use crate::capacity::{self, Direction};
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::retry::{Fault, fault_of};

/// The most keys DynamoDB takes in one BatchGetItem.
const MOST_KEYS: usize = 100;

/// A query of one partition, but for where it begins and how much it reads.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) table: String,
    pub(crate) index: Option<String>,
    pub(crate) key_condition: String,
    pub(crate) filter: Option<String>,
    pub(crate) projection: Option<String>,
    /// Its local index does not hold what is asked for, or what a count compares: DynamoDB is to fetch it from the table.
    pub(crate) fetches: bool,
    pub(crate) counts_fetched: bool,
    pub(crate) names: Option<HashMap<String, String>>,
    pub(crate) values: Option<HashMap<String, AttributeValue>>,
    pub(crate) backwards: bool,
    pub(crate) strong: bool,
}

impl Query {
    /// The same to count with: items one by one, or by DynamoDB, which then takes no projection.
    pub(crate) fn counting(&self, one_by_one: bool) -> Query {
        if one_by_one {
            return Query {
                fetches: self.counts_fetched,
                ..self.clone()
            };
        }
        let expressions = [Some(&self.key_condition), self.filter.as_ref()];
        let is_used = |name: &str| {
            let mut expressions = expressions.into_iter().flatten();
            expressions.any(|text| {
                text.split(|c: char| c != '#' && !c.is_ascii_digit())
                    .any(|word| word == name)
            })
        };
        let names = self.names.clone().map(|mut names| {
            names.retain(|name, _| is_used(name));
            names
        });
        Query {
            projection: None,
            names,
            ..self.clone()
        }
    }
}

/// What one Query request gave.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) items: Vec<Item>,
    pub(crate) count: u64,
    /// How many it looked at, before the filter.
    pub(crate) looked_at: u64,
    pub(crate) last: Option<Item>,
}

impl Store {
    /// Sends a read until it is answered, refused, or patience ends.
    pub(crate) async fn reading<T, E, F>(
        &self,
        operation: &'static str,
        send: impl Fn() -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let mut attempt = 0;
        loop {
            let fault = match send().await {
                Ok(output) => return Ok(output),
                Err(error) => fault_of(&error).noted(self, operation),
            };
            attempt += 1;
            if matches!(fault, Fault::Refused(_)) || attempt >= self.patience().attempts {
                return Err(fault.into_error(false));
            }
            self.wait_to_retry(operation, attempt).await;
        }
    }

    pub(crate) async fn get_item(
        &self,
        table: &Table,
        key: Item,
        strong: bool,
    ) -> Result<Option<Item>> {
        let request = self
            .client()
            .get_item()
            .table_name(self.table_name(table))
            .set_key(Some(key))
            .consistent_read(strong)
            .return_consumed_capacity(self.capacity_asked());
        let output = self.reading("GetItem", || request.clone().send()).await?;
        capacity::note(
            self,
            "GetItem",
            Direction::Read,
            output.consumed_capacity.as_slice(),
        );
        Ok(output.item)
    }

    pub(crate) async fn query_once(
        &self,
        query: &Query,
        start: Option<Item>,
        limit: Option<u32>,
        count_only: bool,
    ) -> Result<Answer> {
        let select = match (count_only, query.fetches) {
            (true, _) => Some(Select::Count),
            (false, true) => Some(Select::AllAttributes),
            (false, false) => None,
        };
        let request = self
            .client()
            .query()
            .table_name(&query.table)
            .set_index_name(query.index.clone())
            .key_condition_expression(&query.key_condition)
            .set_filter_expression(query.filter.clone())
            .set_projection_expression(query.projection.clone().filter(|_| !count_only))
            .set_expression_attribute_names(query.names.clone())
            .set_expression_attribute_values(query.values.clone())
            .scan_index_forward(!query.backwards)
            .set_consistent_read(query.strong.then_some(true))
            .set_select(select)
            .set_exclusive_start_key(start)
            .set_limit(limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)))
            .return_consumed_capacity(self.capacity_asked());
        let output = self.reading("Query", || request.clone().send()).await?;
        capacity::note(
            self,
            "Query",
            Direction::Read,
            output.consumed_capacity.as_slice(),
        );
        Ok(Answer {
            count: u64::try_from(output.count).unwrap_or_default(),
            looked_at: u64::try_from(output.scanned_count).unwrap_or_default(),
            items: output.items.unwrap_or_default(),
            last: output.last_evaluated_key.filter(|key| !key.is_empty()),
        })
    }

    /// Items by their keys, in the order of the keys. A key that is asked for twice is read once.
    pub(crate) async fn batch_get(
        &self,
        table: &Table,
        keys: &[Item],
        strong: bool,
    ) -> Result<Vec<Option<Item>>> {
        let mut wanted: Vec<Item> = Vec::new();
        let mut positions = Vec::with_capacity(keys.len());
        let mut known: HashMap<String, usize> = HashMap::new();
        for key in keys {
            let next = wanted.len();
            let position = *known.entry(key_text(table, key)).or_insert(next);
            if position == next {
                wanted.push(key.clone());
            }
            positions.push(position);
        }
        let mut found: Vec<Option<Item>> = vec![None; wanted.len()];
        for chunk in wanted.chunks(MOST_KEYS) {
            for item in self.batch_get_chunk(table, chunk, strong).await? {
                if let Some(position) = known.get(&key_text(table, &item)) {
                    found[*position] = Some(item);
                }
            }
        }
        Ok(positions
            .into_iter()
            .map(|position| found[position].clone())
            .collect())
    }

    async fn batch_get_chunk(
        &self,
        table: &Table,
        keys: &[Item],
        strong: bool,
    ) -> Result<Vec<Item>> {
        let name = self.table_name(table);
        let mut items = Vec::with_capacity(keys.len());
        let mut left = keys.to_vec();
        let mut attempt = 0;
        while !left.is_empty() {
            let asked = KeysAndAttributes::builder()
                .set_keys(Some(left))
                .set_consistent_read(strong.then_some(true))
                .build()
                .map_err(|error| Error::invalid(&table.name, "", error))?;
            let request = self
                .client()
                .batch_get_item()
                .request_items(&name, asked)
                .return_consumed_capacity(self.capacity_asked());
            let output = self
                .reading("BatchGetItem", || request.clone().send())
                .await?;
            capacity::note(
                self,
                "BatchGetItem",
                Direction::Read,
                output.consumed_capacity.as_deref().unwrap_or_default(),
            );
            let answered = output.responses.and_then(|mut tables| tables.remove(&name));
            let answered = answered.unwrap_or_default();
            // What came is progress, and patience begins anew.
            attempt = if answered.is_empty() { attempt + 1 } else { 0 };
            items.extend(answered);
            left = output
                .unprocessed_keys
                .and_then(|mut tables| tables.remove(&name))
                .map(|keys| keys.keys)
                .unwrap_or_default();
            if left.is_empty() {
                break;
            }
            if attempt >= self.patience().attempts {
                return Err(Error::Throttled);
            }
            self.wait_to_retry("BatchGetItem", attempt).await;
        }
        Ok(items)
    }
}

/// A text that tells one key of a table from another. Numbers are compared by size, since DynamoDB may write them otherwise.
pub(crate) fn key_text(table: &Table, item: &Item) -> String {
    let mut text = String::new();
    for key in table.key_attributes() {
        match item.get(&key.name) {
            Some(AttributeValue::S(value)) => {
                text.push_str(&format!("S{}:{value}", value.len()));
            }
            Some(AttributeValue::N(value)) => match value.parse::<i64>() {
                Ok(number) => text.push_str(&format!("N{number};")),
                Err(_) => text.push_str(&format!("N{value};")),
            },
            other => text.push_str(&format!("{other:?};")),
        }
    }
    text
}
