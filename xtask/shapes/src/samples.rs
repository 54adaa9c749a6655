//! The samples in the data models of NoSQL Workbench: stored by repositories, the tables hold exactly these items.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, ensure};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tablewright::{Store, tables};
use tablewright_local::Engine;
use tablewright_model::Model;

use crate::known::{Item, Known};
use crate::literal::of_item;

/// Keys, guards and counts of the samples are those the run time writes; only the lock token is of another moment.
pub(crate) async fn are_what_is_stored(
    name: &str,
    model: &Model,
    known: &[Known],
) -> anyhow::Result<()> {
    let text = tablewright_emit::workbench::model(model, name)?;
    let workbench: Value = serde_json::from_str(&text)?;
    let engine = Engine::temporary()?;
    let store = Store::new(engine.dynamodb());
    let schema = known.first().context("the model has no entity")?.tables;
    tables::bring_up_to_date(&store, schema()).await?;
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut samples = Vec::new();
    for table in list(&workbench["DataModel"]) {
        let table_name = table["TableName"].as_str().unwrap_or_default();
        for facet in list(&table["TableFacets"]) {
            let facet_name = facet["FacetName"].as_str().unwrap_or_default();
            for sample in list(&facet["TableData"]) {
                let item = item(sample)?;
                shown
                    .entry(table_name.to_owned())
                    .or_default()
                    .push(comparable(&item));
                samples.push((facet_name.to_owned(), item));
            }
        }
    }
    // What counts comes before what is counted; guards come by themselves.
    let counts = |name: &str| {
        let entity = model
            .entities
            .iter()
            .find(|entity| entity.name.value == name);
        entity.is_some_and(|entity| !entity.counters.is_empty())
    };
    samples.sort_by_key(|(name, _)| !counts(name));
    for (name, item) in samples {
        let known = known.iter().find(|known| known.name == name);
        if let Some(again) = known.and_then(|known| known.again) {
            again(store.clone(), item)
                .await
                .with_context(|| name.clone())?;
        }
    }
    for (table, mut shown) in shown {
        let scan = store.client().scan().table_name(&table).send().await?;
        let items = scan.items.unwrap_or_default();
        let mut stored: Vec<String> = items.iter().map(comparable).collect();
        stored.sort();
        shown.sort();
        for (stored, shown) in stored.iter().zip(&shown) {
            ensure!(
                stored == shown,
                "{table} holds\n{stored}\nwhere the sample is\n{shown}"
            );
        }
        ensure!(
            stored.len() == shown.len(),
            "{table} holds {} items, not {}",
            stored.len(),
            shown.len()
        );
    }
    Ok(())
}

fn comparable(item: &Item) -> String {
    let mut item = item.clone();
    // What the store writes by its own clock is another each time.
    for by_the_clock in ["last_write", "counting_since"] {
        item.remove(by_the_clock);
    }
    of_item(&item)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn item(value: &Value) -> anyhow::Result<Item> {
    let attributes = value.as_object().context("an item is expected")?.iter();
    attributes
        .map(|(name, value)| Ok((name.clone(), attribute(value)?)))
        .collect()
}

fn attribute(value: &Value) -> anyhow::Result<AttributeValue> {
    let (letter, value) = value
        .as_object()
        .and_then(|members| members.iter().next())
        .context("a value is expected")?;
    let text = || value.as_str().unwrap_or_default().to_owned();
    let texts = || {
        list(value)
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    Ok(match letter.as_str() {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap_or_default()),
        "B" => AttributeValue::B(Blob::new(STANDARD.decode(text())?)),
        "SS" => AttributeValue::Ss(texts()),
        "NS" => AttributeValue::Ns(texts()),
        "L" => AttributeValue::L(
            list(value)
                .iter()
                .map(attribute)
                .collect::<anyhow::Result<_>>()?,
        ),
        _ => AttributeValue::M(item(value)?.into_iter().collect::<HashMap<_, _>>()),
    })
}
