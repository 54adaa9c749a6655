//! What never enters: it is looked for in the bytes of every file.

use std::sync::Arc;

use arrow_array::RecordBatch;
use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText};
use tablewright::descriptor::{KeyAttribute, Schema, StreamView, Table};
use tablewright_lake::{Lake, LakeModel, Place};
use tablewright_stream::{Record, Shard};

use crate::bronze::answered;
use crate::support::{World, files_in, quick, texts};

fn found(file: &std::path::Path, secret: &str) -> bool {
    let bytes = std::fs::read(file).unwrap();
    bytes
        .windows(secret.len())
        .any(|window| window == secret.as_bytes())
}

// Texts of a few bytes are not compressed away: what is written of an item can be found.
#[tokio::test(flavor = "multi_thread")]
async fn answers_to_requests_stay_in_the_table() {
    let world = World::new().await;
    let record = answered("the-body-nobody-may-see");
    world
        .todo
        .idempotencies
        .items()
        .insert(record)
        .await
        .unwrap();
    // Newer code stores what this one has no name for: a text no part of which is elsewhere, or compression would hide it.
    let client = world.store.client();
    let stored = client.scan().table_name("todo-app-data").send().await;
    let stored = stored.unwrap().items.unwrap().remove(0);
    let key = ["PK", "SK"].map(|name| (name.to_owned(), stored[name].clone()));
    let update = client.update_item().table_name("todo-app-data");
    let update = update.set_key(Some(key.into()));
    let unknown = AttributeValue::S(String::from("zq8Kx2vW9pLmT4"));
    let update = update.update_expression("SET response_headers = :unknown");
    let update = update.expression_attribute_values(":unknown", unknown);
    update.send().await.unwrap();
    world.write("ada", "a-title-that-everybody-may-see").await;
    world.catch_up().await;
    world.lake().await.rebuild(&world.store).await.unwrap();
    world.lake().await.compact(None).await.unwrap();
    let files = world.files();
    assert!(
        files
            .iter()
            .any(|file| found(file, "a-title-that-everybody-may-see"))
    );
    for file in &files {
        for secret in ["the-body-nobody-may-see", "zq8Kx2vW9pLmT4"] {
            assert!(!found(file, secret), "{secret} in {}", file.display());
        }
        assert!(!found(file, &"f".repeat(64)), "{}", file.display());
    }
    let silver = world.silver("Idempotency").await;
    let row = silver.values().next().unwrap();
    assert_eq!(row["http_status_code"], "201");
    assert!(!row.contains_key("response_data"));
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_marked_as_secret_stay_in_the_table_in_every_layout() {
    let table = Table::new("devices", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .type_attribute("Type")
        .stream(StreamView::NewAndOldImages);
    let entity = |name: &str| {
        EntityText::new(name, "devices", pair(&format!("{name}#{{id}}"), "METADATA"))
            .fields(&[("id", "id"), ("token", "string"), ("model", "string")])
            .secret("token")
    };
    let text = SchemaText::new("devices")
        .table(table)
        .entity(entity("Flat"))
        .entity(entity("Wrapped").versioned_and_wrapped(1))
        .entity(
            EntityText::new("Open", "devices", pair("Open#{id}", "METADATA"))
                .fields(&[("id", "id"), ("model", "string")]),
        );
    let schema: &'static Schema = Box::leak(Box::new(Schema::resolve(text).unwrap()));
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let lake = Lake::open(&place, LakeModel::new(schema), quick())
        .await
        .unwrap();
    let shard = Shard {
        stream: String::from("arn/stream/2026-11-15T00:00:00.000"),
        shard: String::from("shardId-1"),
    };
    let changed = |number: u32, [was, is]: [&str; 2], fields: serde_json::Value| {
        let key =
            serde_json::json!({ "PK": { "S": format!("{was}#1") }, "SK": { "S": "METADATA" } });
        let image = |kind: &str| {
            let mut image = fields.clone();
            image["PK"] = key["PK"].clone();
            image["SK"] = key["SK"].clone();
            image["Type"] = serde_json::json!({ "S": kind });
            if kind == "Open" {
                image.as_object_mut().unwrap().remove("token");
            }
            image
        };
        let change = serde_json::json!({
            "eventID": format!("e{number}"),
            "dynamodb": { "Keys": key, "SequenceNumber": number.to_string(), "OldImage": image(was), "NewImage": image(is) },
        });
        Arc::new(Record::of_lambda("devices", &change).unwrap())
    };
    let record = |number, kind, fields| changed(number, [kind, kind], fields);
    // As the field was called in an older version.
    let fields = serde_json::json!({ "id": { "S": "1" }, "token": { "S": "the-token-nobody-may-see" }, "key": { "S": "the-token-nobody-may-see" }, "model": { "S": "a-known-model" } });
    let open =
        serde_json::json!({ "id": { "S": "1" }, "token": { "S": "the-token-nobody-may-see" } });
    let records = [
        record(1, "Flat", fields.clone()),
        record(2, "Wrapped", serde_json::json!({ "data": { "M": fields } })),
        record(3, "Unknown", fields),
        changed(4, ["Flat", "Open"], open),
    ];
    lake.append(&shard, &records).await.unwrap();
    let files = files_in(folder.path());
    assert!(files.iter().any(|file| found(file, "a-known-model")));
    for file in &files {
        assert!(
            !found(file, "the-token-nobody-may-see"),
            "{}",
            file.display()
        );
    }
    // An item of no entity has no images at all.
    let mut images = Vec::new();
    let see = |rows: &RecordBatch| images.extend(texts(rows, "after"));
    let reader = tablewright_lake::Reader::open(&place, "devices").unwrap();
    reader.bronze("other", see).await.unwrap();
    assert_eq!(images, ["null"]);
}
