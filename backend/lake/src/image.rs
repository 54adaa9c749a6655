//! Items on their way into bronze and back: without what is withheld.

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tablewright::Item;
use tablewright::descriptor::Table;
use tablewright_stream::{NotARecord, image_of_json, image_to_json};

use crate::model::LakeEntity;

/// Where a wrapped item keeps its fields.
pub(crate) const DATA: &str = "data";

/// Where a versioned item keeps the version of its shape, and when it was last written.
pub(crate) const DATA_VERSION: &str = "data_version";
pub(crate) const LAST_WRITE: &str = "last_write";

/// An item without what is withheld, at the top and among wrapped fields.
pub(crate) fn without_secrets(entity: &LakeEntity, item: &Item) -> Item {
    let shown = |(name, _): &(&String, &AttributeValue)| entity.shows(name);
    let copy = |(name, value): (&String, &AttributeValue)| (name.clone(), value.clone());
    let mut item: Item = item.iter().filter(shown).map(copy).collect();
    if let Some(AttributeValue::M(data)) = item.get_mut(DATA) {
        data.retain(|name, _| entity.shows(name));
    }
    item
}

/// An item without what is withheld, in DynamoDB's JSON.
pub(crate) fn written(entity: &LakeEntity, item: &Item) -> String {
    image_to_json(&without_secrets(entity, item)).to_string()
}

/// An item as bronze has it.
pub(crate) fn read(text: &str) -> Result<Item, NotARecord> {
    image_of_json(&serde_json::from_str(text).unwrap_or(Value::Null))
}

/// The key of an item as a text: a list of the values of its key attributes.
pub(crate) fn key_text(table: &Table, item: &Item) -> String {
    let names = table.key_attributes().map(|key| &key.name);
    let values = names.map(|name| match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => Value::from(text.as_str()),
        Some(AttributeValue::B(bytes)) => Value::from(STANDARD.encode(bytes)),
        _ => Value::Null,
    });
    Value::Array(values.collect()).to_string()
}
