//! Data models of NoSQL Workbench: what is exported is what the program exports, what is imported is a model, and there and back again
//! nothing is lost that the format can hold.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tablewright_emit::json_schema;
use tablewright_emit::workbench::import::{ImportError, import, name_in};
use tablewright_emit::workbench::model;
use tablewright_model::model::{EntityId, IndexKind, Projection};
use tablewright_model::{Model, parse};

use crate::{folder, read, reads_as_it_did};

/// The models of this repository, and those of the golden tests.
fn models() -> Vec<(String, Model)> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let of =
        |folder: &Path, name: &str| (name.to_owned(), read(&folder.join(format!("{name}.toml"))));
    let mut models: Vec<(String, Model)> = ["todo", "tasks", "ask", "accounts"]
        .map(|name| of(&repository, name))
        .to_vec();
    models.extend(["everything", "corners"].map(|name| of(&folder(), name)));
    models
}

fn exported(of: &Model) -> Value {
    let text = model(of, "models/some.toml").unwrap();
    serde_json::from_str(&text).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    folder().join("workbench").join(name)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn an_export_has_the_form_of_the_program() {
    let schema = std::fs::read_to_string(fixture("format.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (name, model) in models() {
        let faults: Vec<String> = schema
            .iter_errors(&exported(&model))
            .map(|fault| format!("{} {fault}", fault.instance_path()))
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{name}");
    }
    // The files the import is tried with are what the program writes, too; older versions say less.
    for name in ["bakery", "parcels"] {
        let file = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
        let mut file: Value = serde_json::from_str(&file).unwrap();
        for table in file["DataModel"].as_array_mut().unwrap() {
            table
                .as_object_mut()
                .unwrap()
                .entry("TableFacets")
                .or_insert(json!([]));
        }
        assert!(schema.is_valid(&file), "{name}");
    }
}

#[test]
fn every_attribute_of_a_sample_is_declared_with_its_type() {
    for (name, model) in models() {
        let mut facets = BTreeSet::new();
        for table in list(&exported(&model)["DataModel"]) {
            let keys = table["KeyAttributes"].as_object().unwrap().values();
            let others = list(&table["NonKeyAttributes"]).iter();
            let letters: BTreeMap<&str, &str> = keys
                .clone()
                .chain(others)
                .map(|attribute| {
                    (
                        text(&attribute["AttributeName"]),
                        text(&attribute["AttributeType"]),
                    )
                })
                .collect();
            for index in list(&table["GlobalSecondaryIndexes"]) {
                for key in index["KeyAttributes"].as_object().unwrap().values() {
                    assert_eq!(
                        letters.get(text(&key["AttributeName"])),
                        Some(&text(&key["AttributeType"])),
                        "{name}"
                    );
                }
            }
            for facet in list(&table["TableFacets"]) {
                assert!(
                    facets.insert(text(&facet["FacetName"]).to_owned()),
                    "{name}: one facet of a name"
                );
                let own: BTreeSet<&str> =
                    list(&facet["NonKeyAttributes"]).iter().map(text).collect();
                assert!(
                    own.iter().all(|attribute| letters.contains_key(attribute)),
                    "{name}"
                );
                assert!(!list(&facet["TableData"]).is_empty(), "{name}: {facet}");
                let mut seen = BTreeSet::new();
                for item in list(&facet["TableData"]) {
                    for (attribute, value) in item.as_object().unwrap() {
                        let letter = value.as_object().unwrap().keys().next().unwrap();
                        assert_eq!(
                            letters.get(attribute.as_str()),
                            Some(&letter.as_str()),
                            "{name}: {attribute}"
                        );
                        let is_key = keys
                            .clone()
                            .any(|key| text(&key["AttributeName"]) == attribute);
                        assert!(
                            is_key || own.contains(attribute.as_str()),
                            "{name}: {attribute}"
                        );
                    }
                    let key: Vec<String> = keys
                        .clone()
                        .map(|key| item[text(&key["AttributeName"])].to_string())
                        .collect();
                    assert!(seen.insert(key), "{name}: two samples of one key");
                }
            }
        }
    }
}

/// A value of an item as the JSON Schema of stored items describes it.
fn plain(value: &Value) -> Value {
    let (letter, value) = value.as_object().unwrap().iter().next().unwrap();
    let number =
        |text: &Value| serde_json::from_str::<Value>(super::workbench::text(text)).unwrap();
    match letter.as_str() {
        "N" => number(value),
        "NS" => list(value).iter().map(number).collect(),
        "L" => list(value).iter().map(plain).collect(),
        "M" => value
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        _ => value.clone(),
    }
}

#[test]
fn samples_are_items_as_they_are_stored() {
    for (name, model) in models() {
        let exported = exported(&model);
        let facets: Vec<&Value> = list(&exported["DataModel"])
            .iter()
            .flat_map(|table| list(&table["TableFacets"]))
            .collect();
        for (position, entity) in model.entities.iter().enumerate() {
            let schema = json_schema::schema(&model, EntityId(position));
            let schema = jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .unwrap();
            let facet = facets
                .iter()
                .find(|facet| facet["FacetName"] == entity.name.value.as_str());
            for item in list(&facet.unwrap()["TableData"]) {
                let item: Value = item
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, value)| (name.clone(), plain(value)))
                    .collect();
                let faults: Vec<String> = schema
                    .iter_errors(&item)
                    .map(|fault| format!("{} {fault}", fault.instance_path()))
                    .collect();
                assert_eq!(faults, Vec::<String>::new(), "{name}: {item}");
            }
        }
    }
}

