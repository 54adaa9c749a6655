//! What must hold when everything has come to rest.

pub(crate) mod ask;
mod gold;
pub(crate) mod lake;
pub(crate) mod tasks;
pub(crate) mod todo;

use std::collections::BTreeSet;
use std::fmt::Debug;

use tablewright::{Entity, Item, misplaced_keys};
use tablewright_local::Engine;

/// All items of a table.
async fn items(engine: &Engine, table: &str) -> anyhow::Result<Vec<Item>> {
    let scan = engine.dynamodb().scan().table_name(table);
    let mut pages = scan.consistent_read(true).into_paginator().items().send();
    let mut items = Vec::new();
    while let Some(item) = pages.next().await {
        items.push(item?);
    }
    Ok(items)
}

/// All items of an entity.
async fn stored<T: Entity>(engine: &Engine) -> Vec<T::Stored> {
    tablewright_testing::stored::<T>(&engine.dynamodb()).await
}

/// Keys, of the table and of its indexes, that are not what the fields say.
async fn misplaced<T: Entity>(engine: &Engine) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    for item in items(engine, &T::descriptor().table.name).await? {
        for name in misplaced_keys::<T>(&item)? {
            faults.push(format!("{name} of {item:?} is not what its fields say"));
        }
    }
    Ok(faults)
}

/// What is missing and what is too much.
fn same<T: Ord + Debug>(expected: &BTreeSet<T>, found: &BTreeSet<T>) -> Vec<String> {
    let missing = expected.difference(found);
    let missing = missing.map(|one| format!("{one:?} is missing"));
    let foreign = found.difference(expected);
    let foreign = foreign.map(|one| format!("{one:?} should not be there"));
    missing.chain(foreign).collect()
}

/// What is there more than once.
fn twice<T: Ord + Debug + Clone>(all: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut twice = Vec::new();
    for one in all {
        if !seen.insert(one.clone()) {
            twice.push(format!("{one:?} is there twice"));
        }
    }
    twice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let (a, b) = (BTreeSet::from([1, 2]), BTreeSet::from([2, 3]));
        assert_eq!(same(&a, &a), Vec::<String>::new());
        assert_eq!(same(&a, &b), ["1 is missing", "3 should not be there"]);
        assert_eq!(twice([1, 2, 1]), ["1 is there twice"]);
    }
}
