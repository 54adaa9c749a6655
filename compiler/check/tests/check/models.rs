//! The repository's own models: the four are clean and valid, the transcribed documents give the findings they must.
//!
//! `TABLEWRIGHT_BLESS=1 cargo test -p tablewright-check` writes the findings anew: read the diff.

use std::fs;
use std::path::{Path, PathBuf};

use tablewright_check::report::{Findings, SourceFile, Style, Summary, text};
use tablewright_check::{RULES, check_text};
use tablewright_model::parse;
use tablewright_plan::Answer;

const CORRECTED: &[&str] = &["todo", "tasks", "ask", "accounts"];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn read(path: &str) -> String {
    let path = models().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn no_rule_fires_on_the_four_models() {
    for name in CORRECTED {
        let model = read(&format!("{name}.toml"));
        let findings = Findings::new(SourceFile::new(*name, model.clone()), check_text(&model));
        let shown = text::render(&findings, Style::default());
        assert!(shown.is_empty(), "{shown}");
    }
}

#[test]
fn every_pattern_of_the_four_models_has_an_answer_by_key() {
    for name in CORRECTED {
        let model = parse(&read(&format!("{name}.toml"))).expect("a clean model");
        for plan in tablewright_plan::plan(&model) {
            assert!(
                matches!(plan.answer, Answer::Read(_) | Answer::Write(_)),
                "{name}.{}: {:?}",
                plan.pattern,
                plan.answer
            );
        }
    }
}

/// S0-51, S1-50: the units of every pattern are stated, and `over-budget` holds the plans to them.
#[test]
fn every_pattern_of_the_four_models_states_its_units() {
    for name in CORRECTED {
        let model = parse(&read(&format!("{name}.toml"))).expect("a clean model");
        for access in &model.accesses {
            assert!(access.budget.is_some(), "{name}.{}", access.name);
        }
    }
}

#[test]
fn every_model_is_valid_under_the_published_schema() {
    let schema: serde_json::Value =
        serde_json::from_str(&read("../docs/model.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let written = AS_WRITTEN
        .iter()
        .map(|document| format!("as-written/{}", document.name));
    let corrected = CORRECTED.iter().map(|name| (*name).to_owned());
    for name in corrected.chain(written) {
        let model: serde_json::Value =
            toml::from_str(&read(&format!("{name}.toml"))).expect("TOML");
        let faults: Vec<String> = validator
            .iter_errors(&model)
            .map(|error| error.to_string())
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
    let wrong: serde_json::Value =
        toml::from_str("model = { name = \"x\", nam = 1 }").expect("TOML");
    assert!(!validator.is_valid(&wrong), "the schema refuses nothing");
}

/// A document's design as it was written, and what must be found in it at least.
struct Document {
    name: &'static str,
    must: &'static [(&'static str, usize)],
}

const AS_WRITTEN: &[Document] = &[
    Document {
        name: "000-todo",
        must: &[
            ("equality-on-prefix", 4),
            ("range-end-lost", 1),
            ("enum-order", 1),
            ("delimiter-in-value", 1),
            ("filter-selects", 2),
            ("scan", 3),
            ("unguarded-unique", 1),
            ("ttl-type", 1),
            ("missing-type", 1),
            ("check-then-write", 1),
            ("batch-as-atomic", 1),
        ],
    },
    Document {
        name: "001-tasks",
        must: &[
            ("low-cardinality-index", 1),
            ("dual-write-event", 3),
            ("check-then-write", 1),
            ("parent-last", 1),
            ("no-tie-breaker", 1),
            ("key-type-conflict", 1),
            ("update-creates", 1),
            ("serial-reads", 1),
            ("unkeyed-retry", 1),
        ],
    },
    Document {
        name: "002-ask",
        must: &[
            ("key-type", 1),
            ("low-cardinality-index", 1),
            ("hot-key", 1),
            ("unique-by-reading", 1),
            ("ttl-is-deadline", 1),
            ("ttl-orphans", 1),
            ("loose-counter", 1),
            ("unbounded-collection", 1),
            ("unguarded-unique", 1),
            ("undocumented-relationship", 1),
        ],
    },
    Document {
        name: "003-method",
        must: &[
            ("matches-nothing", 1),
            ("two-values-one-index", 1),
            ("get-on-index", 2),
            ("unknown-at-read", 1),
            ("reads-strangers", 1),
            ("unguarded-unique", 1),
            ("low-cardinality-index", 1),
            ("one-way-relation", 1),
            ("unbounded-collection", 1),
            ("unbounded-list", 1),
            ("case-sensitive-key", 1),
            ("mixed-timestamps", 1),
        ],
    },
    Document {
        name: "004-versioned",
        must: &[
            ("lost-update", 1),
            ("create-overwrites", 1),
            ("unsafe-table", 1),
        ],
    },
];

#[test]
fn the_documents_as_written_give_what_they_must() {
    for document in AS_WRITTEN {
        let findings = check_text(&read(&format!("as-written/{}.toml", document.name)));
        for (rule, least) in document.must {
            let count = findings
                .iter()
                .filter(|finding| finding.rule == *rule)
                .count();
            assert!(
                count >= *least,
                "{}: {rule} {count} times, not {least}",
                document.name
            );
        }
        for finding in &findings {
            assert!(
                RULES.iter().any(|rule| rule.name == finding.rule),
                "{}: a transcription is a model, its mistakes are of design: {finding:?}",
                document.name
            );
        }
    }
}

#[test]
fn the_findings_in_the_documents_are_as_kept() {
    let mut changed = Vec::new();
    for document in AS_WRITTEN {
        let file = format!("as-written/{}.toml", document.name);
        let model = read(&file);
        let findings = Findings::new(
            SourceFile::new(format!("models/{file}"), model.clone()),
            check_text(&model),
        );
        let summary = Summary::of(std::slice::from_ref(&findings));
        let shown = format!("{}{summary}\n", text::render(&findings, Style::default()));
        let kept = models().join(&file).with_extension("txt");
        if fs::read_to_string(&kept).is_ok_and(|text| text == shown) {
            continue;
        }
        if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
            fs::write(&kept, &shown).expect("the findings can be written");
        } else {
            changed.push(kept);
        }
    }
    assert!(
        changed.is_empty(),
        "run with TABLEWRIGHT_BLESS=1 if this is right: {changed:?}"
    );
}
