//! `tablewright fmt`.

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

fn untidy() -> String {
    CLEAN.replace("table = \"notes\"", "table=\"notes\"    # the one table")
}

#[test]
fn files_that_are_not_canonical_are_named_and_left_alone() {
    let sandbox = Sandbox::with(&[("models/a.toml", &untidy()), ("models/b.toml", CLEAN)]);
    assert_snapshot!(sandbox.run(&["fmt", "--check", "models"]), @r"
    exit 1
    ── stdout
    not canonical: models/a.toml
    1 of 2 models to format
    ");
    assert_eq!(sandbox.read("models/a.toml"), untidy());
}

#[test]
fn files_are_written_once() {
    let sandbox = Sandbox::with(&[("models/a.toml", &untidy()), ("models/b.toml", CLEAN)]);
    assert_snapshot!(sandbox.run(&["fmt", "models"]), @r"
    exit 0
    ── stdout
    formatted models/a.toml
    1 of 2 models formatted
    ");
    assert!(
        sandbox
            .read("models/a.toml")
            .contains("\ntable = \"notes\" # the one table\n")
    );
    assert_snapshot!(sandbox.run(&["fmt", "--check", "models"]), @r"
    exit 0
    ── stdout
    0 of 2 models to format
    ");
}

#[test]
fn standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run_with_input(&["fmt", "-"], "[model]\nname=\"a\"\nprofile='single-table'"), @r#"
    exit 0
    ── stdout
    [model]
    name    = "a"
    profile = 'single-table'
    "#);
    assert_snapshot!(sandbox.run_with_input(&["fmt", "-", "--check"], "[ model ]"), @r"
    exit 1
    ── stdout
    not canonical: -
    ");
}

#[test]
fn what_is_not_toml_is_shown_and_the_others_are_formatted() {
    let sandbox = Sandbox::with(&[("a.toml", "[model\n"), ("b.toml", &untidy())]);
    assert_snapshot!(sandbox.run(&["fmt", "a.toml", "b.toml"]));
    assert_eq!(sandbox.read("a.toml"), "[model\n");
}
