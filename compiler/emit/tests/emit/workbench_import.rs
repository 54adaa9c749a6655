//! Data models of NoSQL Workbench: what is imported is a model, and there and back again nothing is lost that the format can hold.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use tablewright_emit::workbench::import::import;
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

/// What an import begins with has no error of its own making: collections have a bound, and what an index leaves out is not asked for.
#[test]
fn an_export_imported_has_no_errors() {
    for (name, before) in models() {
        let text = model(&before, "models/some.toml").unwrap();
        let imported = import(&text, before.name.as_str()).unwrap();
        let findings = tablewright_check::check_text(&imported.text);
        let own: Vec<_> = findings
            .iter()
            .filter(|found| matches!(found.rule, "unbounded-collection" | "accidental-sparse"))
            .map(|found| &found.message)
            .collect();
        assert!(own.is_empty(), "{name}: {own:#?}");
    }
}
