//! Sending writes: one item by itself, several in a transaction. A write whose answer was lost is recognised when it is sent again.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ReturnValue, ReturnValuesOnConditionCheckFailure,
};

use crate::Store;
use crate::capacity::{self, Direction};
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::retry::{Fault, fault_of};
use crate::write::request::{ItemRequest, Operation};

/// The most actions DynamoDB takes in one transaction.
const MOST_ACTIONS: usize = 100;

/// What became of a write.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It happened. Of a single item: what it is now, or was before it was deleted.
    Done(Option<Item>),
    /// It did not, since these requests were refused, each with the item there is.
    Refused(Vec<(usize, Option<Item>)>),
}

enum Attempt {
    Done(Option<Item>),
    Refused(Vec<(usize, Option<Item>)>),
    Failed(Fault),
}

impl Store {
    /// Sends a write until it is answered, refused, or patience ends.
    pub(crate) async fn send(&self, requests: &[ItemRequest]) -> Result<Outcome> {
        if requests.len() > MOST_ACTIONS {
            let why = format!(
                "{} items in one transaction; DynamoDB takes at most {MOST_ACTIONS}",
                requests.len()
            );
            return Err(Error::invalid("the write", "", why));
        }
        for (position, request) in requests.iter().enumerate() {
            let same = |other: &ItemRequest| {
                other.table.name == request.table.name && other.key == request.key
            };
            if requests[..position].iter().any(same) {
                let why = "two actions are about one item; a transaction takes an item once";
                return Err(Error::invalid(&request.table.name, "", why));
            }
        }
        let Some(first) = requests.first() else {
            return Ok(Outcome::Done(None));
        };
        // A condition alone needs a transaction: no single request only looks.
        let alone = requests.len() == 1 && !matches!(first.operation, Operation::Check);
        let token = uuid::Uuid::now_v7().to_string();
        let operation = if alone { "write" } else { "TransactWriteItems" };
        let mut lost: Option<String> = None;
        let mut judged_again = false;
        let mut attempt = 0;
        loop {
            let answer = if alone {
                self.send_alone(first).await
            } else {
                self.send_together(requests, &token).await?
            };
            let fault = match answer {
                Attempt::Done(item) => return Ok(Outcome::Done(item)),
                Attempt::Refused(refused) if alone => {
                    let seen = refused.into_iter().next().and_then(|(_, seen)| seen);
                    let unsure = seen.is_none() && lost.is_none() && !judged_again;
                    if unsure && self.may_have_come(first) {
                        if !self.is_there(first).await? {
                            return Ok(Outcome::Refused(vec![(0, None)]));
                        }
                        judged_again = true;
                        continue;
                    }
                    return self.refused_alone(first, seen, lost).await;
                }
                Attempt::Refused(refused) => return Ok(Outcome::Refused(refused)),
                Attempt::Failed(fault) => fault.noted(self, operation),
            };
            attempt += 1;
            let again = match &fault {
                Fault::Refused(_) => false,
                Fault::Throttled | Fault::Busy => true,
                // A transaction has a token, by which DynamoDB knows it again.
                Fault::Lost(why) => {
                    lost = Some(why.clone());
                    !alone || first.repeatable
                }
            };
            let most = match &fault {
                Fault::Busy => self.patience().meetings,
                _ => self.patience().attempts,
            };
            if !again || attempt >= most {
                return Err(match (lost, fault) {
                    (Some(why), Fault::Throttled | Fault::Busy) => Error::Uncertain { why },
                    (_, fault) => fault.into_error(true),
                });
            }
            self.wait_to_retry(operation, attempt).await;
        }
    }

