//! Items that services stored when they were asked over HTTP, read from their tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use aws_sdk_dynamodb::Client;
use tablewright_local::{Endpoint, connect};
use tablewright_model::Model;
use tablewright_model::model::TableId;

use crate::known::MODELS;
use crate::literal::{MODULE, constant, of_item};
use crate::refused::of_served;
use crate::stored::{StoredItem, of_kind};

/// The models whose services are asked.
const SERVICES: usize = 3;

/// Writes `<model>.served.ts`: every item is accepted, and refused with a field dropped, added or of another type. No entity is without items.
pub(crate) async fn write(folder: &Path, data: &Path) -> anyhow::Result<()> {
    for (name, source, _) in &MODELS[..SERVICES] {
        let model = crate::model(source)?;
        let connection = connect(&Endpoint::Embedded(data.join(name))).await?;
        let items = items(&model, &connection.dynamodb)
            .await
            .with_context(|| (*name).to_owned())?;
        has_all(&model, &items)?;
        let (accepted, refused) = (accepted(&items), refused(&items));
        println!(
            "   {name}: {} items of its tables accepted, {} refused",
            items.len(),
            refused.matches("const ").count()
        );
        let import = format!("import type * as {MODULE} from \"./{name}.js\";\n\n");
        let text = format!("{import}{accepted}{refused}");
        fs::write(folder.join(format!("{name}.served.ts")), text)?;
    }
    Ok(())
}

/// What is never stored is not held to anything.
fn has_all(model: &Model, items: &[StoredItem<'_>]) -> anyhow::Result<()> {
    let seen: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item.entity)
        .map(|entity| entity.name.as_str())
        .collect();
    let all = model.entities.iter().map(|entity| entity.name.as_str());
    let missing: Vec<&str> = all.filter(|name| !seen.contains(name)).collect();
    ensure!(
        missing.is_empty(),
        "no request of xtask/typescript/requests.mjs stores {} of {}",
        missing.join(", "),
        model.name
    );
    Ok(())
}

async fn items<'m>(model: &'m Model, client: &Client) -> anyhow::Result<Vec<StoredItem<'m>>> {
    let mut items = Vec::new();
    for (position, table) in model.tables.iter().enumerate() {
        let scan = client.scan().table_name(table.name.as_str());
        let mut found = scan.into_paginator().items().send();
        while let Some(item) = found.next().await {
            items.push(of_kind(model, TableId(position), item?)?);
        }
    }
    Ok(items)
}

fn accepted(items: &[StoredItem<'_>]) -> String {
    let mut count = 0;
    let constants = items
        .iter()
        .map(|item| constant(&mut count, &item.kind, &of_item(&item.item)));
    constants.collect()
}

/// Of items that have the same attributes one is spoilt.
fn refused(items: &[StoredItem<'_>]) -> String {
    let mut seen = BTreeSet::new();
    let (mut text, mut count) = (String::new(), items.len());
    for stored in items {
        let mut attributes: Vec<&String> = stored.item.keys().collect();
        attributes.sort();
        if !seen.insert((&stored.kind, attributes)) {
            continue;
        }
        for (why, literal) in of_served(stored) {
            text.push_str(&format!("// {why}\n// @ts-expect-error\n"));
            text.push_str(&constant(&mut count, &stored.kind, &literal));
        }
    }
    text
}
