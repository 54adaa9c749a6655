//! Data models of NoSQL Workbench: what is imported is a model, and there and back again nothing is lost that the format can hold.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use serde_json::{Value, json};
use tablewright_emit::workbench::import::{Imported, import};
use tablewright_emit::workbench::model;
use tablewright_model::model::{IndexKind, Projection};
use tablewright_model::{Model, parse};

use crate::reads_as_it_did;
use crate::workbench::{fixture, models};

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

/// What an import begins with has no error of its own making: collections and keys have bounds, and what an index leaves out is not asked for.
#[test]
fn an_export_imported_has_no_errors() {
    for (name, before) in models() {
        let text = model(&before, "models/some.toml").unwrap();
        let imported = import(&text, before.name.as_str()).unwrap();
        let findings = tablewright_check::check_text(&imported.text);
        let own: Vec<_> = findings
            .iter()
            .filter(|found| {
                matches!(
                    found.rule,
                    "unbounded-collection"
                        | "accidental-sparse"
                        | "not-projected"
                        | "key-too-long"
                        | "order-not-given"
                )
            })
            .map(|found| &found.message)
            .collect();
        assert!(own.is_empty(), "{name}: {own:#?}");
    }
}

/// A table with one facet, whose keys are called so, and these samples.
fn of_facet(partition: &str, sort: &str, attributes: &[&str], samples: Value) -> Imported {
    let keys = json!({
        "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" },
        "SortKey": { "AttributeName": "SK", "AttributeType": "S" },
    });
    let facet = json!({
        "FacetName": "Order",
        "KeyAttributeAlias": { "PartitionKeyAlias": partition, "SortKeyAlias": sort },
        "NonKeyAttributes": attributes,
    });
    let table = json!({
        "TableName": "Shop", "KeyAttributes": keys, "TableFacets": [facet], "TableData": samples,
    });
    let file = json!({ "ModelName": "Shop", "DataModel": [table] });
    import(&file.to_string(), "shop").unwrap()
}

fn text(value: &str) -> Value {
    json!({ "S": value })
}

/// The template an alias names is the template, also where its fields are no attributes: two names are two fields, though samples have the same value.
#[test]
fn an_alias_that_is_a_template_is_the_key() {
    let samples = json!([
        { "PK": text("USER#1"), "SK": text("ORDER#00001"), "x": text("a") },
        { "PK": text("USER#2"), "SK": text("ORDER#00002"), "x": text("b") },
    ]);
    for (samples, sort, id) in [
        (samples.clone(), "ORDER#{id}", "id"),
        (samples, "ORDER#{id:05}", "int(0..99999)"),
        (json!([]), "ORDER#{id}", "string(1..200)"),
    ] {
        let imported = of_facet("USER#{user}", sort, &["x"], samples);
        let model = parse(&imported.text).unwrap();
        let order = &model.entities[0];
        assert_eq!(order.key.partition.to_string(), "USER#{user}");
        assert_eq!(order.key.sort.as_ref().unwrap().to_string(), sort);
        let field = order.field(order.field_named("id").unwrap());
        assert_eq!(field.kind().to_string(), id);
        assert!(!field.is_optional());
        let told = "`id` of Order stands only in `SK` of the samples: it becomes a field";
        assert!(
            imported.lost.iter().any(|line| line == told),
            "{:#?}",
            imported.lost
        );
    }
    // A template that a sample does not have is only a name.
    let others = json!([{ "PK": text("USER#1"), "SK": text("BILL#1") }]);
    let imported = of_facet("USER#{user}", "ORDER#{id}", &[], others);
    assert!(imported.text.contains("BILL#"), "{}", imported.text);
    let told = "the alias `ORDER#{id}` of Order for SK";
    assert!(imported.lost.iter().any(|line| line == told));
}

/// A sample with more than its facet shows is kept with all it has.
#[test]
fn what_a_facet_does_not_show_becomes_a_field() {
    let samples = json!([
        { "PK": text("USER#1"), "SK": text("ORDER#1"), "x": text("a"), "extra": { "N": "5" } },
        { "PK": text("USER#2"), "SK": text("ORDER#2"), "x": text("b") },
    ]);
    let imported = of_facet("USER#{user}", "ORDER#{id}", &["x"], samples);
    assert!(
        imported.text.contains("extra = \"int?\""),
        "{}",
        imported.text
    );
    let told =
        "a sample of Shop has what the facet Order does not show, which becomes fields: `extra`";
    assert!(
        imported.lost.iter().any(|line| line == told),
        "{:#?}",
        imported.lost
    );
}

/// Texts in keys have a bound from their samples, and so small a one that the key can be stored.
#[test]
fn what_stands_in_a_key_is_bounded_by_its_samples() {
    let long = "long-".repeat(30);
    let sample = |name: &str| {
        json!({
            "PK": text(&format!("USER#{name}")), "SK": text(&format!("NOTE#{long}#{name}")),
            "user": text(name), "note": text(&long), "body": text(&long),
        })
    };
    let samples = json!([sample("ada-l"), sample("grace-h")]);
    let imported = of_facet(
        "USER#{user}",
        "NOTE#{note}#{user}",
        &["user", "note", "body"],
        samples,
    );
    let lines: Vec<&str> = imported.text.lines().collect();
    for line in [
        "user = \"string(1..40)\" # from the samples, of 7 characters at most",
        "note = \"string(1..150)\" # from the samples, of 150 characters at most",
        "body = \"string\"",
    ] {
        assert!(lines.contains(&line), "{line}:\n{}", imported.text);
    }
    let findings = tablewright_check::check_text(&imported.text);
    let too_long: Vec<_> = findings
        .iter()
        .filter(|found| found.rule == "key-too-long")
        .collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
}
