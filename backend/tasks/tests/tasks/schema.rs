//! The stored shapes are those that are checked in.

use std::path::Path;

use tablewright_emit::snapshots;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tasks.toml");
const SNAPSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/tasks");

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
         If they cannot: raise `data_version` in models/tasks.toml by one, `cargo run -- generate`, and add the step from the former version.",
        findings.join("\n")
    );
}
