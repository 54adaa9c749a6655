//! `tablewright new`, and the project file that commands without arguments read.

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

#[test]
fn a_new_model_is_clean() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["new", "shop"]), @r"
    exit 0
    ── stdout
    wrote models/shop.toml
    added it to tablewright.toml
    next: edit it, then `tablewright check shop`
    ");
    assert_snapshot!(sandbox.run(&["new", "desk", "--table-per-entity"]), @r"
    exit 0
    ── stdout
    wrote models/desk.toml
    added it to tablewright.toml
    next: edit it, then `tablewright check desk`
    ");
    assert_snapshot!(sandbox.read("tablewright.toml"), @r#"
    # The models of this project, in the order in which they are checked.
    models = ["models/shop.toml", "models/desk.toml"]
    "#);
    assert_snapshot!(sandbox.run(&["check"]), @r"
    exit 0
    ── stdout
    no findings in 2 models
    ");
    assert_snapshot!(sandbox.run(&["fmt", "--check"]), @r"
    exit 0
    ── stdout
    0 of 2 models to format
    ");
    assert_snapshot!(sandbox.run_in("models", &["new", "third", "--single-table"]), @r"
    exit 0
    ── stdout
    wrote ../models/third.toml
    added it to ../tablewright.toml
    next: edit it, then `tablewright check third`
    ");
    assert_snapshot!(sandbox.run_in("models", &["check", "third"]), @r"
    exit 0
    ── stdout
    no findings in 1 model
    ");
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::with(&[("models/shop.toml", "mine")]);
    assert_snapshot!(sandbox.run(&["new", "shop"]), @r"
    exit 2
    ── stderr
    error: models/shop.toml exists already
    hint: choose another name, or delete the file first
    ");
    assert_eq!(sandbox.read("models/shop.toml"), "mine");
    assert!(!sandbox.path("tablewright.toml").exists());
}

#[test]
fn a_name_is_no_path() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["new", "../shop"]), @r"
    exit 2
    ── stderr
    error: `../shop` cannot be the name of a model
    hint: a name begins with a letter and has letters, digits, `-` and `_`; the file becomes models/NAME.toml
    ");
}

#[test]
fn no_project() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["check"]), @r"
    exit 2
    ── stderr
    error: there is no tablewright.toml here or in a folder above
    hint: name a model, as in `tablewright check models/todo.toml`, or begin a project with `tablewright new NAME`
    ");
}

#[test]
fn projects_that_cannot_be_used() {
    let told = |text: &str| Sandbox::with(&[("tablewright.toml", text)]).run(&["check"]);
    assert_snapshot!(told("models = []\n"), @r"
    exit 2
    ── stderr
    error: tablewright.toml names no model
    hint: `tablewright new NAME` writes a model and adds it
    ");
    assert_snapshot!(told("model = []\n"), @r#"
    exit 2
    ── stderr
    error: tablewright.toml: the key `models` is missing
    hint: it says which models there are: models = ["models/todo.toml"]
    "#);
    assert_snapshot!(told("models = [1]\n"), @r#"
    exit 2
    ── stderr
    error: tablewright.toml: `models` is a list of paths, each a string
    hint: it says which models there are: models = ["models/todo.toml"]
    "#);
    assert_snapshot!(told("models = [\"gone.toml\"]\n"), @r"
    exit 2
    ── stderr
    error: there is no gone.toml, which tablewright.toml names
    hint: write it, or take it out of tablewright.toml
    ");
    assert_snapshot!(told("models = [\n"));
}

#[test]
fn a_model_by_its_name_and_a_slip_in_it() {
    let sandbox = Sandbox::with(&[
        ("tablewright.toml", "models = [\"models/notes.toml\"]\n"),
        ("models/notes.toml", CLEAN),
        ("deep/er/README.md", ""),
        ("notes/README.md", ""),
    ]);
    assert_snapshot!(sandbox.run_in("deep/er", &["check", "notes"]), @r"
    exit 0
    ── stdout
    no findings in 1 model
    ");
    // A folder of that name is in nobody's way.
    assert_snapshot!(sandbox.run(&["check", "notes"]), @r"
    exit 0
    ── stdout
    no findings in 1 model
    ");
    assert_snapshot!(sandbox.run(&["check", "notes/"]), @r"
    exit 2
    ── stderr
    error: there is no model in notes/
    hint: models are the files that end in .toml, in the folder itself
    ");
    assert_snapshot!(sandbox.run(&["check", "ntoes"]), @r"
    exit 2
    ── stderr
    error: there is no model ntoes
    hint: did you mean `notes`?
    ");
}
