//! One item of a write: what is done to it, on which condition, and why it belongs to the write.

use std::sync::Arc;

use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use tablewright_descriptor::Table;

use crate::Store;
use crate::error::{Error, Result};
use crate::expression::{Placeholders, all_of};
use crate::fields::Item;
use crate::read::key_text;

/// What is done to one item.
#[derive(Debug, Clone)]
pub(crate) struct ItemRequest {
    pub(crate) table: Arc<Table>,
    pub(crate) key: Item,
    pub(crate) operation: Operation,
    /// All must hold.
    pub(crate) conditions: Vec<String>,
    pub(crate) places: Placeholders,
    pub(crate) role: Role,
    /// The action of the pattern it belongs to.
    pub(crate) action: usize,
    /// Doing it twice is doing it once, or is noticed.
    pub(crate) repeatable: bool,
    /// The token the item had when it was read.
    pub(crate) token: Option<i64>,
    /// What the item will be after an update, where that is known.
    pub(crate) leaves: Option<Item>,
}

/// The operations on one item.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Put(Item),
    Update {
        set: Vec<String>,
        remove: Vec<String>,
    },
    Delete,
    Check,
}

/// Why an item belongs to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is what the action names.
    Named(Expected),
    /// It takes a unique value.
    Guard(String),
    /// It frees a unique value, or follows its owner.
    OwnGuard,
    /// It counts; its keeper is of this entity.
    Counter(String),
    /// It claims the idempotency key.
    Claim,
}

/// What an action relies on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// There is no such item.
    Absent,
    /// The item is there, in whatever state.
    Present,
    /// The item is as it was read.
    AsRead,
}

/// Where an item is: its table, and its key as a text.
pub(crate) type PlaceOfItem = (String, String);

impl ItemRequest {
    pub(crate) fn place(&self) -> PlaceOfItem {
        let key = key_text(&self.table, &self.key);
        (self.table.name.clone(), key)
    }

    /// The entity that keeps the number it changes, if it does.
    pub(crate) fn keeper(&self) -> &str {
        match &self.role {
            Role::Counter(keeper) => keeper,
            _ => &self.table.name,
        }
    }

    fn condition(&self) -> Option<String> {
        all_of(&self.conditions)
    }

    fn update_expression(set: &[String], remove: &[String]) -> String {
        let mut text = String::new();
        if !set.is_empty() {
            text.push_str(&format!("SET {}", set.join(", ")));
        }
        if !remove.is_empty() {
            text.push_str(&format!(" REMOVE {}", remove.join(", ")));
        }
        text
    }

    /// As a part of a transaction.
    pub(crate) fn in_transaction(&self, store: &Store) -> Result<TransactWriteItem> {
        let table = store.table_name(&self.table);
        let condition = self.condition();
        let (names, values) = (self.places.names(), self.places.values());
        let on_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        let built = match &self.operation {
            Operation::Put(item) => Put::builder()
                .table_name(table)
                .set_item(Some(item.clone()))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_return_values_on_condition_check_failure(on_failure)
                .build()
                .map(|put| TransactWriteItem::builder().put(put).build()),
            Operation::Update { set, remove } => Update::builder()
                .table_name(table)
                .set_key(Some(self.key.clone()))
                .update_expression(Self::update_expression(set, remove))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_return_values_on_condition_check_failure(on_failure)
                .build()
                .map(|update| TransactWriteItem::builder().update(update).build()),
            Operation::Delete => Delete::builder()
                .table_name(table)
                .set_key(Some(self.key.clone()))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_return_values_on_condition_check_failure(on_failure)
                .build()
                .map(|delete| TransactWriteItem::builder().delete(delete).build()),
            Operation::Check => ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(self.key.clone()))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_return_values_on_condition_check_failure(on_failure)
                .build()
                .map(|check| TransactWriteItem::builder().condition_check(check).build()),
        };
        built.map_err(|error| Error::invalid(&self.table.name, "", error))
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts {
            condition: self.condition(),
            update: match &self.operation {
                Operation::Update { set, remove } => Some(Self::update_expression(set, remove)),
                _ => None,
            },
        }
    }
}

/// The expressions of a request.
pub(crate) struct Parts {
    pub(crate) condition: Option<String>,
    pub(crate) update: Option<String>,
}
