//! The review: 63 lines in the words of the method, and none that is ticked without what settles it.

use std::path::Path;

use tablewright_check::{RULES, rule};
use tablewright_emit::artefacts::{ARTEFACTS, Job, Places};
use tablewright_emit::review::{
    Answer, Evidence, Named, PITFALLS, RED_FLAGS, SECTIONS, State, page,
};
use tablewright_model::{Model, parse};

use crate::documents::places;
use crate::{folder, read};

/// The check boxes of the method, in their order: section by section.
const BOXES: &[(&str, usize)] = &[
    ("Objectives", 6),
    ("Prerequisites", 4),
    ("Step 1: Design Primary Keys", 6),
    ("Step 2: Model Relationships", 5),
    ("Step 3: Define Entity Schemas", 6),
    ("Step 4: Design Secondary Indexes", 7),
    ("Step 5: Validate Against Anti-Patterns", 0),
    ("Access Patterns", 4),
    ("Key Design", 5),
    ("Relationships", 4),
    ("Architecture", 4),
    ("Cost & Performance", 3),
    ("Peer Review", 3),
    ("Moving to Phase 3", 6),
];

fn with_job<T>(model: &Model, places: &Places, run: impl FnOnce(&Job<'_>) -> T) -> T {
    run(&Job {
        model,
        source: "model.toml",
        place: places.get("review").expect("it has a place"),
        places,
        proof: None,
    })
}

fn answers(model: &Model) -> Vec<(&'static str, Answer)> {
    let places = places(Path::new("jobs/model"));
    with_job(model, &places, |job| {
        let evidence = Evidence::new(job, Vec::new());
        let lines = SECTIONS.iter().flat_map(|section| section.lines);
        let lines = lines.map(|line| (line.text, (line.answer)(&evidence)));
        let flags = RED_FLAGS.iter().chain(PITFALLS);
        let flags = flags.map(|flag| (flag.text, (flag.answer)(&evidence)));
        lines.chain(flags).collect()
    })
}

fn models() -> Vec<(String, Model)> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let ours = ["accounts", "todo", "tasks", "ask"].map(|name| models.join(format!("{name}.toml")));
    let theirs = ["everything", "corners"].map(|name| folder().join(format!("{name}.toml")));
    let all = ours.into_iter().chain(theirs);
    all.map(|path| (path.display().to_string(), read(&path)))
        .collect()
}

#[test]
fn the_review_has_the_63_lines_of_the_method() {
    // S3-6, S3-19, S3-26, S3-34, S3-46, S3-48 to S3-55
    let sections: Vec<(&str, usize)> = SECTIONS
        .iter()
        .map(|section| (section.title, section.lines.len()))
        .collect();
    assert_eq!(sections, BOXES);
    assert_eq!(BOXES.iter().map(|(_, lines)| lines).sum::<usize>(), 63);
    assert_eq!((RED_FLAGS.len(), PITFALLS.len()), (4, 5)); // S3-53, S3-56
    for (name, model) in models() {
        let places = places(Path::new("jobs/model"));
        let text = with_job(&model, &places, |job| page(job, ""));
        let is_box = |line: &&str| line.starts_with("- [ ] ") || line.starts_with("- [x] ");
        let boxes = text.lines().filter(is_box);
        assert_eq!(boxes.count(), 63, "{name}");
    }
}

#[test]
fn every_line_names_evidence_that_exists() {
    for (name, model) in models() {
        for (line, answer) in answers(&model) {
            assert!(!answer.evidence.is_empty(), "{name}: {line}");
            assert!(
                answer.words.iter().any(|words| !words.is_empty()),
                "{name}: {line}"
            );
            for named in &answer.evidence {
                let exists = match named {
                    Named::Rule(rule_name) => rule(rule_name).is_some(),
                    Named::Pattern(pattern) => model.access(pattern).is_some(),
                    Named::Document(key) => ARTEFACTS.iter().any(|one| one.name == *key),
                    Named::Declared | Named::People => true,
                    Named::Proof => false,
                };
                assert!(exists, "{name}: {line}: {named:?}");
            }
        }
    }
}

#[test]
fn a_line_whose_rule_fires_is_not_ticked() {
    let mut named = 0;
    for rule in RULES {
        let Ok(model) = parse(rule.trips) else {
            continue;
        };
        for (line, answer) in answers(&model) {
            if answer.evidence.contains(&Named::Rule(rule.name)) {
                named += 1;
                assert_eq!(answer.state, State::Fails, "{}: {line}", rule.name);
            }
        }
    }
    assert!(named > 100, "{named} lines rest on a rule that fired");
}

#[test]
fn a_rule_is_named_by_the_line_it_answers() {
    // Whoever reads a finding finds the line it speaks against: all but the rules about operation and hand-written requests.
    let model = read(&folder().join("everything.toml"));
    let answers = answers(&model);
    for name in [
        "scan",
        "filter-selects",
        "no-answer",
        "key-overlap",
        "unknown-at-read",
        "missing-prefix",
        "missing-type",
        "strategy-mismatch",
        "one-way-relation",
        "unbounded-collection",
        "reserved-word",
        "duplicate-index",
        "strong-on-gsi",
        "not-projected",
        "loose-counter",
    ] {
        let specific = answers.iter().filter(|(line, answer)| {
            *line != "Validation that design avoids common anti-patterns"
                && answer.evidence.contains(&Named::Rule(name))
        });
        assert!(specific.count() > 0, "{name}");
    }
}

