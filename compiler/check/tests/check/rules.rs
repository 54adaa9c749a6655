//! Every rule fires on its fixture and on nothing else; its near miss is clean; the rendered text is as kept.
//!
//! `TABLEWRIGHT_BLESS=1 cargo test -p tablewright-check` writes the rendered texts anew: read the diff.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tablewright_check::report::{Findings, SourceFile, Style, text};
use tablewright_check::{RULES, check_text};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The findings in a fixture, as a person has them in a model of their own.
fn rendered(path: &Path) -> String {
    let model = fs::read_to_string(path).expect("the fixture can be read");
    let findings = check_text(&model);
    text::render(
        &Findings::new(SourceFile::new("model.toml", model), findings),
        Style::default(),
    )
}

#[test]
fn names_and_codes_are_unique_and_read_well() {
    let mut names = HashSet::new();
    let mut codes = HashSet::new();
    for rule in RULES {
        assert!(names.insert(rule.name), "{} is there twice", rule.name);
        assert!(codes.insert(rule.code), "{} is there twice", rule.code);
        assert!(
            rule.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-'),
            "{} is not in kebab case",
            rule.name
        );
        assert!(rule.why.len() > 150, "{} does not say why", rule.name);
        assert!(
            !rule.summary.ends_with('.'),
            "{}: a summary is no sentence",
            rule.name
        );
    }
}

#[test]
fn every_rule_fires_on_its_fixture_and_no_other_does() {
    for rule in RULES {
        for trips in models_of(rule.name, "trips") {
            let model = fs::read_to_string(&trips).expect("the fixture can be read");
            let findings = check_text(&model);
            assert!(
                !findings.is_empty(),
                "{} finds nothing in {}",
                rule.name,
                trips.display()
            );
            for finding in findings {
                assert_eq!(
                    finding.rule,
                    rule.name,
                    "{}: {}",
                    trips.display(),
                    finding.message
                );
                assert!(
                    finding.help.is_some(),
                    "{}: what to write instead?",
                    rule.name
                );
            }
        }
    }
}

#[test]
fn no_rule_fires_on_a_near_miss() {
    for rule in RULES {
        for passes in models_of(rule.name, "passes") {
            let shown = rendered(&passes);
            assert!(shown.is_empty(), "{}\n{shown}", passes.display());
        }
    }
}

#[test]
fn findings_are_rendered_as_kept() {
    let mut changed = Vec::new();
    for rule in RULES {
        for trips in models_of(rule.name, "trips") {
            let shown = rendered(&trips);
            let kept = trips.with_extension("txt");
            if fs::read_to_string(&kept).is_ok_and(|text| text == shown) {
                continue;
            }
            if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
                fs::write(&kept, &shown).expect("the rendered text can be written");
            } else {
                changed.push(format!("{}:\n{shown}", kept.display()));
            }
        }
    }
    assert!(
        changed.is_empty(),
        "run with TABLEWRIGHT_BLESS=1 if this is right:\n{}",
        changed.join("\n")
    );
}

#[test]
fn a_fix_leaves_nothing_to_find() {
    for rule in RULES {
        for trips in models_of(rule.name, "trips") {
            let model = fs::read_to_string(&trips).expect("the fixture can be read");
            let fixable = check_text(&model)
                .iter()
                .all(|finding| finding.fix.is_some());
            if !fixable {
                continue;
            }
            let fixed = tablewright_check::fix::fix(&model, check_text);
            let left = check_text(&fixed.text);
            assert!(left.is_empty(), "{}: {:?}", trips.display(), left.first());
        }
    }
}

/// The lines a help says to add, each with its section: `add GSI1 = {} to [table.app.index] and …`
fn lines_to_add(help: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut rest = help
        .split_once("add GSI")
        .map(|(_, rest)| format!("GSI{rest}"));
    while let Some((line, after)) = rest.as_deref().and_then(|rest| rest.split_once(" to [")) {
        let (section, after) = after.split_once(']').expect("a section ends");
        lines.push((line.to_owned(), section.to_owned()));
        rest = after.strip_prefix(" and ").map(str::to_owned);
    }
    lines
}

/// The model with a line more in a section, which is added if it is not there.
fn with_line(model: &str, line: &str, section: &str) -> String {
    let header = format!("[{section}]\n");
    match model.find(&header) {
        Some(at) => {
            let (before, after) = model.split_at(at + header.len());
            format!("{before}{line}\n{after}")
        }
        None => format!("{model}\n{header}{line}\n"),
    }
}

/// The model with its requests left to the planner.
fn planned(model: &str) -> String {
    let by_hand = [
        "request",
        "index ",
        "condition",
        "filter",
        "values",
        "names",
        "params",
    ];
    let mut in_access = false;
    let lines = model.lines().filter(|line| {
        if line.starts_with('[') {
            in_access = line.starts_with("[access.");
        }
        !(in_access && by_hand.iter().any(|word| line.starts_with(word)))
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_suggested_key_answers_when_it_is_pasted() {
    let mut pasted = 0;
    for rule in RULES {
        for trips in models_of(rule.name, "trips") {
            let model = fs::read_to_string(&trips).expect("the fixture can be read");
            for finding in check_text(&model) {
                let lines = lines_to_add(finding.help.as_deref().unwrap_or_default());
                if lines.is_empty() {
                    continue;
                }
                let mut model = planned(&model);
                for (line, section) in lines {
                    model = with_line(&model, &line, &section);
                }
                // A relationship is no pattern: the one that uses the index is still to be written.
                let is_used = rule.name != "one-way-relation";
                let mut left = check_text(&model);
                left.retain(|finding| is_used || finding.rule != "unused-index");
                assert!(
                    left.is_empty(),
                    "{}: {:?}\n{model}",
                    trips.display(),
                    left.first()
                );
                pasted += 1;
            }
        }
    }
    assert!(pasted > 10, "only {pasted} suggestions");
}

/// `trips.toml`, `trips-2.toml`, … of a rule.
fn models_of(rule: &str, kind: &str) -> Vec<PathBuf> {
    let mut models: Vec<PathBuf> = fs::read_dir(fixtures().join(rule))
        .unwrap_or_else(|_| panic!("fixtures of {rule}"))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let stem = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            path.extension()
                .is_some_and(|extension| extension == "toml")
                && stem.starts_with(kind)
        })
        .collect();
    models.sort();
    assert!(!models.is_empty(), "{rule} has no {kind}.toml");
    models
}
