//! Every type of the language as a column.

use serde_json::json;
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText, StructText};
use tablewright::descriptor::{KeyAttribute, Schema, StreamView, Table};
use tablewright::{Items, Store, tables};
use tablewright_lake::{Lake, LakeModel, Place, Reader, RecordBatch};
use tablewright_local::Engine;

use crate::support::{quick, silver};

fn everything() -> &'static Schema {
    let table = Table::new("all", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .type_attribute("Type")
        .stream(StreamView::NewAndOldImages);
    let entity = EntityText::new("All", "all", pair("ALL#{id}", "METADATA")).fields(&[
        ("id", "id"),
        ("flag", "bool"),
        ("price", "decimal"),
        ("day", "date"),
        ("at_second", "timestamp(s)"),
        ("at_milli", "timestamp"),
        ("at_micro", "timestamp(us)"),
        ("seconds", "epoch_seconds"),
        ("millis", "epoch_millis"),
        ("bytes", "binary"),
        ("list", "list(int)"),
        ("days", "list(date)"),
        ("set", "set(string)"),
        ("numbers", "set(int)"),
        ("map", "map(int)"),
        ("place", "Place"),
        ("anything", "json"),
        ("missing", "list(string)?"),
    ]);
    let mut text = SchemaText::new("all").table(table).entity(entity);
    text.structs.push(StructText {
        name: String::from("Place"),
        fields: [("city", "string"), ("stops", "list(string)?")]
            .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
            .to_vec(),
    });
    Box::leak(Box::new(Schema::resolve(text).unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_has_its_column() {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    let schema = everything();
    tables::bring_up_to_date(&store, schema).await.unwrap();
    let items = Items::new(&store, schema.entity("All"));
    let data = json!({
        "id": "1", "flag": true, "price": "12345678901234567890.123456789", "day": "2026-11-15",
        "at_second": "2026-11-15T01:02:03Z", "at_milli": "2026-11-15T01:02:03.004Z",
        "at_micro": "2026-11-15T01:02:03.000004Z",
        "seconds": 1_700_000_000, "millis": 1_700_000_000_001_i64, "bytes": [0, 255],
        "list": [1, 2], "days": ["1970-01-02"], "set": ["b", "a"], "numbers": [10, 9],
        "map": { "b": 2, "a": 1 }, "place": { "city": "Bern" }, "anything": { "x": [1, "y"] },
    });
    let fields = items.fields(data.as_object().unwrap()).unwrap();
    items.create(fields, None).await.unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let lake = Lake::open(&place, LakeModel::new(schema), quick())
        .await
        .unwrap();
    lake.update(&store).await.unwrap();
    let reader = Reader::open(&place, "all").unwrap();

    let rows = silver(&reader, "All").await;
    let row = rows.values().next().unwrap();
    assert_eq!(row["_unreadable"], "null");
    assert_eq!(row["price"], "12345678901234567890.123456789");
    assert_eq!(row["anything"], r#"{"x":[1,"y"]}"#);
    let mut columns = Vec::new();
    let see = |rows: &RecordBatch| {
        let schema = rows.schema();
        let fields = schema.fields().iter();
        columns = fields
            .map(|field| format!("{} {}", field.name(), field.data_type()))
            .collect();
    };
    reader.silver("All", see).await.unwrap();
    let expected = [
        "id Utf8",
        "flag Boolean",
        "price Utf8",
        "day Date32",
        "at_second Timestamp(ms, \"UTC\")",
        "at_milli Timestamp(ms, \"UTC\")",
        "at_micro Timestamp(µs, \"UTC\")",
        "seconds Timestamp(ms, \"UTC\")",
        "millis Timestamp(ms, \"UTC\")",
        "bytes Binary",
        "list List(Int64, field: 'element')",
        "days List(Date32, field: 'element')",
        "set List(Utf8, field: 'element')",
        "numbers List(Int64, field: 'element')",
        "map Map(\"key_value\": non-null Struct(\"key\": non-null Utf8, \"value\": Int64), unsorted)",
        "place Struct(\"city\": Utf8, \"stops\": List(Utf8, field: 'element'))",
        "anything Utf8",
        "missing List(Utf8, field: 'element')",
        "_key Utf8",
        "_unreadable Utf8",
    ];
    assert_eq!(columns, expected);
    let shown = |name: &str| row[name].split_whitespace().collect::<Vec<_>>().join("");
    assert_eq!(shown("day"), "2026-11-15");
    assert!(
        shown("at_micro").contains("01:02:03.000004"),
        "{}",
        shown("at_micro")
    );
    assert!(shown("numbers").contains("9,10"), "{}", shown("numbers"));
    assert!(shown("place").contains("Bern"), "{}", shown("place"));
}
