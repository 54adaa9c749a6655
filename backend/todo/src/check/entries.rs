//! The entries of indexes against the items of the table, whoever they are of: a user of whom nothing is left but entries is asked for by
//! no list.

use std::collections::BTreeMap;

use tablewright::descriptor::{Index, Projection};
use tablewright::{Entity as _, Error, Item};

use super::{Report, place, scanned};
use crate::model::Task;
use crate::state::App;

/// Every entry has its item, as it is, and every item with the keys of an index its entry.
pub(super) async fn agree(app: &App, items: &[Item], report: &mut Report) -> Result<(), Error> {
    for index in &Task::descriptor().table.indexes {
        let entries = scanned(app, Some(&index.name)).await?;
        let mut missing: BTreeMap<[&str; 2], &Item> = items
            .iter()
            .filter(|item| has_keys_of(index, item))
            .map(|item| (place(item), item))
            .collect();
        let mut tell = |fault: &str, [partition, sort]: [&str; 2]| {
            let name = &index.name;
            let fault = format!("{name} {fault} {partition} {sort}");
            report.faults.push(fault);
        };
        for entry in &entries {
            match missing.remove(&place(entry)) {
                None => tell("has an entry without an item, of", place(entry)),
                Some(item) if !is_of(index, entry, item) => {
                    tell("has another state of", place(entry));
                }
                Some(_) => {}
            }
        }
        for at in missing.into_keys() {
            tell("has no entry of", at);
        }
    }
    Ok(())
}

fn has_keys_of(index: &Index, item: &Item) -> bool {
    let mut keys = std::iter::once(&index.partition_key).chain(&index.sort_key);
    keys.all(|key| item.contains_key(&key.name))
}

/// Whether an entry says what the item says, and all of it where the index has all.
fn is_of(index: &Index, entry: &Item, item: &Item) -> bool {
    let is_whole = index.projection != Projection::All || entry.len() == item.len();
    is_whole
        && entry
            .iter()
            .all(|(name, value)| item.get(name) == Some(value))
}
