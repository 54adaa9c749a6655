//! The stored shapes are those that are checked in, and the types are those of the shapes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use accounts::model::{AccountData, AccountRequest, Transfer};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use tablewright_emit::snapshots;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/accounts.toml");
pub(crate) const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/accounts");

/// S4-15, S4-16, S4-18, S4-22, C4-10, C4-12, C4-13
#[test]
fn schema_has_not_changed() {
    let model = std::fs::read_to_string(MODEL).unwrap();
    let model = tablewright_model::parse(&model).unwrap();
    let findings = snapshots::check(&model, Path::new(SNAPSHOTS)).unwrap();
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(
        findings.is_empty(),
        "what is stored has changed:\n{}\n\
         If stored items can still be read: `cargo run -- generate`.\n\
         If they cannot: raise `data_version` in models/accounts.toml by one, `cargo run -- generate`, add the step from the former\n\
         version to backend/accounts/src/migrations.rs, and an item of the new one to backend/accounts/tests/items/.",
        findings.join("\n")
    );
}

/// S4-16: what a developer is told who renames a field and does nothing else.
#[test]
fn a_change_that_cannot_be_read_says_what_to_do() {
    let model = std::fs::read_to_string(MODEL).unwrap();
    let renamed = model
        .replace("balance = \"int(0..)\"", "sum     = \"int(0..)\"")
        .replace("balance = \"often\"", "sum = \"often\"")
        .replace("\"balance\"]", "\"sum\"]")
        .replace("where      = \"balance", "where      = \"sum")
        .replace("where = \"balance", "where = \"sum")
        .replace("where  = \"balance", "where  = \"sum");
    let renamed = tablewright_model::parse(&renamed).unwrap();
    let findings = snapshots::check(&renamed, Path::new(SNAPSHOTS)).unwrap();
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}");
    };
    assert!(finding.refuses());
    let told = finding.to_string();
    for words in [
        "items of AccountData stored as version 2 could not be read any more",
        "raise `data_version` of AccountData to 3",
        "add a migration step from 2 to 3",
    ] {
        assert!(told.contains(words), "{told}");
    }
}

/// S4-13
#[test]
fn the_types_have_the_fields_of_the_stored_shapes() {
    agree::<AccountData>("account_data");
    agree::<Transfer>("transfer");
    agree::<AccountRequest>("account_request");
}

fn agree<T: JsonSchema>(stem: &str) {
    let derived = schema_for!(T).to_value();
    let path = Path::new(SNAPSHOTS).join(format!("{stem}.schema.json"));
    let snapshot: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    // In the layout `wrapped` the fields are in `data`, but for those that are keys and the time to live.
    let top = &snapshot["properties"];
    let is_field = |name: &String| {
        let bookkeeping = ["data", "data_version", "last_write"].contains(&name.as_str());
        let made_of_fields = match &top[name]["x-key"] {
            Value::String(template) => *template != format!("{{{name}}}"),
            _ => top[name].get("x-index").is_some() || top[name].get("const").is_some(),
        };
        !bookkeeping && !made_of_fields
    };
    let mut fields = types(&snapshot);
    let mut required = required(&snapshot);
    fields.retain(|name, _| is_field(name));
    required.retain(is_field);
    if let Some(data) = top.get("data") {
        fields.extend(types(data));
        required.extend(self::required(data));
    }
    assert_eq!(types(&derived), fields, "{stem}");
    assert_eq!(self::required(&derived), required, "{stem}");
}

/// The properties of a schema with their types.
fn types(schema: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let properties = schema["properties"].as_object().unwrap();
    properties
        .iter()
        .map(|(name, property)| (name.clone(), types_of(schema, property)))
        .collect()
}

/// The types of a property; that a value may be missing is not one of them.
fn types_of(root: &Value, property: &Value) -> BTreeSet<String> {
    if let Some(Value::String(definition)) = property.get("$ref") {
        let definition = root.pointer(definition.trim_start_matches('#'));
        return types_of(root, definition.unwrap());
    }
    let choices = property.get("oneOf").or_else(|| property.get("anyOf"));
    let names: Vec<String> = match (&property["type"], choices) {
        (Value::String(name), _) => vec![name.clone()],
        (Value::Array(names), _) => {
            let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
            names.collect()
        }
        (_, Some(Value::Array(choices))) => {
            let choices = choices.iter().map(|choice| types_of(root, choice));
            choices.flatten().collect()
        }
        _ => Vec::new(),
    };
    names.into_iter().filter(|name| name != "null").collect()
}

fn required(schema: &Value) -> BTreeSet<String> {
    let names = schema["required"].as_array().unwrap().iter();
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// S4-1, S4-8, S4-19: a table for each entity, each a versioned item, known to business code by an alias.
#[test]
fn every_table_holds_one_entity_and_its_versions() {
    let alias: fn(tablewright::Versioned<AccountData>) -> accounts::model::Account = |item| item;
    let _ = alias;
    let mut tables = std::collections::BTreeSet::new();
    for entity in &accounts::model::SCHEMA.entities {
        assert!(entity.versioned.is_some(), "{} has no version", entity.name);
        assert!(
            tables.insert(entity.table.name.clone()),
            "{} shares its table",
            entity.name
        );
    }
    assert_eq!(tables.len(), accounts::model::SCHEMA.tables.len());
}

/// S4-23, S4-24: the instructions name this crate, and every file of it they send somebody to is there.
#[test]
fn the_instructions_lead_to_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let instructions = read("AGENTS.md");
    let section = instructions
        .split("## How to add a table and a repository")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .unwrap();
    let links: Vec<&str> = section
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .collect();
    assert!(
        links
            .iter()
            .any(|link| link.starts_with("backend/accounts"))
    );
    for link in links {
        assert!(root.join(link).exists(), "{link}");
    }
    let alternatives = read("docs/decisions/0004-schema-evolution-alternatives.md");
    assert!(alternatives.contains("Avro") && alternatives.contains("migration service"));
    assert!(read("docs/decisions/0012-versioned-repositories.md").contains("## Consequences"));
}
