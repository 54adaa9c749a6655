//! `tablewright generate`: what it writes, what it verifies and what it refuses.
//! (S4-14, S4-15, S4-16, C4-10, C4-12, C4-13, C4-14)

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

const PROJECT: &str =
    "models = [\"models/notes.toml\"]\n\n[generate]\nschema = \"schema/{model}\"\n";
const SNAPSHOT: &str = "schema/notes/note.schema.json";

/// The notes, versioned.
fn notes(version: u16) -> String {
    let versioned = format!("[entity.Note]\nversioned = {{ data_version = {version} }}");
    CLEAN.replace("[entity.Note]", &versioned)
}

fn project(model: &str) -> Sandbox {
    Sandbox::with(&[("tablewright.toml", PROJECT), ("models/notes.toml", model)])
}

/// One in which version 1 was generated.
fn generated() -> Sandbox {
    let sandbox = project(&notes(1));
    sandbox.run(&["generate"]);
    sandbox
}

fn rewrite(sandbox: &Sandbox, model: &str) {
    sandbox.write("models/notes.toml", model.as_bytes());
}

#[test]
fn help_for_generate() {
    assert_snapshot!(Sandbox::new().run(&["generate", "-h"]));
}

#[test]
fn the_first_run_writes_and_the_second_has_nothing_to_do() {
    // C4-12
    let sandbox = project(&notes(1));
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 1
    ── stdout
    schema/notes/note.schema.json is not there: the first snapshot of Note
      help: run `tablewright generate`
    1 finding
    ");
    assert!(!sandbox.path("schema").exists());
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    wrote schema/notes/note.schema.json
    ");
    assert_snapshot!(sandbox.read(SNAPSHOT));
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    1 file up to date
    ");
    assert_snapshot!(sandbox.run_in("models", &["generate", "--check"]), @r"
    exit 0
    ── stdout
    1 file up to date
    ");
}

#[test]
fn a_change_that_can_be_read_is_out_of_date_until_it_is_generated() {
    // S4-15
    let sandbox = generated();
    let before = sandbox.read(SNAPSHOT);
    rewrite(
        &sandbox,
        &notes(1).replace(
            "string(1..2000)\"",
            "string(1..3000)\"\ncolour  = \"enum(red, blue)?\"",
        ),
    );
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 1
    ── stdout
    schema/notes/note.schema.json is out of date: Note changed, and what is stored can be read
      `text` takes at most 3000 characters, was 2000
      `colour` is new and optional
      help: run `tablewright generate`
    1 finding
    ");
    assert_eq!(sandbox.read(SNAPSHOT), before);
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    wrote schema/notes/note.schema.json
      `text` takes at most 3000 characters, was 2000
      `colour` is new and optional
    ");
}

/// The notes with `text` called `body`: what is stored cannot be read.
fn renamed(version: u16) -> String {
    notes(version).replace("text    =", "body    =")
}

#[test]
fn a_change_that_cannot_be_read_is_refused() {
    // S4-16, C4-10
    let sandbox = generated();
    let before = sandbox.read(SNAPSHOT);
    // Another entity, whose first snapshot is not written either.
    let other = "
[entity.Tag]
table = \"notes\"
key   = { partition = \"USER#{user_id}\", sort = \"TAG#{tag}\" }

[entity.Tag.fields]
user_id = \"ulid\"
tag     = \"id\"
";
    rewrite(&sandbox, &format!("{}{other}", renamed(1)));
    let told = sandbox.run(&["generate"]);
    assert_snapshot!(told);
    assert_eq!(sandbox.read(SNAPSHOT), before);
    assert!(!sandbox.path("schema/notes/tag.schema.json").exists());
    assert_snapshot!(sandbox.run(&["generate", "--check"]));
}

#[test]
fn the_guide_shows_what_people_see() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide.md");
    let guide = fs::read_to_string(guide).unwrap();
    let shown = |told: String| {
        let (_, told) = told.split_once("── stdout\n").unwrap();
        assert!(guide.contains(told), "the guide does not show\n{told}");
    };
    let sandbox = generated();
    rewrite(&sandbox, &renamed(1));
    shown(sandbox.run(&["generate"]));
    rewrite(&sandbox, &renamed(2));
    shown(sandbox.run(&["generate"]));
}

#[test]
fn a_raised_version_keeps_the_snapshot_before() {
    // C4-12
    let sandbox = generated();
    let before = sandbox.read(SNAPSHOT);
    rewrite(&sandbox, &renamed(2));
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 1
    ── stdout
    schema/notes/note.schema.json is out of date: Note has `data_version` 2, the snapshot 1
      breaks: `body` is new and required
      `text` is gone
      note: code with the former shape cannot read items without `text`
      help: add a migration step from 1 to 2, then run `tablewright generate`: it keeps version 1 as schema/notes/note.v1.schema.json
    1 finding
    ");
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    wrote schema/notes/note.v1.schema.json
    wrote schema/notes/note.schema.json
      breaks: `body` is new and required
      `text` is gone
      note: code with the former shape cannot read items without `text`
    ");
    assert_eq!(sandbox.read("schema/notes/note.v1.schema.json"), before);
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 0
    ── stdout
    1 file up to date
    ");
    rewrite(&sandbox, &renamed(4));
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 1
    ── stdout
    schema/notes/note.schema.json has `data_version` 2, and the model raises it to 4 at once
      help: raise it to 3, and generate after each step: every version has its snapshot
    nothing was written
    ");
}

#[test]
fn what_nothing_generates_any_more_is_told_and_stays() {
    let sandbox = generated();
    sandbox.write("schema/notes/tag.v1.schema.json", b"{}");
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    schema/notes/tag.v1.schema.json is of no entity: nothing generates it any more
      help: delete it when no item of it is stored any more; it is never deleted for you
    1 file up to date
    ");
    assert!(sandbox.path("schema/notes/tag.v1.schema.json").exists());
    assert!(
        sandbox
            .run(&["generate", "--check"])
            .starts_with("exit 1\n")
    );
}

#[test]
fn a_model_with_errors_generates_nothing() {
    let sandbox = project(&CLEAN.replace("NOTE#{note_id}", "NOTE#{id}"));
    assert_snapshot!(sandbox.run(&["generate"]));
    // Neither does one with an error that only the rules find.
    rewrite(&sandbox, &CLEAN.replace("ulid", "string"));
    let told = sandbox.run(&["generate"]);
    assert!(told.starts_with("exit 1\n"), "{told}");
    assert!(told.contains("error[empty-key]"), "{told}");
    assert!(!sandbox.path("schema").exists());
}

#[test]
fn a_rust_module_beside_the_snapshots() {
    let sandbox = Sandbox::with(&[
        (
            "tablewright.toml",
            &PROJECT.replace("[generate]", "[generate]\nrust = \"src/{model}.rs\""),
        ),
        ("models/notes.toml", &notes(1)),
        (
            "src/notes.rs",
            "// Generated by `tablewright generate` long ago.\n",
        ),
    ]);
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 1
    ── stdout
    schema/notes/note.schema.json is not there: the first snapshot of Note
      help: run `tablewright generate`
    src/notes.rs is out of date from line 1
      - // Generated by `tablewright generate` long ago.
      + // Generated by `tablewright generate` from models/notes.toml. Change the model, not this file.
      help: run `tablewright generate`
    2 findings
    ");
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    wrote schema/notes/note.schema.json
    wrote src/notes.rs
    ");
    // A refused change of shape leaves the code as it was as well.
    let code = sandbox.read("src/notes.rs");
    rewrite(&sandbox, &renamed(1));
    assert!(
        sandbox
            .run(&["generate"])
            .ends_with("nothing was written\n")
    );
    assert_eq!(sandbox.read("src/notes.rs"), code);
}

#[test]
fn what_cannot_be_generated_is_told() {
    let sandbox = Sandbox::with(&[
        (
            "tablewright.toml",
            "models = [\"models/notes.toml\"]\n[generate]\nrust = \"src/{model}.rs\"\n",
        ),
        (
            "models/notes.toml",
            // The key of the changes of an entity is a type of the module, which no rule knows of.
            &format!("{CLEAN}\n[struct.NotesEvent]\nnote = \"id\"\n[event.Written]\non = \"insert Note\"\ndetail = [\"note_id\"]\n")
                .replace("type          = \"Type\"", "type = \"Type\"\nstream = \"new-and-old-images\""),
        ),
    ]);
    assert_snapshot!(sandbox.run(&["generate"]));
    assert!(!sandbox.path("src").exists());
}

#[test]
fn projects_that_do_not_say_what_to_generate() {
    let told = |generate: &str| {
        let text = format!("models = [\"models/notes.toml\"]\n{generate}");
        Sandbox::with(&[("tablewright.toml", &text), ("models/notes.toml", CLEAN)])
            .run(&["generate"])
    };
    assert_snapshot!(told(""));
    assert_snapshot!(told("[generate]\n"));
    assert_snapshot!(told("[generate]\nshcema = \"schema\"\n"));
    assert_snapshot!(told("[generate]\nschema = 1\n"));
    assert_snapshot!(told("[generate]\nschema = \"{entity}\"\n"));
    assert_snapshot!(told("generate = true\n"));
}

#[test]
fn two_models_in_one_place() {
    let sandbox = Sandbox::with(&[
        (
            "tablewright.toml",
            "models = [\"a.toml\", \"b.toml\"]\n[generate]\nschema = \"schema\"\n",
        ),
        ("a.toml", CLEAN),
        ("b.toml", CLEAN),
    ]);
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 2
    ── stderr
    error: `schema` would be generated into schema, which is the place of something else
    hint: give every model a name of its own, and every artefact a place of its own: `{model}` in `schema` of tablewright.toml
    ");
}

/// Nothing is generated over a model, over the project file, or twice into one file.
#[test]
fn what_is_generated_from_is_never_written_over() {
    let schema = "schema = \"schema/{model}\"";
    let places = [
        "rust = \"models/notes.toml\"",
        "rust = \"tablewright.toml\"",
        "rust = \"./schema/../models/{model}.toml\"",
        "schema = \"schema/{model}\"\nrust = \"schema/notes/note.schema.json\"",
    ];
    for place in places {
        let text = PROJECT.replace(schema, place);
        let sandbox = Sandbox::with(&[("tablewright.toml", &text), ("models/notes.toml", CLEAN)]);
        let told = sandbox.run(&["generate"]);
        assert!(told.starts_with("exit 2"), "{place}: {told}");
        assert!(
            told.contains("which is the place of something else"),
            "{told}"
        );
        assert_eq!(sandbox.read("models/notes.toml"), CLEAN);
        assert_eq!(sandbox.read("tablewright.toml"), text);
        assert!(!sandbox.path("schema").exists(), "{place}");
    }
}
