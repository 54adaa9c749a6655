//! `tablewright generate`: the documents of the second phase. (S3-2, S3-5, S3-21, S3-44, S3-57)

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

const PROJECT: &str = r#"models = ["models/notes.toml"]

[generate]
charts        = "docs/{model}"
relationships = "docs/{model}/relationship-decisions.md"
patterns      = "docs/{model}/access-patterns.md"
review        = "docs/{model}/anti-pattern-review.md"
diagrams      = "docs/{model}/diagrams.md"
proof         = "docs/{model}"
"#;

/// The notes with an index under this name.
fn with_index(name: &str) -> String {
    CLEAN
        .replace(
            "[entity.Note]\n",
            &format!("[table.notes.index]\n{name} = {{}}\n\n[entity.Note]\nindex.{name} = {{ partition = \"TEXT#{{text}}\", sort = \"NOTE#{{note_id}}\" }}\n"),
        )
        .replace("[access.write_note]", "[access.by_text]\nlist = \"Note\"\nby = [\"text\"]\n\n[access.write_note]")
}

fn project() -> Sandbox {
    Sandbox::with(&[
        ("tablewright.toml", PROJECT),
        ("models/notes.toml", &with_index("GSI1")),
    ])
}

#[test]
fn every_document_is_written_and_kept_true() {
    let sandbox = project();
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 0
    ── stdout
    wrote docs/notes/README.md
    wrote docs/notes/entity-chart-main.md
    wrote docs/notes/entity-chart-gsi1.md
    wrote docs/notes/relationship-decisions.md
    wrote docs/notes/access-patterns.md
    wrote docs/notes/anti-pattern-review.md
    wrote docs/notes/diagrams.md
    ");
    assert_snapshot!(sandbox.read("docs/notes/access-patterns.md"));
    // From wherever it runs, links are the same.
    assert_snapshot!(sandbox.run_in("models", &["generate", "--check"]), @r"
    exit 0
    ── stdout
    7 files up to date
    ");
}

#[test]
fn the_chart_of_an_index_that_is_gone_is_reported_and_removed() {
    let sandbox = project();
    sandbox.run(&["generate"]);
    // What people wrote stays, whatever it is called.
    sandbox.write("docs/notes/entity-chart-ours.md", b"# Ours\n");
    sandbox.write("models/notes.toml", with_index("ByText").as_bytes());
    let told = sandbox.run(&["generate", "--check"]);
    assert!(told.contains(
        "docs/notes/entity-chart-gsi1.md is left over: nothing generates it any more\n  help: run `tablewright generate`, which removes it\n"
    ), "{told}");
    assert!(told.starts_with("exit 1"));
    assert!(sandbox.path("docs/notes/entity-chart-gsi1.md").exists());
    let told = sandbox.run(&["generate"]);
    assert!(
        told.contains("removed docs/notes/entity-chart-gsi1.md: nothing generates it any more\n"),
        "{told}"
    );
    assert!(!sandbox.path("docs/notes/entity-chart-gsi1.md").exists());
    assert!(sandbox.path("docs/notes/entity-chart-ours.md").exists());
    assert!(sandbox.run(&["generate", "--check"]).starts_with("exit 0"));
}

#[test]
fn what_was_measured_stands_in_the_documents() {
    let sandbox = project();
    sandbox.run(&["generate"]);
    assert!(
        sandbox
            .read("docs/notes/access-patterns.md")
            .contains("| not measured |")
    );
    let text = with_index("GSI1");
    let model = tablewright_model::parse(&text).unwrap();
    let design = tablewright_plan::fingerprint(&model, &tablewright_plan::plan(&model));
    let proof = r#"{"models": [{"model": "notes", "design": "DESIGN", "seed": 1, "items": 1000, "pass": true}], "patterns": [{"model": "notes", "pattern": "notes",
        "request": "Query", "items_small": 1000, "items_large": 10000, "returned": 20, "expected": 20,
        "rcu_small": 1, "rcu_large": 1, "wcu": null, "budget": null, "pass": true, "why": null}], "heat": []}"#;
    let proof = proof.replace("DESIGN", &design);
    sandbox.write("docs/notes/proof.json", proof.as_bytes());
    assert!(sandbox.run(&["generate", "--check"]).starts_with("exit 1"));
    sandbox.run(&["generate"]);
    assert!(
        sandbox
            .read("docs/notes/access-patterns.md")
            .contains("| 1 RCU |")
    );
    assert!(sandbox.run(&["generate", "--check"]).starts_with("exit 0"));
    assert!(
        sandbox
            .read("docs/notes/README.md")
            .contains("[`proof.md`](proof.md)")
    );
    // What was measured of another design says nothing of this one.
    let other = text.replace("[access.notes]\nlist", "[access.notes]\npage = 7\nlist");
    assert_ne!(other, text);
    sandbox.write("models/notes.toml", other.as_bytes());
    sandbox.run(&["generate"]);
    assert_snapshot!(sandbox.run(&["generate", "--check"]));
    assert!(
        sandbox
            .read("docs/notes/access-patterns.md")
            .contains("| not measured |")
    );
    // A proof that is none is not taken for one.
    sandbox.write("docs/notes/proof.json", b"{}");
    assert_snapshot!(sandbox.run(&["generate"]), @r"
    exit 2
    ── stderr
    error: docs/notes/proof.json is no proof: it has no list `patterns`
    hint: run `tablewright prove --keep` again, or delete it: then nothing is said to be measured
    ");
}

#[test]
fn a_review_that_people_signed_is_up_to_date() {
    let sandbox = project();
    sandbox.run(&["generate"]);
    let review = sandbox.read("docs/notes/anti-pattern-review.md");
    let design = review
        .split_once("Design `")
        .and_then(|(_, rest)| rest.split_once('`'))
        .map(|(design, _)| design)
        .unwrap();
    let signed = review.replace(
        "- [ ] **Team consensus on design.** For the team.<br>\n  Signed: ____________________",
        &format!("- [x] **Team consensus on design.** For the team.<br>\n  Signed: Ada, 2024-01-31, {design}"),
    );
    let signed = signed.replace("(none of them signed)", "(1 of them signed)");
    assert_ne!(review, signed);
    sandbox.write("docs/notes/anti-pattern-review.md", signed.as_bytes());
    assert_snapshot!(sandbox.run(&["generate", "--check"]), @r"
    exit 0
    ── stdout
    7 files up to date
    ");
}

#[test]
fn without_the_others_a_document_stands_alone() {
    let sandbox = Sandbox::with(&[
        (
            "tablewright.toml",
            "models = [\"models/notes.toml\"]\n\n[generate]\nreview = \"review.md\"\n",
        ),
        ("models/notes.toml", CLEAN),
    ]);
    assert!(sandbox.run(&["generate"]).starts_with("exit 0"));
    let review = sandbox.read("review.md");
    assert!(!review.contains("access-patterns.md)"));
    assert!(review.contains("- [ ] **Entity charts for main table and all GSIs.** It is not generated. `charts = \"docs/specs/jobs/{model}\"` in `[generate]` does that."));
    assert!(review.contains("`tablewright explain NAME`"));
}