#[test]
fn what_a_sample_counts_is_what_the_samples_are() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let exported = exported(&read(&repository.join("todo.toml")));
    let facets = list(&exported["DataModel"][0]["TableFacets"]);
    let items = |name: &str| {
        facets
            .iter()
            .find(|facet| facet["FacetName"] == name)
            .map(|facet| list(&facet["TableData"]))
            .unwrap()
    };
    let of = |owner: &Value, keep: &dyn Fn(&Value) -> bool| {
        let tasks = items("Task")
            .iter()
            .filter(|task| task["user_id"] == *owner && keep(task));
        tasks.count().to_string()
    };
    for counts in items("TaskCounts") {
        let owner = &counts["user_id"];
        // A number is not there before something was counted.
        let number = |name: &str| counts.get(name).map_or("0", |number| text(&number["N"]));
        assert_eq!(number("total"), of(owner, &|_| true));
        assert_eq!(
            number("by_status_pending"),
            of(owner, &|task| task["status"]["S"] == "pending")
        );
    }
    // A guard for each address, and each guards somebody who is there.
    let users: BTreeSet<String> = items("User")
        .iter()
        .map(|user| user["PK"].to_string())
        .collect();
    let guarded: BTreeSet<String> = items("User.email")
        .iter()
        .map(|guard| guard["guards"]["M"]["PK"].to_string())
        .collect();
    assert_eq!(users, guarded);
    // Completed tasks leave the index of open ones.
    for task in items("Task") {
        let open = matches!(text(&task["status"]["S"]), "pending" | "in_progress")
            && task.get("due_date").is_some();
        assert_eq!(task.get("GSI5PK").is_some(), open);
    }
}

