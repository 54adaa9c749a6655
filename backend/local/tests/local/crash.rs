//! A process that is killed loses nothing that it had been told is written.

use std::collections::BTreeSet;
use std::time::Instant;

use tablewright_local::Engine;

use crate::process::Writer;
use crate::tables::{self, INDEX};

#[tokio::test]
async fn every_acknowledged_write_outlives_a_kill_with_its_index_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeSet::new();
    // A killed process leaves its lock file and an open log; the next ones begin with them.
    for round in ["first", "second", "third"] {
        let mut writer = Writer::start(folder.path(), round);
        acknowledged.extend((0..200).map_while(|_| writer.next()));
        acknowledged.extend(writer.kill());
    }
    assert!(acknowledged.len() >= 600, "{}", acknowledged.len());

    let dynamodb = Engine::open(folder.path()).unwrap().dynamodb();
    let stored = tables::ids(&dynamodb, "things", None).await;
    let indexed = tables::ids(&dynamodb, "things", Some(INDEX)).await;
    assert_eq!(stored, indexed);
    let stored: BTreeSet<String> = stored.into_iter().collect();
    let lost: Vec<&String> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

const ROUNDS: u32 = 16;

/// The engine makes a table in several steps, and a process may be killed between any two of them.
#[tokio::test]
async fn a_table_outlives_a_kill_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..ROUNDS {
        let mut maker = Writer::start_making_tables(folder.path(), &format!("round-{round}"));
        let mut made: Vec<String> = maker.next().into_iter().collect();
        let begun = Instant::now();
        made.extend(maker.next());
        // Each time a little later in the making of the next one.
        tokio::time::sleep(begun.elapsed() * round / ROUNDS).await;
        made.extend(maker.kill());
        let dynamodb = Engine::open(folder.path()).unwrap().dynamodb();
        let prefix = format!("round-{round}-");
        let mut listed = dynamodb
            .list_tables()
            .into_paginator()
            .items()
            .send()
            .collect::<Result<Vec<String>, _>>()
            .await
            .unwrap();
        listed.retain(|name| name.starts_with(&prefix));
        assert!(
            made.iter().all(|name| listed.contains(name)),
            "{made:?} {listed:?}"
        );
        // The one at which it was killed may be among them, if it is whole.
        for table in &listed {
            tables::put(&dynamodb, table, "one").await;
            assert_eq!(tables::ids(&dynamodb, table, Some(INDEX)).await, ["one"]);
            let described = dynamodb.describe_table().table_name(table).send().await;
            let described = described.unwrap().table.unwrap();
            assert!(described.latest_stream_arn().is_some(), "{table}");
        }
    }
}
