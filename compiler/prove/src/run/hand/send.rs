//! What is sent for a write by hand: alone, in a batch, or in a transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, ConsumedCapacity, Delete, DeleteRequest, Put, PutRequest,
    ReturnConsumedCapacity, TransactWriteItem, Update, WriteRequest,
};
use tablewright::{Error, Share};
use tablewright_model::model::Access;

use super::action::{Sent, What};
use super::patiently;
use super::read::units;
use super::write::doing;
use crate::run::bench::{Bench, Trouble};
use crate::run::error::of_request;
use crate::run::perform::{Done, Used};

/// So often what an endpoint is too busy for is sent.
pub(super) const ATTEMPTS: u32 = 8;

/// Sends one request of the SDK, which is refused where its condition does not hold.
macro_rules! alone {
    ($access:expr, $request:expr, $sent:expr) => {{
        let request = $request
            .table_name($sent.table)
            .set_condition_expression($sent.condition)
            .set_expression_attribute_names($sent.names)
            .set_expression_attribute_values($sent.values)
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        match patiently(false, || request.clone().send()).await {
            Ok(output) => Ok(happened(output.consumed_capacity.as_slice())),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(Done::Refused)
            }
            Err(error) => Err(doing($access, &of_request(&error))),
        }
    }};
}

impl Bench<'_> {
    /// One item by a request of its own.
    pub(super) async fn send_alone(&self, access: &Access, sent: Sent) -> Result<Done, Trouble> {
        let client = self.store.client();
        match sent.what {
            What::Put(item) => alone!(access, client.put_item().set_item(Some(item)), sent),
            What::Update(key, update) => {
                let request = client.update_item().set_key(Some(key));
                alone!(access, request.set_update_expression(update), sent)
            }
            What::Delete(key) => alone!(access, client.delete_item().set_key(Some(key)), sent),
            What::Check(_) => Err(Trouble::Wrong("a check alone writes nothing".to_owned())),
        }
    }

    /// One item in a batch, which knows no conditions.
    pub(super) async fn send_in_a_batch(
        &self,
        access: &Access,
        sent: Sent,
    ) -> Result<Done, Trouble> {
        if sent.condition.is_some() {
            let why = "BatchWriteItem takes no condition";
            return Err(Trouble::Wrong(why.to_owned()));
        }
        let write = WriteRequest::builder();
        let write = match sent.what {
            What::Put(item) => {
                let put = PutRequest::builder().set_item(Some(item)).build();
                write.put_request(put.map_err(unbuilt)?)
            }
            What::Delete(key) => {
                let delete = DeleteRequest::builder().set_key(Some(key)).build();
                write.delete_request(delete.map_err(unbuilt)?)
            }
            What::Update(..) | What::Check(_) => {
                let why = "BatchWriteItem puts and deletes whole items";
                return Err(Trouble::Wrong(why.to_owned()));
            }
        };
        let request = self
            .store
            .client()
            .batch_write_item()
            .request_items(sent.table, vec![write.build()])
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        for attempt in 0..ATTEMPTS {
            let output = patiently(true, || request.clone().send()).await;
            let output = output.map_err(|error| doing(access, &of_request(&error)))?;
            let left = output.unprocessed_items.unwrap_or_default();
            if left.is_empty() {
                return Ok(happened(&output.consumed_capacity.unwrap_or_default()));
            }
            a_moment(attempt).await;
        }
        Err(doing(access, &Error::Throttled))
    }

    /// Several items in one transaction, all or none.
    pub(super) async fn send_together(
        &self,
        access: &Access,
        all: Vec<Sent>,
    ) -> Result<Done, Trouble> {
        let all: Result<Vec<TransactWriteItem>, BuildError> =
            all.into_iter().map(in_a_transaction).collect();
        let request = self
            .store
            .client()
            .transact_write_items()
            .set_transact_items(Some(all.map_err(unbuilt)?))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes);
        for attempt in 0..ATTEMPTS {
            let error = match patiently(false, || request.clone().send()).await {
                Ok(output) => return Ok(happened(&output.consumed_capacity.unwrap_or_default())),
                Err(error) => error,
            };
            let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
                error.as_service_error()
            else {
                return Err(doing(access, &of_request(&error)));
            };
            let reasons = cancelled.cancellation_reasons();
            if has(reasons, "ConditionalCheckFailed") {
                return Ok(Done::Refused);
            }
            let is_busy = |word| has(reasons, word);
            let busy = [
                "TransactionConflict",
                "ThrottlingError",
                "ProvisionedThroughputExceeded",
            ];
            if !busy.into_iter().any(is_busy) {
                let told = reasons.iter().find_map(CancellationReason::message);
                let told = told.or(cancelled.message()).unwrap_or("it was cancelled");
                return Err(Trouble::Wrong(told.to_owned()));
            }
            a_moment(attempt).await;
        }
        Err(doing(access, &Error::Throttled))
    }
}