#[test]
fn an_export_imported_has_the_same_tables_keys_and_indexes() {
    for (name, before) in models() {
        let text = model(&before, "models/some.toml").unwrap();
        let imported = import(&text, before.name.as_str()).unwrap();
        let after = parse(&imported.text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let differing: Vec<&String> = imported
            .lost
            .iter()
            .filter(|line| line.starts_with("a sample of"))
            .collect();
        assert_eq!(
            differing,
            Vec::<&String>::new(),
            "{name}: every sample has the keys the new model gives it"
        );
        for (old, new) in before.tables.iter().zip(&after.tables) {
            let key =
                |key: &tablewright_model::model::KeyAttribute| (key.name.clone(), key.kind.clone());
            assert_eq!(old.name.value, new.name.value);
            assert_eq!(key(&old.partition_key), key(&new.partition_key));
            assert_eq!(
                old.sort_key.as_ref().map(key),
                new.sort_key.as_ref().map(key)
            );
            assert_eq!(old.billing, new.billing);
            let indexes = |table: &tablewright_model::model::Table| -> Vec<_> {
                let global = table
                    .indexes
                    .iter()
                    .filter(|index| index.kind == IndexKind::Global);
                global
                    .map(|index| {
                        let projection = match &index.projection {
                            Projection::Fields(fields) => {
                                fields.iter().map(|field| field.value.clone()).collect()
                            }
                            other => vec![format!("{other:?}")],
                        };
                        (
                            index.name.value.clone(),
                            key(&index.partition_key),
                            index.sort_key.as_ref().map(key),
                            projection,
                        )
                    })
                    .collect()
            };
            assert_eq!(indexes(old), indexes(new), "{name}");
        }
        assert_eq!(before.tables.len(), after.tables.len());
        fields_are_the_same(&name, &before, &after);
    }
}

/// Entities with their keys, guards and fields, as far as samples tell of them.
fn fields_are_the_same(name: &str, before: &Model, after: &Model) {
    for old in &before.entities {
        let new = after
            .entities
            .iter()
            .find(|new| new.name.value == old.name.value);
        let new = new.unwrap_or_else(|| panic!("{name}: there is no {}", old.name));
        assert_eq!(old.key.partition.to_string(), new.key.partition.to_string());
        assert_eq!(
            old.key.sort.as_ref().map(ToString::to_string),
            new.key.sort.as_ref().map(ToString::to_string)
        );
        assert_eq!(old.type_value.value, new.type_value.value);
        assert_eq!(
            old.unique.len(),
            new.unique.len(),
            "{name}: guards of {}",
            old.name
        );
        assert_eq!(
            old.versioned.as_ref().map(|known| known.layout),
            new.versioned.as_ref().map(|known| known.layout)
        );
        for field in &old.fields {
            let id = new
                .field_named(field.name.as_str())
                .unwrap_or_else(|| panic!("{name}: {}.{} is gone", old.name, field.name));
            let kind = new.field(id).kind();
            assert_eq!(
                field.kind().stored_as(),
                kind.stored_as(),
                "{name}: {}.{}",
                old.name,
                field.name
            );
            let told = matches!(
                field.kind().to_string().as_str(),
                "uuid"
                    | "ulid"
                    | "email"
                    | "date"
                    | "timestamp"
                    | "timestamp(us)"
                    | "bool"
                    | "epoch_seconds"
            );
            if told && !field.is_optional() {
                assert_eq!(field.kind(), kind, "{name}: {}.{}", old.name, field.name);
            }
        }
    }
}

#[test]
fn files_of_other_people_become_models_to_start_from() {
    for name in ["library", "bakery", "parcels", "offers", "songs"] {
        let text = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
        let imported = import(&text, name).unwrap();
        // What comes of it is read in the golden files; it is a model, and canonical.
        reads_as_it_did(&format!("workbench/{name}.toml"), &imported.text);
        assert!(parse(&imported.text).is_ok(), "{name}");
        assert_eq!(
            tablewright_model::format::format(&imported.text).as_ref(),
            Ok(&imported.text),
            "{name}"
        );
        for line in &imported.lost {
            assert!(
                imported.text.contains(&format!("# * {line}\n")),
                "{name}: {line}"
            );
        }
    }
}

fn refusal(text: &str) -> String {
    import(text, "some")
        .map(|imported| imported.text)
        .unwrap_err()
        .to_string()
}

/// A file with one table that is good, and something put in its place.
fn spoilt(at: &str, value: Value) -> String {
    let mut file = json!({
        "ModelName": "Some",
        "ModelMetadata": { "AWSService": "Amazon DynamoDB", "Version": "3.0" },
        "DataModel": [{
            "TableName": "some",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "id", "AttributeType": "S" } },
            "NonKeyAttributes": [],
            "TableFacets": [],
            "GlobalSecondaryIndexes": [],
            "TableData": [{ "id": { "S": "1" } }],
        }],
    });
    *file.pointer_mut(at).unwrap_or_else(|| panic!("{at}")) = value;
    file.to_string()
}

