//! The repositories, and what is deployed, are what the generator writes.

use std::path::Path;

use tablewright_emit::{cloudformation, export, iam, rust};
use tablewright_model::Model;

fn model() -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let model = std::fs::read_to_string(folder.join("stream.toml")).unwrap();
    tablewright_model::parse(&model).unwrap()
}

/// `TABLEWRIGHT_BLESS=1` writes it anew.
fn is_generated(file: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let now = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        now == text,
        "{}: bless with TABLEWRIGHT_BLESS=1 and read the diff",
        file.display()
    );
}

#[test]
fn the_repositories_are_generated() {
    let text = rust::module(&model(), "stream.toml").unwrap();
    is_generated("src/model.rs", &text);
}

/// What every account with a consumer needs: the table in which they remember how far they are, and the right to it.
#[test]
fn the_table_of_consumers_and_its_policy_are_generated() {
    let (model, source) = (model(), "backend/stream/stream.toml");
    let folder = "../../infrastructure/models";
    let table = cloudformation::template(&model, source).unwrap();
    is_generated(&format!("{folder}/stream.template.json"), &table);
    let policy = iam::template(&model, source).unwrap();
    assert!(policy.contains("tablewright-stream") && !policy.contains("\"*\""));
    is_generated(&format!("{folder}/stream.iam.json"), &policy);
    let export = export::export(&model, source).unwrap();
    is_generated(&format!("{folder}/stream.json"), &export);
}
