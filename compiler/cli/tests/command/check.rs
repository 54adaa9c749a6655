//! `tablewright check`.

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

fn broken() -> String {
    CLEAN
        .replace("USER#{user_id}", "USER#{usr_id}")
        .replace("list = ", "lits = ")
}

#[test]
fn a_clean_model() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    assert_snapshot!(sandbox.run(&["check", "notes.toml"]), @r"
    exit 0
    ── stdout
    no findings in 1 model
    ");
}

#[test]
fn a_broken_model() {
    let sandbox = Sandbox::with(&[("models/notes.toml", &broken())]);
    assert_snapshot!(sandbox.run(&["check", "models/notes.toml"]));
}

#[test]
fn a_broken_model_as_json() {
    let sandbox = Sandbox::with(&[("notes.toml", &broken())]);
    assert_snapshot!(sandbox.run(&["check", "notes.toml", "--format", "json"]));
}

#[test]
fn sarif_describes_every_rule() {
    let sandbox = Sandbox::with(&[("notes.toml", &broken())]);
    let output = sandbox
        .command(&["check", "notes.toml", "--format=sarif"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for rule in tablewright_check::RULES {
        assert!(rules.iter().any(|described| described["id"] == rule.name));
    }
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn several_models_in_the_order_given() {
    let sandbox = Sandbox::with(&[
        ("b.toml", "nonsense"),
        ("a.toml", "[model]\nnmae = \"a\"\n"),
        ("clean.toml", CLEAN),
    ]);
    assert_snapshot!(sandbox.run(&["check", "b.toml", "clean.toml", "a.toml"]));
}

#[test]
fn a_folder_is_every_model_in_it() {
    let sandbox = Sandbox::with(&[
        ("models/b.toml", CLEAN),
        ("models/a.toml", CLEAN),
        ("models/README.md", "no model"),
        ("models/tablewright.toml", "models = []"),
        ("models/deeper/c.toml", "nonsense"),
        ("empty/README.md", "no model"),
    ]);
    assert_snapshot!(sandbox.run(&["check", "models"]), @r"
    exit 0
    ── stdout
    no findings in 2 models
    ");
    assert_snapshot!(sandbox.run(&["check", "empty"]), @r"
    exit 2
    ── stderr
    error: there is no model in empty
    hint: models are the files that end in .toml, in the folder itself
    ");
}

#[test]
fn standard_input() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run_with_input(&["check", "-"], "[model]\nnmae = \"a\"\n"));
    assert_snapshot!(sandbox.run_with_input(&["check", "-", "--fix"], CLEAN), @r"
    exit 2
    ── stderr
    error: standard input cannot be fixed: it is no file
    hint: save the model to a file, and fix that
    ");
}

#[test]
fn fixes_are_applied_and_comments_stay() {
    let rule = tablewright_check::rule("open-prefix").unwrap();
    let (model, last) = rule.trips.trim_end().rsplit_once('\n').unwrap();
    let sandbox = Sandbox::with(&[("notes.toml", &format!("{model}\n{last}   # by hand\n"))]);
    assert_snapshot!(sandbox.run(&["check", "notes.toml", "--fix"]));
    assert_snapshot!(sandbox.read("notes.toml").rsplit_once("\n\n").unwrap().1);

    let slip = CLEAN.replace("list = ", "lits = ");
    let sandbox = Sandbox::with(&[("notes.toml", &slip)]);
    assert_snapshot!(sandbox.run(&["check", "notes.toml", "--fix"]));
    assert_eq!(sandbox.read("notes.toml"), CLEAN);
}

#[test]
fn what_cannot_be_read() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    sandbox.write("latin1.toml", b"[model]\nname = \"caf\xe9\"\n");
    assert_snapshot!(sandbox.run(&["check", "nosuch.toml"]), @r"
    exit 2
    ── stderr
    error: there is no model nosuch.toml
    ");
    assert_snapshot!(sandbox.run(&["check", "notes.toml", "latin1.toml"]), @r"
    exit 2
    ── stderr
    error: latin1.toml is not UTF-8 text: see line 2
    hint: save it as UTF-8
    ");
}

#[test]
fn the_exit_status_follows_the_severity() {
    let sandbox = Sandbox::with(&[("broken.toml", "nonsense"), ("clean.toml", CLEAN)]);
    let code = |arguments: &[&str]| sandbox.command(arguments).output().unwrap().status.code();
    for format in ["text", "json", "sarif"] {
        assert_eq!(code(&["check", "clean.toml", "--format", format]), Some(0));
        assert_eq!(code(&["check", "broken.toml", "--format", format]), Some(1));
        assert_eq!(code(&["check", "gone.toml", "--format", format]), Some(2));
    }
    assert_eq!(code(&["check", "clean.toml", "--fail-on", "note"]), Some(0));
    assert_eq!(code(&["check", "clean.toml", "--deny-warnings"]), Some(0));
    assert_eq!(
        code(&["check", "broken.toml", "--fail-on", "error"]),
        Some(1)
    );
    assert_eq!(code(&["check", "--nonsense"]), Some(2));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&[]), Some(2));
}
