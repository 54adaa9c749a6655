//! The key diagram of a table: its partitions, and those of its indexes.

use std::collections::BTreeMap;

use tablewright_model::model::{Entity, Key, Table, TableId};

use super::grouped;
use super::mermaid::quoted;
use crate::design::Design;

/// The diagram of a table, in as many parts as it takes.
pub(super) fn diagrams(design: &Design<'_>, id: TableId) -> Vec<String> {
    let table = design.model.table(id);
    let entities = design.model.entities_of(id);
    let pieces = entities.map(|(_, entity)| {
        // A node and an arrow for each key, in the table and in every index.
        let length = 200 * (1 + entity.index_keys.len() + entity.unique.len());
        (length, entity)
    });
    grouped(pieces.collect())
        .into_iter()
        .map(|group| diagram(table, &group))
        .collect()
}

/// Partitions of one place: their template, and the items in them.
type Partitions = Vec<(String, Vec<String>)>;

fn diagram(table: &Table, entities: &[&Entity]) -> String {
    let mut of_table: Partitions = Vec::new();
    let mut of_index: BTreeMap<usize, Partitions> = BTreeMap::new();
    let mut arrows: Vec<(String, String, String)> = Vec::new();
    for entity in entities {
        let name = entity.name.as_str();
        let at = add(&mut of_table, &entity.key, name);
        for unique in &entity.unique {
            if let Some(guard) = &unique.guard {
                add(
                    &mut of_table,
                    guard,
                    &format!("{name}, guard of {}", unique.name),
                );
            }
        }
        for key in &entity.index_keys {
            let partitions = of_index.entry(key.index.0).or_default();
            let there = add(partitions, &key.key, name);
            let label = match &key.when {
                Some(when) => format!("{name} while {}", when.written),
                None => name.to_owned(),
            };
            arrows.push((format!("t{at}"), format!("i{}_{there}", key.index.0), label));
        }
    }
    let mut text = String::from("flowchart LR\n");
    text.push_str(&subgraph("t", &format!("table {}", table.name), &of_table));
    for (index, partitions) in &of_index {
        let name = table.indexes[*index].name.as_str();
        text.push_str(&subgraph(&format!("i{index}_"), name, partitions));
    }
    for (from, to, label) in arrows {
        text.push_str(&format!("  {from} -- {} --> {to}\n", quoted(&label)));
    }
    text
}

/// Adds an item to the partition of its template, and says which that is.
fn add(partitions: &mut Partitions, key: &Key, name: &str) -> usize {
    let template = key.partition.to_string();
    let item = match &key.sort {
        Some(sort) => format!("{sort} ({name})"),
        None => name.to_owned(),
    };
    if let Some(at) = partitions.iter().position(|(known, _)| *known == template) {
        partitions[at].1.push(item);
        return at;
    }
    partitions.push((template, vec![item]));
    partitions.len() - 1
}

fn subgraph(id: &str, title: &str, partitions: &Partitions) -> String {
    let mut text = format!("  subgraph {id}s[{}]\n", quoted(title));
    for (at, (template, items)) in partitions.iter().enumerate() {
        let lines: Vec<String> = std::iter::once(format!("<b>{}</b>", inner(template)))
            .chain(items.iter().map(|item| inner(item)))
            .collect();
        text.push_str(&format!("    {id}{at}[\"{}\"]\n", lines.join("<br/>")));
    }
    text.push_str("  end\n");
    text
}

/// Text of a node, without its quotes.
fn inner(words: &str) -> String {
    let quoted = quoted(words);
    quoted.trim_matches('"').to_owned()
}
