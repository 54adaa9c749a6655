//! Items whose time has passed go by themselves, and the stream says who removed them.

use std::time::Duration;

use aws_sdk_dynamodbstreams::types::OperationType;
use tablewright_local::Engine;

use crate::streams;
use crate::tables::{self, number, text};

/// What the record of a removal would be recognised by, if it were looked for in the text.
const DECEIT: &str = r#""userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}"#;

async fn with_an_expired_item(engine: &Engine) {
    let dynamodb = engine.dynamodb();
    tables::create(&dynamodb, "things").await;
    tables::expire(&dynamodb, "things").await;
    for (id, ttl) in [("past", 1_000_000_000), ("future", 9_000_000_000)] {
        let put = dynamodb
            .put_item()
            .table_name("things")
            .item("id", text(id));
        put.item("colour", text(DECEIT))
            .item("ttl", number(ttl))
            .send()
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_sweep_removes_what_has_expired_and_says_so_in_the_stream() {
    let engine = Engine::temporary().unwrap();
    with_an_expired_item(&engine).await;
    assert_eq!(engine.sweep_ttl().unwrap(), 1);
    assert_eq!(engine.sweep_ttl().unwrap(), 0);

    let dynamodb = engine.dynamodb();
    assert_eq!(tables::ids(&dynamodb, "things", None).await, ["future"]);
    assert_eq!(
        tables::ids(&dynamodb, "things", Some(tables::INDEX)).await,
        ["future"]
    );
    let shown = streams::records(&engine, &streams::arn(&dynamodb, "things").await).await;
    let removal = shown.last().unwrap();
    assert_eq!(removal.event_name(), Some(&OperationType::Remove));
    let identity = removal.user_identity().unwrap();
    assert_eq!(identity.r#type(), Some("Service"));
    assert_eq!(identity.principal_id(), Some("dynamodb.amazonaws.com"));
    let old = removal.dynamodb().unwrap().old_image().unwrap();
    assert_eq!(old["colour"].as_s().unwrap(), DECEIT);
    assert!(shown[0].user_identity().is_none());
}

#[tokio::test]
async fn upkeep_sweeps_by_itself_and_ends_with_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    with_an_expired_item(&engine).await;
    engine.start_upkeep();
    engine.start_upkeep_every(Duration::from_millis(5));
    while tables::ids(&engine.dynamodb(), "things", None).await != ["future"] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(engine);
    // A round that is under way may hold the directory a little longer.
    while Engine::open(folder.path()).is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
