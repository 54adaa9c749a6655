//! The example of a rule, as its page shows it, is refuted where an answer can show what the rule foretells, and by that; the example without the
//! mistake is proved.

use std::fs;
use std::path::{Path, PathBuf};

use tablewright_model::Model;
use tablewright_model::model::Entity;

use crate::support::{all_pass, model, proved};

/// What is told of the example of each rule. Of the other rules the harm is in money, in races or in what grows for years, or their example has no
/// pattern; those have models of their own, in `rules` and `wrong_keys`.
const SHOWN: [(&str, &str); 14] = [
    ("create-overwrites", "what is there already went through"),
    ("enum-order", "came before Task"),
    ("equality-on-prefix", "missing Task"),
    ("key-part-skipped", "no key answers it"),
    ("key-too-long", "at most 1024"),
    (
        "limit-before-filter",
        "is not the last: Limit counts what is read, before the filter",
    ),
    ("matches-nothing", "missing Order"),
    ("open-prefix", "unasked Message"),
    ("range-end-lost", "missing Task"),
    ("range-sweeps", "unasked Payment"),
    ("sparse-on-nonkey", "after the writes"),
    ("transaction-limit", "ValidationException"),
    ("two-values-one-index", "missing Order"),
    ("update-creates", "what is not there went through"),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_rule_fails_where_an_answer_can_show_it() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    let mut unshown = Vec::new();
    for (rule, words) in SHOWN {
        let proof = proved(&model(fixtures.join(rule).join("trips.toml")), 60, 1).await;
        let mut told = proof
            .patterns
            .iter()
            .filter_map(|one| one.why.as_deref())
            .peekable();
        if told.peek().is_none() || !told.all(|why| why.contains(words)) {
            unshown.push((rule, proof.patterns));
        }
    }
    assert!(unshown.is_empty(), "told otherwise: {unshown:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_without_the_mistake_is_proved() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    for (rule, _) in SHOWN {
        let proof = proved(&model(fixtures.join(rule).join("passes.toml")), 60, 1).await;
        all_pass(&proof, rule);
    }
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
