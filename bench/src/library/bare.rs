//! The same requests by hand, as one writes them against one table that one knows.

mod accounts;
mod todo;

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use aws_sdk_dynamodb::types::AttributeValue;

pub(crate) use self::accounts::{account, create_account, paid, transfer};
pub(crate) use self::todo::{create_task, task, task_item, tasks};

type Item = HashMap<String, AttributeValue>;

fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn now_millis() -> anyhow::Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_millis())?)
}

fn take_text(item: &mut Item, name: &str) -> anyhow::Result<String> {
    take_optional_text(item, name).with_context(|| format!("no text in {name}"))
}

fn take_optional_text(item: &mut Item, name: &str) -> Option<String> {
    match item.remove(name)? {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

fn take_number(item: &Item, name: &str) -> anyhow::Result<i64> {
    take_optional_number(item, name).with_context(|| format!("no number in {name}"))
}

fn take_optional_number(item: &Item, name: &str) -> Option<i64> {
    item.get(name)?.as_n().ok()?.parse().ok()
}