#[test]
fn what_is_no_data_model_is_told() {
    assert!(import(&spoilt("/ModelName", json!("Some")), "some").is_ok());
    for (text, told) in [
        (
            String::new(),
            "it is no JSON: EOF while parsing a value at line 1 column 0",
        ),
        (
            "not json".to_owned(),
            "it is no JSON: expected ident at line 1 column 2",
        ),
        (
            "[]".to_owned(),
            "it is no data model of NoSQL Workbench: it has no `DataModel`",
        ),
        (
            "7".to_owned(),
            "it is no data model of NoSQL Workbench: it has no `DataModel`",
        ),
        (
            spoilt("/DataModel", json!([])),
            "its `DataModel` has no table",
        ),
        (
            spoilt("/DataModel", json!({})),
            "DataModel: a list is expected",
        ),
        (
            spoilt("/DataModel/0", json!("table")),
            "DataModel[0]: an object is expected",
        ),
        (
            spoilt("/DataModel/0/TableName", json!(null)),
            "DataModel[0].TableName: a text is expected",
        ),
        (
            spoilt("/DataModel/0/TableName", json!("a\"b\nc")),
            "DataModel[0].TableName: `a\"b c` is no name DynamoDB takes: letters, digits, `-`, `_` and `.`",
        ),
        (
            spoilt("/DataModel/0/KeyAttributes", json!({})),
            "DataModel[0].KeyAttributes: a `PartitionKey` is expected",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeName",
                json!("a\nb"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey: `a b` cannot be the name of a key attribute",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeType",
                json!("M"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey: a key is of type S, N or B",
        ),
        (
            spoilt(
                "/DataModel/0/KeyAttributes/PartitionKey/AttributeType",
                json!("TEXT"),
            ),
            "DataModel[0].KeyAttributes.PartitionKey.AttributeType: `TEXT` is no type of DynamoDB",
        ),
        (
            spoilt("/DataModel/0/TableData", json!({})),
            "DataModel[0].TableData: a list is expected",
        ),
        (
            spoilt("/DataModel/0/TableData/0", json!({ "id": "1" })),
            "DataModel[0].TableData[0].id: a value as DynamoDB writes it is expected: { \"S\": \"text\" }",
        ),
        (
            spoilt("/ModelMetadata/Version", json!("4.0")),
            "it is of version 4.0 of the format; 1.0, 2.0 and 3.0 are known",
        ),
        (
            spoilt("/ModelMetadata/AWSService", json!("Amazon Keyspaces")),
            "it is a data model of Amazon Keyspaces, not of Amazon DynamoDB",
        ),
    ] {
        assert_eq!(refusal(&text), told);
    }
}

#[test]
fn nothing_is_too_deep_or_too_large() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        import(&deep, "some"),
        Err(ImportError::NotJson { .. })
    ));
    let large = format!("{{\"ModelName\": \"{}\"}}", "x".repeat(17 * 1024 * 1024));
    assert_eq!(refusal(&large), "it has 17 MB; a data model has at most 16");
    let mut value = json!({ "S": "x" });
    for _ in 0..50 {
        value = json!({ "M": { "deeper": value } });
    }
    let nested = spoilt(
        "/DataModel/0/TableData/0",
        json!({ "id": { "S": "1" }, "nested": value }),
    );
    assert!(import(&nested, "some").is_ok());
    // More samples than anybody looks at, and an item that is none.
    let many: Vec<Value> = (0..50_000)
        .map(|n| json!({ "id": { "S": n.to_string() }, "kind": { "S": format!("k{}", n % 7) } }))
        .collect();
    assert!(import(&spoilt("/DataModel/0/TableData", json!(many)), "some").is_ok());
    let wide: serde_json::Map<String, Value> = (0..1001)
        .map(|n| (format!("a{n}"), json!({ "S": "x" })))
        .collect();
    assert_eq!(
        refusal(&spoilt("/DataModel/0/TableData/0", json!(wide))),
        "DataModel[0].TableData[0]: it has 1001 attributes; at most 1000 are read"
    );
    let tables: Vec<Value> = (0..1001).map(|_| json!({})).collect();
    assert_eq!(
        refusal(&spoilt("/DataModel", json!(tables))),
        "DataModel: it has 1001 entries; at most 1000 are read"
    );
}

