//! A process that is killed loses nothing that it had been told is written.

use std::collections::BTreeSet;

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
