//! Shapes that change: columns that come, and items of older versions.

use std::sync::Arc;

use serde_json::json;
use tablewright::descriptor::words::pair;
use tablewright::descriptor::written::{EntityText, SchemaText};
use tablewright::descriptor::{KeyAttribute, Schema, StreamView, Table};
use tablewright::{Items, Store, tables};
use tablewright_lake::{Lake, LakeModel, Place, Reader};
use tablewright_local::Engine;
use tablewright_stream::image_of_json;

use crate::support::{quick, silver};

/// A model of notes with these fields.
fn notes(fields: &[(&str, &str)]) -> &'static Schema {
    let table = Table::new("notes", KeyAttribute::string("PK"))
        .sort_key(KeyAttribute::string("SK"))
        .type_attribute("Type")
        .stream(StreamView::NewAndOldImages);
    let entity = EntityText::new("Note", "notes", pair("NOTE#{id}", "METADATA"));
    let text = SchemaText::new("notes")
        .table(table)
        .entity(entity.fields(fields));
    Box::leak(Box::new(Schema::resolve(text).unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_field_is_there_for_old_items_as_well() {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let old = notes(&[("id", "id"), ("text", "string")]);
    tables::bring_up_to_date(&store, old).await.unwrap();
    let items = Items::new(&store, old.entity("Note"));
    let note = json!({ "id": "1", "text": "first" });
    let note = items.fields(note.as_object().unwrap()).unwrap();
    items.create(note, None).await.unwrap();
    let lake = Lake::open(&place, LakeModel::new(old), quick())
        .await
        .unwrap();
    lake.update(&store).await.unwrap();
    drop(lake);

    let new = notes(&[
        ("id", "id"),
        ("text", "string"),
        ("stars", "int = 3"),
        ("tags", "set(string)?"),
    ]);
    let lake = Lake::open(&place, LakeModel::new(new), quick())
        .await
        .unwrap();
    lake.update(&store).await.unwrap();
    let rows = silver(&Reader::open(&place, "notes").unwrap(), "Note").await;
    let row = rows.values().next().unwrap();
    assert_eq!(
        (row["text"].as_str(), row["stars"].as_str()),
        ("first", "3")
    );
    assert_eq!(row["tags"], "null");
    drop(lake);

    // Another default is another value in all items that have none.
    let newer = notes(&[
        ("id", "id"),
        ("text", "string"),
        ("stars", "int = 5"),
        ("tags", "set(string)?"),
    ]);
    let lake = Lake::open(&place, LakeModel::new(newer), quick())
        .await
        .unwrap();
    lake.update(&store).await.unwrap();
    let rows = silver(&Reader::open(&place, "notes").unwrap(), "Note").await;
    assert_eq!(rows.values().next().unwrap()["stars"], "5");
}

// An item of an older version is read as a service reads it.
#[tokio::test(flavor = "multi_thread")]
async fn items_of_older_versions_are_brought_into_the_present_shape() {
    use accounts::model::{AccountData, SCHEMA};

    let mut schema = SCHEMA.clone();
    for table in &mut schema.tables {
        Arc::make_mut(table).stream = Some(StreamView::NewAndOldImages);
    }
    let schema: &'static Schema = Box::leak(Box::new(schema));
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    tables::bring_up_to_date(&store, schema).await.unwrap();
    let stored = include_str!("../../../accounts/tests/items/account_data.v1.json");
    let item = image_of_json(&serde_json::from_str(stored).unwrap()).unwrap();
    let AccountTable { table, entity } = AccountTable::of::<AccountData>();
    let put = store.client().put_item().table_name(table);
    put.set_item(Some(item)).send().await.unwrap();

    let folder = tempfile::TempDir::new().unwrap();
    let place = Place::folder(folder.path()).unwrap();
    let without = LakeModel::new(schema);
    let with = without.clone().with::<AccountData>();
    for (model, readable) in [(without, false), (with, true)] {
        let lake = Lake::open(&place, model, quick()).await.unwrap();
        // What was made without the migrations is made anew by whoever has them.
        lake.update(&store).await.unwrap();
        let rows = silver(&Reader::open(&place, "accounts").unwrap(), entity).await;
        let row = rows.values().next().unwrap();
        assert_eq!(row["_unreadable"] == "null", readable, "{row:?}");
        let name = if readable { "Ada Lovelace" } else { "null" };
        assert_eq!(row["name"], name, "{row:?}");
    }
}

struct AccountTable {
    table: &'static str,
    entity: &'static str,
}

impl AccountTable {
    fn of<T: tablewright::Entity>() -> Self {
        let entity = T::descriptor();
        AccountTable {
            table: &entity.table.name,
            entity: &entity.name,
        }
    }
}
