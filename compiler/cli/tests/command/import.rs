//! `tablewright import`: a data model of NoSQL Workbench becomes a model.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

/// A file the library's own tests read.
fn offers() -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../emit/tests/emit/workbench/offers.json");
    fs::read_to_string(path).unwrap()
}

#[test]
fn help_for_import() {
    assert_snapshot!(Sandbox::new().run(&["import", "--help"]));
}

#[test]
fn a_data_model_becomes_a_model() {
    let sandbox = Sandbox::with(&[("exports/offers.json", &offers())]);
    assert_snapshot!(sandbox.run(&["import", "exports/offers.json"]));
    assert!(
        sandbox
            .read("models/card-offers.toml")
            .starts_with("# Made from a data model of NoSQL Workbench")
    );
    assert_snapshot!(sandbox.run(&["fmt", "--check"]), @r"
    exit 0
    ── stdout
    0 of 1 model to format
    ");
    // What the rules say of it is the beginning of the work; there is no fault of the language.
    let checked = sandbox.run(&["check", "--format", "json"]);
    let found = checked.split_once("── stdout\n").unwrap().1;
    let found: serde_json::Value = serde_json::from_str(found).unwrap();
    let rules: Vec<&str> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    assert!(!rules.is_empty());
    for rule in rules {
        assert!(
            sandbox.run(&["explain", rule]).starts_with("exit 0"),
            "{rule}"
        );
    }
}

#[test]
fn a_model_that_is_there_is_never_written_over() {
    let sandbox = Sandbox::with(&[("offers.json", &offers()), ("models/mine.toml", "mine")]);
    assert_snapshot!(sandbox.run(&["import", "offers.json", "--name", "mine"]), @r"
    exit 2
    ── stderr
    error: models/mine.toml exists already
    hint: choose another name, or delete the file first
    ");
    assert_eq!(sandbox.read("models/mine.toml"), "mine");
    assert!(!sandbox.path("tablewright.toml").exists());
}

#[test]
fn what_cannot_become_a_model_is_told_and_nothing_is_written() {
    let sandbox = Sandbox::with(&[
        ("empty.json", ""),
        ("other.json", "{\"DataModel\": []}"),
        (
            "keyspaces.json",
            "{\"ModelMetadata\": {\"AWSService\": \"Amazon Keyspaces\"}, \"DataModel\": [{}]}",
        ),
        ("named.json", &offers()),
    ]);
    sandbox.write("bytes.json", &[0xff, 0xfe]);
    let tried = [
        "empty.json",
        "other.json",
        "keyspaces.json",
        "bytes.json",
        "missing.json",
    ];
    let told: Vec<String> = tried
        .iter()
        .map(|file| sandbox.run(&["import", file]))
        .collect();
    assert_snapshot!(told.join("\n"));
    assert_snapshot!(sandbox.run(&["import", "named.json", "--name", "../mine"]), @r"
    exit 2
    ── stderr
    error: `../mine` cannot be the name of a model
    hint: a name begins with a letter and has letters, digits, `-` and `_`; the file becomes models/NAME.toml
    ");
    assert!(!sandbox.path("models").exists());
    assert!(!sandbox.path("tablewright.toml").exists());
}

/// What this library exported is imported under another name, has no finding but what is told beside it, and is proved.
fn comes_back(name: &str, unused: Option<&str>) {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/specs/jobs");
    let file = jobs.join(name).join("workbench.json");
    let sandbox = Sandbox::with(&[("it.json", &fs::read_to_string(file).unwrap())]);
    let imported = sandbox.run(&["import", "it.json", "--name", "copy"]);
    assert!(imported.starts_with("exit 0\n"), "{imported}");
    let checked = sandbox.run(&["check", "copy", "--format", "json"]);
    let found = checked.split_once("── stdout\n").unwrap().1;
    let found: serde_json::Value = serde_json::from_str(found).unwrap();
    let found = found["diagnostics"].as_array().unwrap().iter();
    let found: Vec<String> = found
        .map(|one| format!("{}: {}", one["rule"], one["message"]))
        .collect();
    match unused {
        None => assert!(found.is_empty(), "{found:#?}"),
        Some(index) => {
            let told = format!("\"unused-index\": \"no pattern uses `{index}`: ");
            assert!(
                found.len() == 1 && found[0].starts_with(&told),
                "{found:#?}"
            );
            let listed = imported.lines().find(|line| line.contains("find"));
            let listed = listed.unwrap_or_else(|| panic!("{imported}"));
            assert!(listed.starts_with(&format!("  `{index}` has the key of ")));
        }
    }
    let proved = sandbox.run(&["prove", "copy", "--items", "60"]);
    assert!(proved.starts_with("exit 0\n"), "{proved}");
}

#[test]
fn todo_comes_back() {
    comes_back("todo", Some("GSI5"));
}

#[test]
fn tasks_comes_back() {
    comes_back("tasks", None);
}

#[test]
fn ask_comes_back() {
    comes_back("ask", None);
}

#[test]
fn accounts_comes_back() {
    comes_back("accounts", None);
}
