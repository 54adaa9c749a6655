//! `tablewright explain`, `plan` and `schema`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::{CLEAN, Sandbox};

#[test]
fn every_rule_is_listed_and_explained() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["explain"]);
    for rule in tablewright_check::RULES {
        assert!(list.contains(rule.name), "{} is in\n{list}", rule.name);
        let told = sandbox.run(&["explain", rule.name]);
        assert!(told.starts_with(&format!("exit 0\n── stdout\n{} ({}", rule.name, rule.code)));
        assert!(
            told.contains(&format!("[{}]: ", rule.name)),
            "a finding is in\n{told}"
        );
        assert_eq!(told, sandbox.run(&["explain", rule.code]));
    }
}

#[test]
fn a_rule_explained() {
    assert_snapshot!(Sandbox::new().run(&["explain", "open-prefix"]));
}

#[test]
fn a_rule_that_is_none() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["explain", "open-prefx"]), @r"
    exit 2
    ── stderr
    error: there is no rule `open-prefx`
    hint: did you mean `open-prefix`?
    ");
    assert_snapshot!(sandbox.run(&["explain", "bananas"]), @r"
    exit 2
    ── stderr
    error: there is no rule `bananas`
    hint: `tablewright explain` lists all rules
    ");
}

#[test]
fn a_fault_of_the_language_is_explained_as_one() {
    assert_snapshot!(Sandbox::new().run(&["explain", "unknown-key"]), @"
    exit 0
    ── stdout
    unknown-key: a key the language does not have there

    This belongs to the language and is no rule: it cannot be allowed. docs/model-language.md says what can be written.
    ");
}

#[test]
fn plans_for_people() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    assert_snapshot!(sandbox.run(&["plan", "notes.toml"]));
    assert_snapshot!(sandbox.run(&["plan", "notes.toml", "ntoes"]), @r"
    exit 2
    ── stderr
    error: there is no access pattern `ntoes`
    hint: did you mean `notes`?
    ");
}

#[test]
fn plans_for_programs() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    let output = sandbox
        .command(&["plan", "notes.toml", "notes", "--format", "json"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let plans: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [plan] = plans["patterns"].as_array().unwrap().as_slice() else {
        panic!("one pattern in {plans}");
    };
    assert_eq!(plan["model"], "notes");
    assert_eq!(plan["pattern"], "notes");
    assert_eq!(plan["request"], "Query");
}

#[test]
fn a_pattern_without_an_answer_is_a_finding() {
    let unanswered = CLEAN.replace("by   = [\"user_id\"]", "by   = [\"text\"]");
    let sandbox = Sandbox::with(&[("notes.toml", &unanswered)]);
    assert!(
        sandbox
            .run(&["plan", "notes.toml", "notes"])
            .starts_with("exit 1\n")
    );
}

#[test]
fn a_broken_model_has_no_plan() {
    let sandbox = Sandbox::with(&[("notes.toml", "[model]\nnmae = \"a\"\n")]);
    assert_snapshot!(sandbox.run(&["plan", "notes.toml"]));
    assert!(
        sandbox
            .run(&["plan", "notes.toml", "--format=json"])
            .starts_with("exit 1\n── stdout\n{")
    );
}

#[test]
fn the_schema_is_json() {
    let output = Sandbox::new().command(&["schema"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(schema["properties"]["entity"].is_object());
}

#[test]
fn what_a_month_costs() {
    let sandbox = Sandbox::new();
    sandbox.write("todo.toml", include_bytes!("../../../../models/todo.toml"));
    sandbox.write(
        "old.toml",
        include_bytes!("../../../../models/as-written/000-todo.toml"),
    );
    assert_snapshot!(sandbox.run(&["plan", "todo.toml", "--cost"]));
    assert_snapshot!(sandbox.run(&["plan", "todo.toml", "--against", "old.toml"]));
    let json = sandbox.run(&["plan", "todo.toml", "--cost", "--format", "json"]);
    let json = json.strip_prefix("exit 0\n── stdout\n").unwrap();
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["models"][0]["model"], "todo");
    assert_eq!(json["models"][0]["patterns"][0]["rcu"], 1.0);
}

#[test]
fn prices_of_another_region() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    let prices = tablewright_plan::bill::Prices::FILE.replace("us-east-1", "eu-central-1");
    sandbox.write("prices.json", prices.as_bytes());
    let told = sandbox.run(&["plan", "notes.toml", "--cost", "--prices", "prices.json"]);
    assert!(told.contains("on demand in eu-central-1"), "{told}");
    sandbox.write("prices.json", b"{}");
    assert_snapshot!(sandbox.run(&["plan", "notes.toml", "--cost", "--prices", "prices.json"]), @r"
    exit 2
    ── stderr
    error: prices.json is no file of prices: `date` is missing, or is no text
    hint: docs/costs.md shows such a file
    ");
    assert_snapshot!(sandbox.run(&["plan", "notes.toml", "--cost", "--prices", "none.json"]), @r"
    exit 2
    ── stderr
    error: none.json cannot be read: No such file or directory (os error 2)
    ");
}

#[test]
fn what_a_plan_cannot_be_relied_on_for_is_told() {
    let wrong = CLEAN.replace(
        "[access.notes]",
        "[access.by_text]\nlist = \"Note\"\nby = [\"text\"]\n\n[access.notes]",
    );
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN), ("wrong.toml", &wrong)]);
    let compared = sandbox.run(&["plan", "notes.toml", "--against", "wrong.toml"]);
    assert!(compared.starts_with("exit 1\n"), "{compared}");
    assert!(
        compared.contains("\nno key answers by_text of notes\n"),
        "{compared}"
    );
    let overlapping = include_str!("../../../prove/fixtures/broken-key.toml");
    let overlapping: String = overlapping
        .lines()
        .filter(|line| !line.starts_with("allow"))
        .map(|line| format!("{line}\n"))
        .collect();
    sandbox.write("overlap.toml", overlapping.as_bytes());
    for arguments in [
        &["plan", "overlap.toml"][..],
        &["plan", "overlap.toml", "--cost"],
    ] {
        let told = sandbox.run(arguments);
        assert!(told.starts_with("exit 1\n"), "{told}");
        let why = "broken-key has an error: `tablewright check` tells what is wrong\n";
        assert!(told.ends_with(why), "{told}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let sandbox = Sandbox::new();
    for arguments in [&["check", "-", "-"][..], &["plan", "-", "--against", "-"]] {
        let told = sandbox.run_with_input(arguments, CLEAN);
        assert_eq!(
            told,
            "exit 2\n── stderr\nerror: standard input (`-`) is named twice, and can be read once\n\
             hint: write one of the models to a file, and name that\n"
        );
    }
}
