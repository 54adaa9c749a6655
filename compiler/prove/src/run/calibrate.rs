//! Whether an endpoint tells capacity as DynamoDB does: one item of a known size, written, read and found before anything is believed.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, ReturnConsumedCapacity};
use tablewright::descriptor::{KeyAttribute, KeyKind, Table};

use super::bench::Bench;
use super::error::{ProveError, of_request};
use super::hand::patiently;

/// Bytes of the item, but for its names and its key: five units to write, two to read.
const BYTES: usize = 4500;
const WRITTEN: f64 = 5.0;
const READ: f64 = 2.0;

const PADDING: &str = "tablewright_padding";
const TOUCHED: &str = "tablewright_touched";

/// How an endpoint told a capacity.
type Told = Result<Option<ConsumedCapacity>, ProveError>;

impl Bench<'_> {
    /// Puts, changes, reads, finds and deletes one item in a table that is still empty.
    pub(crate) async fn calibrate(&self) -> Result<(), ProveError> {
        let Some(table) = self.schema.tables.first() else {
            return Ok(());
        };
        let name = self.store.table_name(table);
        let key = key_of(table);
        let steps = [
            (self.put(&name, &key).await?, WRITTEN),
            (self.touch(&name, &key).await?, WRITTEN),
            (self.get(&name, &key, true).await?, READ),
            (self.get(&name, &key, false).await?, READ / 2.0),
            (self.find(&name, table, true).await?, READ),
            (self.find(&name, table, false).await?, READ / 2.0),
            (self.remove(&name, &key).await?, WRITTEN),
        ];
        for (told, known) in steps {
            let units = told.and_then(|told| told.capacity_units);
            match units {
                None | Some(0.0) => return Err(ProveError::NoCapacity),
                Some(units) if units != known => return Err(ProveError::OtherCapacity),
                Some(_) => {}
            }
        }
        Ok(())
    }

    async fn put(&self, table: &str, key: &HashMap<String, AttributeValue>) -> Told {
        let mut item = key.clone();
        item.insert(PADDING.to_owned(), AttributeValue::S("x".repeat(BYTES)));
        let send = || {
            let put = self.store.client().put_item().table_name(table);
            let put = put.set_item(Some(item.clone()));
            put.return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                .send()
        };
        let sent = patiently(true, send).await;
        let sent = sent.map_err(|error| failed(of_request(&error)))?;
        Ok(sent.consumed_capacity)
    }

    async fn touch(&self, table: &str, key: &HashMap<String, AttributeValue>) -> Told {
        let send = || {
            let update = self.store.client().update_item().table_name(table);
            let update = update.set_key(Some(key.clone()));
            let update = update.update_expression("SET #touched = :yes");
            let update = update.expression_attribute_names("#touched", TOUCHED);
            let yes = AttributeValue::Bool(true);
            let update = update.expression_attribute_values(":yes", yes);
            update
                .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                .send()
        };
        let sent = patiently(true, send).await;
        let sent = sent.map_err(|error| failed(of_request(&error)))?;
        Ok(sent.consumed_capacity)
    }

    async fn get(
        &self,
        table: &str,
        key: &HashMap<String, AttributeValue>,
        consistent: bool,
    ) -> Told {
        let send = || {
            let get = self.store.client().get_item().table_name(table);
            let get = get.set_key(Some(key.clone())).consistent_read(consistent);
            get.return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                .send()
        };
        let sent = patiently(true, send).await;
        let sent = sent.map_err(|error| failed(of_request(&error)))?;
        Ok(sent.consumed_capacity)
    }

    async fn find(&self, name: &str, table: &Table, consistent: bool) -> Told {
        let partition = &table.partition_key;
        let send = || {
            let query = self.store.client().query().table_name(name);
            let query = query.key_condition_expression("#partition = :partition");
            let query = query.expression_attribute_names("#partition", &partition.name);
            let query = query.expression_attribute_values(":partition", value_of(partition));
            query
                .consistent_read(consistent)
                .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                .send()
        };
        let sent = patiently(true, send).await;
        let sent = sent.map_err(|error| failed(of_request(&error)))?;
        Ok(sent.consumed_capacity)
    }

    async fn remove(&self, table: &str, key: &HashMap<String, AttributeValue>) -> Told {
        let send = || {
            let delete = self.store.client().delete_item().table_name(table);
            let delete = delete.set_key(Some(key.clone()));
            delete
                .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                .send()
        };
        let sent = patiently(true, send).await;
        let sent = sent.map_err(|error| failed(of_request(&error)))?;
        Ok(sent.consumed_capacity)
    }
}

fn key_of(table: &Table) -> HashMap<String, AttributeValue> {
    let key = [Some(&table.partition_key), table.sort_key.as_ref()];
    let key = key.into_iter().flatten();
    key.map(|key| (key.name.clone(), value_of(key))).collect()
}

fn value_of(key: &KeyAttribute) -> AttributeValue {
    match key.kind {
        KeyKind::String => AttributeValue::S("tablewright".to_owned()),
        KeyKind::Number => AttributeValue::N("0".to_owned()),
        KeyKind::Binary => AttributeValue::B(Blob::new("tablewright")),
    }
}

fn failed(why: tablewright::Error) -> ProveError {
    ProveError::Endpoint {
        doing: "measuring one item of a known size".to_owned(),
        why,
    }
}
