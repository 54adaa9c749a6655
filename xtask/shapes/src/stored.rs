//! Items as repositories store them, read from the tables of the embedded engine.

use std::collections::HashMap;

use anyhow::Context as _;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use tablewright::{Store, tables};
use tablewright_local::Engine;
use tablewright_model::Model;
use tablewright_model::model::{Entity, Table, TableId};

use crate::known::Known;
use crate::values::{self, Variant};

/// An item and the name of its type.
pub(crate) struct StoredItem<'m> {
    pub(crate) kind: String,
    pub(crate) table: &'m Table,
    /// The entity; none for a guard.
    pub(crate) entity: Option<&'m Entity>,
    pub(crate) item: HashMap<String, AttributeValue>,
}

/// Stores the least and the most of every entity, and reads what the tables then hold.
pub(crate) async fn items<'m>(
    model: &'m Model,
    known: &[Known],
) -> anyhow::Result<Vec<StoredItem<'m>>> {
    let engine = Engine::temporary()?;
    let store = Store::new(engine.dynamodb());
    let schema = known.first().context("the model has no entity")?.tables;
    tables::bring_up_to_date(&store, schema()).await?;
    // What counts comes before what is counted.
    let mut entities: Vec<&Entity> = model.entities.iter().collect();
    entities.sort_by_key(|entity| entity.counters.is_empty());
    for entity in entities {
        let name = entity.name.as_str();
        let known = known.iter().find(|known| known.name == name);
        let known = known.with_context(|| format!("{name} is not among the known types"))?;
        // Of what has no key of its own there is one.
        let variants = match entity.identity().is_empty() {
            true => &[Variant::MOST][..],
            false => &[Variant::LEAST, Variant::MOST],
        };
        for &variant in variants {
            let value = Value::Object(values::entity(model, entity, variant));
            if let Some(keep) = known.store {
                keep(store.clone(), value)
                    .await
                    .with_context(|| format!("{name} {variant:?}"))?;
            }
        }
    }
    let mut items = Vec::new();
    for (position, table) in model.tables.iter().enumerate() {
        let scan = store.client().scan().table_name(table.name.as_str());
        for item in scan.send().await?.items.unwrap_or_default() {
            items.push(of_kind(model, TableId(position), item)?);
        }
    }
    Ok(items)
}

pub(crate) fn of_kind(
    model: &Model,
    id: TableId,
    item: HashMap<String, AttributeValue>,
) -> anyhow::Result<StoredItem<'_>> {
    let table = model.table(id);
    let said = table
        .type_attribute
        .as_ref()
        .and_then(|name| item.get(name.as_str()));
    let said = said.and_then(|said| said.as_s().ok());
    let mut entities = model.entities_of(id).map(|(_, entity)| entity);
    let is_guard = item.contains_key("guards");
    let entity = match said {
        Some(said) => {
            let owner = said
                .split_once('.')
                .map_or(said.as_str(), |(owner, _)| owner);
            entities.find(|entity| entity.type_value.value == owner)
        }
        None => entities.next(),
    };
    let entity = entity.with_context(|| format!("an item of {} is of no entity", table.name))?;
    let plain = entity.name.as_str();
    let plain = match (&entity.versioned, plain.strip_suffix("Data")) {
        (Some(_), Some(plain)) => plain,
        _ => plain,
    };
    let kind = match (is_guard, said.and_then(|said| said.split_once('.'))) {
        (false, _) => format!("{plain}Item"),
        (true, Some((_, unique))) => format!("{plain}{}Guard", pascal(unique)),
        (true, None) => format!("{plain}{}Guard", pascal(entity.unique[0].name.as_str())),
    };
    Ok(StoredItem {
        kind,
        table,
        entity: (!is_guard).then_some(entity),
        item,
    })
}

fn pascal(name: &str) -> String {
    let words = name.split(['_', '-']);
    words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}