#[test]
fn names_nobody_would_write_do_no_harm() {
    let text = json!({
        "ModelName": "\"; drop [table]\n#",
        "ModelMetadata": { "Description": "a \"quoted\"\u{7f}\u{0} text\nwith lines" },
        "DataModel": [{
            "TableName": "some.table",
            "KeyAttributes": { "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" }, "SortKey": { "AttributeName": "a.b", "AttributeType": "S" } },
            "NonKeyAttributes": [{ "AttributeName": "x\n\"y", "AttributeType": "S" }, { "AttributeName": "ünicode", "AttributeType": "S" }],
            "TableFacets": [
                { "FacetName": "\"\n", "NonKeyAttributes": ["x\n\"y"], "TableData": [{ "PK": { "S": "{$}#\"\n" }, "a.b": { "S": "{x}" }, "x\n\"y": { "S": "1" } }] },
                { "FacetName": "123", "NonKeyAttributes": ["ünicode"], "TableData": [{ "PK": { "S": "" }, "a.b": { "S": "###" } }, { "PK": { "S": "A#" }, "a.b": { "S": "#" } }] },
                { "FacetName": "123", "NonKeyAttributes": [] },
            ],
            "GlobalSecondaryIndexes": [{ "IndexName": "i.1", "KeyAttributes": { "PartitionKey": { "AttributeName": "a.b", "AttributeType": "S" } }, "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["x\n\"y"] } }],
        }],
    })
    .to_string();
    let imported = import(&text, "some").unwrap();
    let model =
        parse(&imported.text).unwrap_or_else(|faults| panic!("{faults:?}\n{}", imported.text));
    assert_eq!(model.title.unwrap().value, "\"; drop [table]\n#");
    assert_eq!(model.entities.len(), 3);
    assert_eq!(name_in(&text).unwrap(), "\"; drop [table]\n#");
    assert!(imported.lost.iter().all(|line| !line.contains('\n')));
}

/// Every place of a document, as a path.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(entries) => {
            for (position, value) in entries.iter().enumerate() {
                places(value, &format!("{at}/{position}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn whatever_is_changed_in_a_file_it_becomes_a_model_or_is_refused_with_a_reason() {
    let strange = [
        json!(null),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
        json!("#"),
        json!("A#{b}#$20"),
        json!("type"),
        json!({ "S": "x y#" }),
        json!({ "N": "not a number" }),
        json!({ "M": { "S": { "S": "1" }, "no name": { "NULL": true } } }),
        json!({ "L": [{ "S": "a" }, { "N": "1" }] }),
    ];
    let mut tried = 0;
    for name in ["library", "bakery", "parcels", "offers", "songs"] {
        let text = std::fs::read_to_string(fixture(&format!("{name}.json"))).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        let mut all = Vec::new();
        places(&whole, "", &mut all);
        for (turn, place) in all.iter().enumerate() {
            let mut changed = whole.clone();
            let value = &strange[turn % strange.len()];
            *changed.pointer_mut(place).unwrap() = value.clone();
            match import(&changed.to_string(), "some") {
                Ok(imported) => assert!(parse(&imported.text).is_ok(), "{name} {place} {value}"),
                Err(ImportError::NotRead { why }) => panic!("{name} {place} {value}: {why}"),
                Err(_) => {}
            }
            tried += 1;
        }
    }
    assert!(tried > 400, "{tried}");
}
