//! Every demand of the method, and what shows that it is met. A line of the review counts only if it can also be left unticked: for each
//! there is a model, or a project, for which it is.

mod demands;
mod forms;

use std::collections::BTreeMap;
use std::path::Path;

use tablewright_check::{check, rule};
use tablewright_emit::artefacts::{Job, Places};
use tablewright_emit::review::{Answer, Evidence, PITFALLS, RED_FLAGS, SECTIONS, State};
use tablewright_emit::typescript;
use tablewright_model::{Model, parse};

use crate::documents::{documents, places};
use crate::read;
use demands::DEMANDS;

/// What shows that a demand is met.
enum Met {
    /// These words are in this document of the To-Do API.
    In(&'static str, &'static str),
    /// These words are in this document of another model.
    Of(&'static str, &'static str, &'static str),
    /// A line of the review is ticked for the To-Do API, and for none of the models that trip these rules.
    Line(&'static str, &'static [&'static str]),
    /// A line is ticked for the To-Do API, and not when the project does not ask for this artefact.
    Needs(&'static str, &'static str),
    /// A line is ticked for the To-Do API, and not for this model.
    Unless(&'static str, &'static str),
    /// A rule finds it where it is, and not in a near miss.
    Rule(&'static str),
    /// A line of the review that people sign.
    People(&'static str),
    /// A test of its own, named here.
    Test(fn()),
}

const REVIEW: &str = "anti-pattern-review.md";
const PATTERNS: &str = "access-patterns.md";

fn model(name: &str) -> Model {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.toml")))
}

/// All documents of a model of this repository, its types among them.
fn documents_of(name: &str) -> BTreeMap<String, String> {
    let model = model(name);
    let mut documents = documents(&model, Path::new("jobs/model"), None);
    let types = typescript::module(&model, "model.toml").expect("it has types");
    documents.insert(String::from("entity-schemas.ts"), types);
    documents
}

/// Everything the method asks for, and where it stands.
fn all_places() -> Places {
    let folder = Path::new("jobs/model");
    places(folder).with("typescript", folder.join("entity-schemas.ts"))
}

/// The same without one.
fn places_without(key: &str) -> Places {
    let keys = [
        "model",
        "rules",
        "rust",
        "typescript",
        "charts",
        "relationships",
        "patterns",
        "review",
        "diagrams",
    ];
    let all = all_places();
    let kept = keys.iter().filter(|one| **one != key);
    kept.fold(Places::default(), |places, key| {
        places.with(key, all.get(key).expect("it has a place"))
    })
}

/// What the review says to each line and each flag.
fn answers(model: &Model, places: &Places) -> BTreeMap<&'static str, Answer> {
    let job = Job {
        model,
        source: "model.toml",
        place: Path::new("jobs/model/anti-pattern-review.md"),
        places,
        proof: None,
    };
    let evidence = Evidence::new(&job, Vec::new());
    let lines = SECTIONS.iter().flat_map(|section| section.lines);
    let lines = lines.map(|line| (line.text, line.answer));
    let flags = RED_FLAGS.iter().chain(PITFALLS);
    let flags = flags.map(|flag| (flag.text, flag.answer));
    lines
        .chain(flags)
        .map(|(text, answer)| (text, answer(&evidence)))
        .collect()
}

fn finds(rule: &str, text: &str) -> bool {
    let model = parse(text).unwrap_or_else(|faults| panic!("{rule}: {faults:#?}"));
    check(&model).iter().any(|found| found.rule == rule)
}

#[test]
fn every_demand_of_the_method_is_met() {
    let numbers: Vec<&str> = DEMANDS.iter().map(|(number, _)| *number).collect();
    let wanted: Vec<String> = (1..=57).map(|number| format!("S3-{number}")).collect();
    assert_eq!(numbers, wanted);
    let todo = documents_of("todo");
    let good = answers(&model("todo"), &all_places());
    let ticked = |line: &str| {
        let answer = good.get(line).unwrap_or_else(|| panic!("no line {line}"));
        assert_eq!(answer.state, State::Holds, "{line}: {answer:?}");
    };
    for (number, met) in DEMANDS {
        assert!(!met.is_empty(), "{number}");
        for one in *met {
            match one {
                Met::In(file, words) => {
                    assert!(
                        todo[*file].contains(words),
                        "{number}: {file} does not say {words}"
                    );
                }
                Met::Of(name, file, words) => assert!(
                    documents_of(name)[*file].contains(words),
                    "{number}: {file} of {name} does not say {words}"
                ),
                Met::Line(line, rules) => {
                    ticked(line);
                    assert!(!rules.is_empty(), "{number}: {line}");
                    for name in *rules {
                        let rule = rule(name).unwrap_or_else(|| panic!("{number}: no rule {name}"));
                        let bad = answers(&parse(rule.trips).unwrap(), &all_places());
                        assert_eq!(bad[line].state, State::Fails, "{number}: {line}, {name}");
                    }
                }
                Met::Needs(line, artefact) => {
                    ticked(line);
                    let bad = answers(&model("todo"), &places_without(artefact));
                    assert_ne!(
                        bad[line].state,
                        State::Holds,
                        "{number}: {line}, {artefact}"
                    );
                }
                Met::Unless(line, text) => {
                    ticked(line);
                    let bad = parse(text).unwrap_or_else(|faults| panic!("{number}: {faults:#?}"));
                    let bad = answers(&bad, &all_places());
                    assert_eq!(bad[line].state, State::Fails, "{number}: {line}");
                }
                Met::Rule(name) => {
                    let rule = rule(name).unwrap_or_else(|| panic!("{number}: no rule {name}"));
                    assert!(finds(name, rule.trips), "{number}: {name} finds nothing");
                    assert!(!finds(name, rule.passes), "{number}: {name} finds too much");
                }
                Met::People(line) => {
                    assert_eq!(good[line].state, State::Open, "{number}: {line}");
                    let line = format!("- [ ] **{line}.**");
                    let (_, rest) = todo[REVIEW].split_once(&line).expect("it is open");
                    let signature = rest.lines().nth(1).unwrap_or_default();
                    assert_eq!(signature, "  Signed: ____________________", "{number}");
                }
                Met::Test(test) => test(),
            }
        }
    }
}

#[test]
fn every_pattern_is_mapped_to_its_request_in_one_chart() {
    // S3-13: of the table, or of the index it reads
    let (model, documents) = (model("todo"), documents_of("todo"));
    for access in &model.accesses {
        let row = format!("(access-patterns.md#{}) |", access.name);
        let named = format!("(access-patterns.md#{})) |", access.name);
        let charts = documents.iter().filter(|(file, text)| {
            let mut rows = text.lines().filter(|line| line.starts_with('|'));
            let mapped = |line: &str| {
                line.contains(&named) || line.starts_with(&format!("| [`{}`]{row}", access.name))
            };
            file.starts_with("entity-chart-") && rows.any(mapped)
        });
        assert_eq!(charts.count(), 1, "{}", access.name);
        let anchor = format!("<a id=\"{}\"></a>", access.name);
        assert_eq!(documents[PATTERNS].matches(&anchor).count(), 1);
    }
}
