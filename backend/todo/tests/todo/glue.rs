//! The tables of the lake as AWS Glue knows them: what is generated is checked in, and its columns are those of the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tablewright_lake::{Lake, LakeOptions, Place, Reader, RecordBatch};
use todo::lake_model;

use crate::support::{Api, Asks as _};

fn checked_in() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../infrastructure/models/todo.lake.template.json")
}

/// `TABLEWRIGHT_BLESS=1` writes it.
#[tokio::test]
async fn the_template_is_what_the_lake_says() {
    let template = lake_model().glue_template().await.unwrap();
    let text = format!("{}\n", serde_json::to_string_pretty(&template).unwrap());
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        fs::write(checked_in(), &text).unwrap();
    }
    assert_eq!(fs::read_to_string(checked_in()).unwrap(), text);
}

/// The columns of each table of the template.
fn tables() -> BTreeMap<String, Vec<(String, String)>> {
    let text = fs::read_to_string(checked_in()).unwrap();
    let template: Value = serde_json::from_str(&text).unwrap();
    let resources = template["Resources"].as_object().unwrap().values();
    let tables = resources.filter(|one| one["Type"] == "AWS::Glue::Table");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    tables
        .map(|table| {
            let table = &table["Properties"]["TableInput"];
            let columns = table["StorageDescriptor"]["Columns"].as_array().unwrap();
            let columns = columns
                .iter()
                .map(|one| (text(&one["Name"]), text(&one["Type"])));
            (text(&table["Name"]), columns.collect())
        })
        .collect()
}

/// The columns of a file, by the names Athena has for what Parquet says.
fn columns(rows: &RecordBatch) -> Vec<(String, String)> {
    let schema = rows.schema();
    let fields = schema.fields().iter().map(|field| {
        let kind = match field.data_type().to_string().as_str() {
            "Utf8" => "string",
            "Int64" => "bigint",
            "Float64" => "double",
            "Boolean" => "boolean",
            "Date32" => "date",
            moment if moment.starts_with("Timestamp") => "timestamp",
            other => panic!("{other}"),
        };
        (field.name().clone(), kind.to_owned())
    });
    fields.collect()
}

/// S0-50: Athena finds in every file the columns it was told of.
#[tokio::test(flavor = "multi_thread")]
async fn the_columns_are_those_of_the_files() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.put("/users/me", serde_json::json!({ "name": "Ada" }))
        .await
        .expect(201);
    ada.task(serde_json::json!({ "title": "x", "status": "completed" }))
        .await;
    let folder = tempfile::tempdir().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let lake = Lake::open(&place, lake_model(), LakeOptions::default())
        .await
        .unwrap();
    let store = tablewright::Store::new(api.engine.dynamodb());
    lake.update(&store).await.unwrap();
    lake.refine(store.now_millis()).await.unwrap();
    let reader = Reader::open(&place, "todo").unwrap();
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (entity, table) in [
        ("User", "silver_user"),
        ("Task", "silver_task"),
        ("TaskCounts", "silver_task_counts"),
    ] {
        let see = |rows: &RecordBatch| _ = found.insert(table.to_owned(), columns(rows));
        reader.silver(entity, see).await.unwrap();
    }
    for gold in ["tasks_per_day", "completion"] {
        let see = |rows: &RecordBatch| _ = found.insert(format!("gold_{gold}"), columns(rows));
        reader.gold_rows(gold, see).await.unwrap();
    }
    let tables = tables();
    assert_eq!(found.len(), 5);
    for (name, columns) in found {
        assert_eq!(tables[&name], columns, "{name}");
    }
    for name in [
        "bronze",
        "silver_idempotency",
        "gold_overdue",
        "gold_active_users",
    ] {
        assert!(!tables[name].is_empty(), "{name}");
    }
    assert!(
        !tables["silver_idempotency"]
            .iter()
            .any(|(name, _)| name == "response_data")
    );
}
