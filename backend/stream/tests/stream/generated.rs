//! The repositories are what the generator writes.

use std::path::Path;

/// `TABLEWRIGHT_BLESS=1` writes them anew.
#[test]
fn the_repositories_are_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let model = std::fs::read_to_string(folder.join("stream.toml")).unwrap();
    let model = tablewright_model::parse(&model).unwrap();
    let text = tablewright_emit::rust::module(&model, "stream.toml").unwrap();
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        std::fs::write(folder.join("src/model.rs"), &text).unwrap();
    }
    let now = std::fs::read_to_string(folder.join("src/model.rs")).unwrap();
    assert!(
        now == text,
        "bless with TABLEWRIGHT_BLESS=1 and read the diff"
    );
}