    async fn send_alone(&self, request: &ItemRequest) -> Attempt {
        let table = self.table_name(&request.table);
        let parts = request.parts();
        let (names, values) = (request.places.names(), request.places.values());
        let on_failure = parts
            .condition
            .is_some()
            .then_some(ReturnValuesOnConditionCheckFailure::AllOld);
        match &request.operation {
            Operation::Put(item) => {
                let sent = self
                    .client()
                    .put_item()
                    .table_name(table)
                    .set_item(Some(item.clone()))
                    .set_condition_expression(parts.condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .set_return_values_on_condition_check_failure(on_failure)
                    .return_consumed_capacity(self.capacity_asked())
                    .send()
                    .await;
                self.attempt("PutItem", sent, |output| (output.consumed_capacity, None), |error| match error {
                    aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed) => Some(failed.item.clone()),
                    _ => None,
                })
            }
            Operation::Update { .. } => {
                let sent = self
                    .client()
                    .update_item()
                    .table_name(table)
                    .set_key(Some(request.key.clone()))
                    .set_update_expression(parts.update)
                    .set_condition_expression(parts.condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values(ReturnValue::AllNew)
                    .set_return_values_on_condition_check_failure(on_failure)
                    .return_consumed_capacity(self.capacity_asked())
                    .send()
                    .await;
                self.attempt("UpdateItem", sent, |output| (output.consumed_capacity, output.attributes), |error| match error {
                    aws_sdk_dynamodb::operation::update_item::UpdateItemError::ConditionalCheckFailedException(failed) => Some(failed.item.clone()),
                    _ => None,
                })
            }
            Operation::Check => Attempt::Failed(Fault::Refused(Error::invalid(
                &request.table.name,
                "",
                "a condition alone is a transaction",
            ))),
            Operation::Delete => {
                let sent = self
                    .client()
                    .delete_item()
                    .table_name(table)
                    .set_key(Some(request.key.clone()))
                    .set_condition_expression(parts.condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values(ReturnValue::AllOld)
                    .set_return_values_on_condition_check_failure(on_failure)
                    .return_consumed_capacity(self.capacity_asked())
                    .send()
                    .await;
                self.attempt("DeleteItem", sent, |output| (output.consumed_capacity, output.attributes), |error| match error {
                    aws_sdk_dynamodb::operation::delete_item::DeleteItemError::ConditionalCheckFailedException(failed) => Some(failed.item.clone()),
                    _ => None,
                })
            }
        }
    }

    fn attempt<O, E>(
        &self,
        operation: &'static str,
        sent: Result<O, SdkError<E, HttpResponse>>,
        parts: impl FnOnce(
            O,
        ) -> (
            Option<aws_sdk_dynamodb::types::ConsumedCapacity>,
            Option<Item>,
        ),
        refused: impl FnOnce(&E) -> Option<Option<Item>>,
    ) -> Attempt
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        match sent {
            Ok(output) => {
                let (consumed, item) = parts(output);
                capacity::note(self, operation, Direction::Write, consumed.as_slice());
                Attempt::Done(item)
            }
            Err(error) => match error.as_service_error().and_then(refused) {
                Some(seen) => Attempt::Refused(vec![(0, seen.filter(|item| !item.is_empty()))]),
                None => Attempt::Failed(fault_of(&error)),
            },
        }
    }

    async fn send_together(&self, requests: &[ItemRequest], token: &str) -> Result<Attempt> {
        let items = requests
            .iter()
            .map(|request| request.in_transaction(self))
            .collect::<Result<Vec<_>>>()?;
        let sent = self
            .client()
            .transact_write_items()
            .set_transact_items(Some(items))
            .client_request_token(token)
            .return_consumed_capacity(self.capacity_asked())
            .send()
            .await;
        Ok(match sent {
            Ok(output) => {
                let consumed = output.consumed_capacity.unwrap_or_default();
                capacity::note(self, "TransactWriteItems", Direction::Write, &consumed);
                Attempt::Done(None)
            }
            Err(error) => match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                    reasons(cancelled.cancellation_reasons(), cancelled.message())
                }
                _ => Attempt::Failed(fault_of(&error)),
            },
        })
    }
}

/// Why a transaction was cancelled: a condition that failed tells more than one that was not judged.
fn reasons(reasons: &[CancellationReason], message: Option<&str>) -> Attempt {
    let code = |reason: &CancellationReason| reason.code().unwrap_or("None").to_owned();
    let refused: Vec<(usize, Option<Item>)> = reasons
        .iter()
        .enumerate()
        .filter(|(_, reason)| code(reason) == "ConditionalCheckFailed")
        .map(|(position, reason)| {
            (
                position,
                reason.item.clone().filter(|item| !item.is_empty()),
            )
        })
        .collect();
    if !refused.is_empty() {
        return Attempt::Refused(refused);
    }
    let has = |word: &str| reasons.iter().any(|reason| code(reason) == word);
    if has("TransactionConflict") {
        return Attempt::Failed(Fault::Busy);
    }
    if has("ThrottlingError") || has("ProvisionedThroughputExceeded") {
        return Attempt::Failed(Fault::Throttled);
    }
    let reason = reasons.iter().find(|reason| code(reason) != "None");
    let told = reason.and_then(CancellationReason::message).or(message);
    Attempt::Failed(Fault::Refused(Error::Backend {
        code: reason.map_or_else(|| "TransactionCanceledException".to_owned(), code),
        message: told.unwrap_or_default().to_owned(),
    }))
}
