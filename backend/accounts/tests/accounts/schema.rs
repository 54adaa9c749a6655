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
        .replace("balance = \"int\"", "sum     = \"int\"")
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
    // In the layout `wrapped` the fields are in `data`, but for those of the keys and of the time to live.
    let data = &snapshot["properties"]["data"];
    let is_field = |name: &str| {
        let bookkeeping = ["data", "data_version", "last_write"].contains(&name);
        !bookkeeping && snapshot["properties"][name].get("x-index").is_none()
    };
    let mut fields = types(&snapshot);
    let mut required = required(&snapshot);
    fields.retain(|name, _| is_field(name));
    required.retain(|name| is_field(name));
    fields.extend(types(data));
    required.extend(self::required(data));
    assert_eq!(types(&derived), fields, "{stem}");
    assert_eq!(self::required(&derived), required, "{stem}");
}

/// The properties of a schema with their types; that a value may be missing is not part of its type.
fn types(schema: &Value) -> BTreeMap<String, Vec<String>> {
    let properties = schema["properties"].as_object().unwrap();
    let of = |schema: &Value| match &schema["type"] {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => {
            let names = names.iter().map(|name| name.as_str().unwrap().to_owned());
            names.filter(|name| name != "null").collect()
        }
        _ => Vec::new(),
    };
    properties
        .iter()
        .map(|(name, schema)| (name.clone(), of(schema)))
        .collect()
}

fn required(schema: &Value) -> BTreeSet<String> {
    let names = schema["required"].as_array().unwrap().iter();
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}
