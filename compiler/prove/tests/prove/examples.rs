//! The example of a rule, as its page shows it, is refuted where an answer can show what the rule foretells.

use std::fs;
use std::path::{Path, PathBuf};

use tablewright_model::Model;
use tablewright_model::model::Entity;

use crate::support::{all_pass, model, proved};

/// Of the other rules the harm is in money, in races or in what grows for years, or their example has no pattern; those have models of their
/// own, in `rules` and `wrong_keys`.
const SHOWN: [&str; 14] = [
    "create-overwrites",
    "enum-order",
    "equality-on-prefix",
    "key-part-skipped",
    "key-too-long",
    "limit-before-filter",
    "matches-nothing",
    "open-prefix",
    "range-end-lost",
    "range-sweeps",
    "sparse-on-nonkey",
    "transaction-limit",
    "two-values-one-index",
    "update-creates",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_rule_fails_where_an_answer_can_show_it() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    let mut unshown = Vec::new();
    for rule in SHOWN {
        let model = model(fixtures.join(rule).join("trips.toml"));
        let proof = proved(&model, 60, 1).await;
        if proof.patterns.iter().all(|pattern| pattern.why.is_none()) {
            unshown.push(rule);
        }
    }
    assert!(unshown.is_empty(), "proved: {unshown:?}");
}

/// Rules whose examples have no pattern: every item got by its key, and listed by all of it but the end, shows what they foretell.
const OF_KEYS: [&str; 3] = ["key-overlap", "ambiguous-template", "delimiter-in-value"];

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_rule_of_keys_fails_and_its_near_miss_does_not() {
    for rule in OF_KEYS {
        for file in examples(rule) {
            let about = format!("{rule}, {}", file.display());
            let proof = proved(&with_reads(&file), 60, 1).await;
            let trips = file
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("trips");
            match trips {
                true => assert!(!proof.passes(), "{about}"),
                false => all_pass(&proof, &about),
            }
        }
    }
}

fn examples(rule: &str) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    let files = fs::read_dir(fixtures.join(rule)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|end| end == "toml"))
        .collect()
}

fn with_reads(file: &Path) -> Model {
    let mut text = fs::read_to_string(file).unwrap();
    for entity in &model(file).entities {
        text.push_str(&reads(entity));
    }
    tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

fn reads(entity: &Entity) -> String {
    let identity = entity.identity().into_iter();
    let by: Vec<String> = identity
        .map(|field| entity.field(field).name.value.clone())
        .collect();
    let name = &entity.name;
    let pattern = name.value.to_lowercase();
    let get = format!("\n[access.get_{pattern}]\nget = \"{name}\"\nby = {by:?}\n");
    match by.split_last() {
        Some((_, by)) if !by.is_empty() => {
            format!("{get}\n[access.list_{pattern}]\nlist = \"{name}\"\nby = {by:?}\n")
        }
        _ => get,
    }
}
