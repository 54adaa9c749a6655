//! How evenly the items of an index lie on its partitions. What is written to one partition cannot be more than DynamoDB lets one take.

use std::collections::BTreeMap;

use ask::model::{Question, UserStats};
use tablewright::descriptor::Entity as Described;
use tablewright::{Entity as _, Store};

pub(super) async fn tell(store: &Store) -> anyhow::Result<()> {
    println!("  the busiest partition of each index, by its share of the items");
    for entity in [Question::descriptor(), UserStats::descriptor()] {
        let counts = counted(store, entity).await?;
        for (index, partitions) in counts {
            let all: u64 = partitions.values().sum();
            let most = partitions.values().max().copied().unwrap_or_default();
            let part = 100.0 * most as f64 / all.max(1) as f64;
            let even = 100.0 / partitions.len().max(1) as f64;
            let count = partitions.len();
            println!(
                "    {index:<16} {part:>5.1} % of {all} items, on {count} partitions (evenly: {even:.1} %)"
            );
        }
    }
    Ok(())
}

/// How many items each partition of each index has.
async fn counted(
    store: &Store,
    entity: &Described,
) -> anyhow::Result<BTreeMap<String, BTreeMap<String, u64>>> {
    let mut counts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let table = &entity.table;
    let pages = store.client().scan().table_name(&table.name);
    let mut pages = pages.into_paginator().send();
    while let Some(page) = pages.next().await {
        for item in page?.items() {
            for index in &table.indexes {
                let partition = item.get(&index.partition_key.name);
                let Some(Ok(partition)) = partition.map(|value| value.as_s()) else {
                    continue;
                };
                let of = counts.entry(index.name.clone()).or_default();
                *of.entry(partition.clone()).or_default() += 1;
            }
        }
    }
    Ok(counts)
}
