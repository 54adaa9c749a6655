//! Data models of NoSQL Workbench: what is exported is what the program exports.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tablewright_emit::json_schema;
use tablewright_emit::workbench::model;
use tablewright_model::Model;
use tablewright_model::model::EntityId;

use crate::{folder, read};

/// The models of this repository, and those of the golden tests.
pub(crate) fn models() -> Vec<(String, Model)> {
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

pub(crate) fn fixture(name: &str) -> PathBuf {
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