fn has(reasons: &[CancellationReason], word: &str) -> bool {
    reasons.iter().any(|reason| reason.code() == Some(word))
}

pub(super) async fn a_moment(attempt: u32) {
    tokio::time::sleep(Duration::from_millis(25 << attempt.min(6))).await;
}

fn unbuilt(why: BuildError) -> Trouble {
    Trouble::Wrong(why.to_string())
}

fn in_a_transaction(sent: Sent) -> Result<TransactWriteItem, BuildError> {
    let all = TransactWriteItem::builder();
    let all = match sent.what {
        What::Put(item) => all.put(
            Put::builder()
                .table_name(sent.table)
                .set_item(Some(item))
                .set_condition_expression(sent.condition)
                .set_expression_attribute_names(sent.names)
                .set_expression_attribute_values(sent.values)
                .build()?,
        ),
        What::Update(key, update) => all.update(
            Update::builder()
                .table_name(sent.table)
                .set_key(Some(key))
                .set_update_expression(update)
                .set_condition_expression(sent.condition)
                .set_expression_attribute_names(sent.names)
                .set_expression_attribute_values(sent.values)
                .build()?,
        ),
        What::Delete(key) => all.delete(
            Delete::builder()
                .table_name(sent.table)
                .set_key(Some(key))
                .set_condition_expression(sent.condition)
                .set_expression_attribute_names(sent.names)
                .set_expression_attribute_values(sent.values)
                .build()?,
        ),
        What::Check(key) => all.condition_check(
            ConditionCheck::builder()
                .table_name(sent.table)
                .set_key(Some(key))
                .set_condition_expression(sent.condition)
                .set_expression_attribute_names(sent.names)
                .set_expression_attribute_values(sent.values)
                .build()?,
        ),
    };
    Ok(all.build())
}

/// What a request used, and what of it each index took.
fn happened(consumed: &[ConsumedCapacity]) -> Done {
    let mut shares = Vec::new();
    for consumed in consumed {
        let table = consumed.table_name().unwrap_or_default();
        let mut share = |index: Option<&String>, units: f64| {
            shares.push(Share {
                table: table.to_owned(),
                index: index.cloned(),
                read_units: 0.0,
                write_units: units,
            });
        };
        let indexes = [
            consumed.global_secondary_indexes(),
            consumed.local_secondary_indexes(),
        ];
        let indexes = indexes.into_iter().flatten().flatten();
        let indexes = indexes.map(|(index, used)| (index, used.capacity_units().unwrap_or(0.0)));
        let indexes: BTreeMap<&String, f64> = indexes.collect();
        let all = consumed.capacity_units().unwrap_or_default();
        share(None, all - indexes.values().sum::<f64>());
        for (index, units) in indexes {
            share(Some(index), units);
        }
    }
    Done::Happened(Used {
        units: units(consumed),
        shares,
        within_facts: false,
    })
}