#[test]
fn what_the_model_allows_is_told_with_its_reason() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/ask.toml"),
    )
    .unwrap();
    let model = parse(&text).unwrap();
    let places = places(Path::new("jobs/model"));
    let review = with_job(&model, &places, |job| page(job, ""));
    let (_, allowed) = review.split_once("## Allowed").unwrap();
    assert!(
        allowed.contains("**Reason:** A board is sorted by points, and every answer earns some")
    );
}

#[test]
fn what_people_signed_is_kept_as_long_as_the_design_is_the_same() {
    // S3-54, S3-55
    let text = std::fs::read_to_string(folder().join("everything.toml")).unwrap();
    let model = parse(&text).unwrap();
    let places = places(Path::new("jobs/model"));
    let review = |model: &Model, before: &str| with_job(model, &places, |job| page(job, before));
    let empty = review(&model, "");
    let design = empty
        .split_once("Design `")
        .and_then(|(_, rest)| rest.split_once('`'))
        .map(|(design, _)| design.to_owned())
        .unwrap();
    let blank = "Signed: ____________________";
    let signed = empty.replace(blank, &format!("Signed: Ada, 2024-01-31, {design}"));
    let kept = review(&model, &signed);
    assert!(!kept.contains(blank));
    assert!(kept.contains("- [x] **Team consensus on design.**"));
    assert!(kept.contains("- [x] **Peer review completed.** All 3 have signed"));
    assert_eq!(review(&model, &kept), kept);
    // Words, facts and rates are no design; keys are.
    let reworded = parse(&text.replace("What is this shop?", "Which shop is it?")).unwrap();
    assert!(review(&reworded, &kept).contains("- [x] **Team consensus on design.**"));
    let other = parse(&text.replace("ORDER#{order_id}", "ORDERS#{order_id}")).unwrap();
    let lapsed = review(&other, &kept);
    assert!(lapsed.contains("- [ ] **Team consensus on design.**"));
    assert!(lapsed.contains(&format!(
        "Signed: Ada, 2024-01-31, {design} *(for another design)*"
    )));
    assert!(lapsed.contains("- [ ] **Peer review completed.** None of the 3 has signed"));
    // And back.
    assert!(review(&model, &lapsed).contains("- [x] **Team consensus on design.**"));
    // Without a name or a day nobody has signed, and the line says why.
    let nameless = empty.replacen(blank, &format!("Signed: 2024-01-31, {design}"), 1);
    let nameless = review(&model, &nameless);
    assert!(nameless.contains("- [ ] **Phase 1 complete and approved.**"));
    assert!(nameless.contains(" *(this signs nothing: a name is missing)*"));
    assert!(nameless.contains("(none of them signed)"));
    let one = empty.replacen(
        "Team member from Phase 1 discussions.** Are these all the questions that were written down, and does each mean what was meant?<br>\n  Signed: ____________________",
        &format!("Team member from Phase 1 discussions.** So.<br>\n  Signed: Ada, 2024-01-31, {design}"),
        1,
    );
    assert!(review(&model, &one).contains("1 of the 3 has signed"));
}

#[test]
fn a_line_says_what_the_plans_show() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let line = |name: &str, line: &str| {
        let model = read(&models.join(format!("{name}.toml")));
        let mut answers = answers(&model).into_iter();
        let (_, answer) = answers.find(|(text, _)| *text == line).unwrap();
        (answer.state, answer.words.join(" "))
    };
    // What a caller may ask for besides and what is searched are filters as well. (S3-48)
    let (_, filters) = line("todo", "Filter expressions not primary access mechanism");
    assert!(filters.contains("the caller may ask for less than the key selects"));
    assert!(filters.contains("#search_tasks) looks for words in all that the key selects"));
    let (_, filters) = line("ask", "Filter expressions not primary access mechanism");
    assert!(filters.contains("#open_questions) (keeps 95 % of what it reads)"));
    let (_, filters) = line(
        "accounts",
        "Filter expressions not primary access mechanism",
    );
    assert!(filters.starts_with("No pattern has a filter"));
    // Links, and then what they lead to, are two requests: whether that is good enough is for people to say. (S3-50)
    let serial = "No multiple serial requests for fetching relations";
    let (state, words) = line("tasks", serial);
    assert_eq!(state, State::Open);
    assert!(words.contains("#assignments_of_user) give links of `task_members`"));
    assert!(words.contains("#tasks_by_ids) or [`users_by_ids`]"));
    assert_eq!(line("todo", serial).0, State::Holds);
    // What lies in two tables is not read with one request, whatever its strategy is called. (S3-50, S3-51)
    let (_, joined) = line("ask", "Related items pre-joined in item collections");
    assert!(joined.contains("of another table or of its index: `question_responses`"));
    let (_, joined) = line("todo", "Related items pre-joined in item collections");
    assert!(joined.contains("In one partition with the item they belong to: `user_counts`."));
    assert!(joined.contains(
        "Together in a partition of their own, of the table or of an index: `user_tasks`."
    ));
    // An index that cannot be shared is no red flag, and none that is shared either. (S3-53)
    let (state, flag) = line("ask", "\"One GSI per entity type is cleaner\"");
    assert_eq!(state, State::Decided);
    assert!(flag.contains("a table holds one entity, and so do its indexes"));
    let (state, flag) = line("tasks", "\"One GSI per entity type is cleaner\"");
    assert_eq!(state, State::Holds);
    assert!(flag.starts_with(
        "`UserTasksIndex` holds Task, User, Assignment, WaitingMail and UndeliveredMail."
    ));
}
