//! Every demand of the method, and where it is met: in a document, by a line of the review, by a rule, or by people.

use std::collections::BTreeMap;
use std::path::Path;

use tablewright_check::rule;
use tablewright_emit::review::{PITFALLS, RED_FLAGS, SECTIONS};
use tablewright_model::Model;

use crate::documents::documents;
use crate::read;

/// Where a demand is met.
enum Met {
    /// These words are in this document of the To-Do API.
    In(&'static str, &'static str),
    /// A line of the review, by its words.
    Line(&'static str),
    /// A rule finds where it is not.
    Rule(&'static str),
    /// A line of the review that people sign.
    People(&'static str),
}

use Met::{In, Line, People, Rule};

const MAIN: &str = "entity-chart-main.md";
const GSI1: &str = "entity-chart-gsi1.md";
const GSI5: &str = "entity-chart-gsi5.md";
const DECISIONS: &str = "relationship-decisions.md";
const PATTERNS: &str = "access-patterns.md";
const REVIEW: &str = "anti-pattern-review.md";
const DIAGRAMS: &str = "diagrams.md";
const OVERVIEW: &str = "README.md";

/// Each number with what answers for it; S3-3, S3-27, S3-28 and S3-35 are the types', whose own tests are those of TypeScript.
#[rustfmt::skip]
const DEMANDS: &[(u32, &[Met])] = &[
    (1, &[In(MAIN, "| Task | `TASK#{user_id}` | `TASK#{task_id}` |"), Line("Complete primary key design for all entities")]),
    (2, &[In(MAIN, "entity chart of the primary keys"), In(GSI1, "entity chart of GSI1"), Line("Entity charts for main table and all GSIs")]),
    (3, &[Line("TypeScript entity schemas for all entities")]),
    (4, &[In(DECISIONS, "**Strategy:** Item collection"), Line("Documentation of relationship strategies")]),
    (5, &[In(PATTERNS, "`GSI2PK = USER#{user_id} AND GSI2SK BETWEEN"), Line("Updated access patterns table with query details")]),
    (6, &[In(REVIEW, "# To-Do API: anti-pattern review"), Line("Validation that design avoids common anti-patterns")]),
    (7, &[People("Phase 1 complete and approved"), People("ERD finalized"), Line("All access patterns documented"), People("Stakeholder sign-off on requirements"), In(OVERVIEW, "#prerequisites")]),
    (8, &[Line("All Phase 2 deliverables complete"), Line("Entity charts validated"), Line("Access patterns table completely filled out"), Line("Anti-pattern review passed"), Line("Peer review completed"), People("Team consensus on design"), In(OVERVIEW, "#moving-to-phase-3")]),
    (9, &[In(MAIN, "| User | "), In(MAIN, "| Task | "), In(MAIN, "| TaskCounts | "), In(MAIN, "| Idempotency | "), In(MAIN, "| User (guard of `email`) | ")]),
    (10, &[In(MAIN, "**Composite key.** Several items are read in one request: [`tasks`]"), In(MAIN, "`user_tasks` (1:N)")]),
    (11, &[In(MAIN, "| Entity | PK pattern | SK pattern | Notes |")]),
    (12, &[Line("Each entity has unique PK/SK combination"), Rule("key-overlap"), Rule("unguarded-unique")]),
    (13, &[In(MAIN, "| Query | `PK = TASK#{user_id} AND begins_with(SK, TASK#)` |"), In(GSI1, "| Query | `GSI1PK = USER#{user_id}")]),
    (14, &[Rule("unknown-at-read"), Line("No timestamps in keys unless client knows them")]),
    (15, &[Rule("missing-prefix"), Line("Entity prefixes consistent across all entities")]),
    (16, &[Rule("descriptive-key-name"), Line("Generic key names used (PK, SK)")]),
    (17, &[In(MAIN, "| Entity | PK pattern | SK pattern | Notes |")]),
    (18, &[In(MAIN, "| Access pattern | API call | Key condition | Notes |")]),
    (19, &[Line("Each entity has unique PK/SK combination"), Line("All \"Get by ID\" patterns satisfied"), Line("All \"Get many\" patterns grouped in item collections"), Line("No timestamps in keys unless client knows them"), Line("Generic key names used (PK, SK)"), Line("Entity prefixes consistent across all entities")]),
    (20, &[Rule("unknown-at-read"), Rule("descriptive-key-name")]),
    (21, &[In(MAIN, "Access patterns on the primary keys"), In(PATTERNS, "## Reads")]),
    (22, &[In(DECISIONS, "## User → Task (1:N, unbounded)"), In(DECISIONS, "## User → TaskCounts (1:1)")]),
    (23, &[Rule("strategy-mismatch"), In(DECISIONS, "- 1:N without a bound:")]),
    (24, &[Rule("strategy-mismatch"), Rule("one-way-relation")]),
    (25, &[In(DECISIONS, "**Strategy:**"), In(DECISIONS, "**Rationale:**"), In(DECISIONS, "**Implementation:**"), In(DECISIONS, "**Query:**")]),
    (26, &[Line("All ERD relationships have documented strategies"), Line("Unbounded 1:N not stored as lists"), Line("Bounded 1:N lists have reasonable limits (<20)"), Line("M:N relationships support both access directions"), Line("Relationship items added to entity chart (if applicable)")]),
    (27, &[Line("All entities have TypeScript interfaces")]),
    (28, &[Line("All entities have TypeScript interfaces")]),
    (29, &[In(DIAGRAMS, "string title \"1..200\""), Line("Complex attributes (maps, lists) properly defined")]),
    (30, &[Line("Timestamps in appropriate format"), Rule("mixed-timestamps"), Rule("uneven-timestamp")]),
    (31, &[Line("Complex attributes (maps, lists) properly defined"), Rule("unbounded-collection")]),
    (32, &[Rule("deep-nesting")]),
    (33, &[Line("Type attribute included on every entity"), Rule("missing-type")]),
    (34, &[Line("All entities have TypeScript interfaces"), Line("Type attribute included on every entity"), Line("Complex attributes (maps, lists) properly defined"), Line("No unbounded lists as attributes"), Line("Timestamps in appropriate format"), Line("Attribute names not DynamoDB reserved words")]),
    (35, &[Line("All entities have TypeScript interfaces")]),
    (36, &[Rule("no-answer"), Line("All unsatisfied patterns have GSI strategy")]),
    (37, &[In(GSI1, "Why the primary key does not answer them:")]),
    (38, &[Line("GSIs overloaded where possible"), Rule("two-values-one-index"), In(GSI1, "these cannot be one index")]),
    (39, &[In(GSI1, ": selected by `status`"), In(GSI5, "selected by `status in (pending, in_progress)`; sorted by `due_date`")]),
    (40, &[Rule("shared-key-attribute"), Line("Separate attributes per index")]),
    (41, &[In(GSI1, "**Projection `ALL`.**"), Line("Projection strategy chosen for each GSI")]),
    (42, &[Rule("two-values-one-index"), Rule("low-cardinality-index"), Rule("unique-by-reading")]),
    (43, &[In(GSI5, "A write after which that no longer holds removes the index attributes.")]),
    (44, &[In(GSI1, "| Entity | GSI1PK pattern | GSI1SK pattern | Access pattern | Notes |")]),
    (45, &[In(PATTERNS, "| Entity | Access pattern | Index | Key condition | Parameters | Notes | Planned | Measured |")]),
    (46, &[Line("All unsatisfied patterns have GSI strategy"), Line("GSIs overloaded where possible"), Line("Separate attributes per index"), People("Eventual consistency acceptable for all GSI queries"), Line("Projection strategy chosen for each GSI"), Line("Entity charts created for each GSI"), Line("Access patterns table updated with query details")]),
    (47, &[Rule("index-per-pattern"), Rule("shared-key-attribute"), Rule("accidental-sparse")]),
    (48, &[Line("No Scan operations in application code"), Line("All patterns use Query or GetItem"), Line("Filter expressions not primary access mechanism"), Line("Each pattern documented with specific parameters")]),
    (49, &[Line("Generic key names (PK, SK, GSI1PK, etc.)"), Line("No timestamps in keys unless client knows them"), Line("Separate attributes per index (no reuse)"), Line("Type attribute on every item"), Line("Entity prefixes consistent")]),
    (50, &[Line("Related items pre-joined in item collections"), Line("No multiple serial requests for fetching relations"), Line("Unbounded lists not in single items"), Line("Denormalization accepted for performance")]),
    (51, &[Line("Data access layer at boundary"), Line("Indexing separate from application attributes"), Line("No ORM usage"), Line("Single table for related entities")]),
    (52, &[Line("GSI overloading maximized"), Line("Storage optimization not prioritized over compute"), Line("No full-table scans expected")]),
    (53, &[Line("\"We'll just Scan and filter for now\""), Line("\"Let's normalize this to save storage\""), Line("\"We can add patterns later without planning\""), Line("\"One GSI per entity type is cleaner\"")]),
    (54, &[People("Senior engineer familiar with DynamoDB"), People("Team member from Phase 1 discussions"), People("Someone not involved in modeling (fresh perspective)")]),
    (55, &[In(REVIEW, "Signed: ____________________"), In(REVIEW, "Design `")]),
    (56, &[Line("Skipping relationship strategy decisions."), Line("Creating too many GSIs."), Line("Reusing attributes across indexes."), Line("Not including Type attribute."), Line("Descriptive key names."), Rule("index-quota")]),
    (57, &[In(OVERVIEW, MAIN), In(OVERVIEW, DECISIONS), In(OVERVIEW, GSI1), In(OVERVIEW, PATTERNS), In(OVERVIEW, REVIEW), Line("All Phase 2 deliverables complete")]),
];

fn todo() -> (Model, BTreeMap<String, String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/todo.toml");
    let model = read(&path);
    let documents = documents(&model, Path::new("jobs/model"), None);
    (model, documents)
}

#[test]
fn every_demand_of_the_method_is_met_somewhere() {
    let numbers: Vec<u32> = DEMANDS.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=57).collect::<Vec<_>>());
    let (_, documents) = todo();
    let lines = SECTIONS.iter().flat_map(|section| section.lines);
    let flags = RED_FLAGS.iter().chain(PITFALLS).map(|flag| flag.text);
    let lines: Vec<&str> = lines.map(|line| line.text).chain(flags).collect();
    for (number, met) in DEMANDS {
        assert!(!met.is_empty(), "S3-{number}");
        for one in *met {
            match one {
                In(file, words) => assert!(
                    documents[*file].contains(words),
                    "S3-{number}: {file} does not say {words}"
                ),
                Line(words) => assert!(lines.contains(words), "S3-{number}: {words}"),
                Rule(name) => assert!(rule(name).is_some(), "S3-{number}: {name}"),
                People(words) => {
                    assert!(lines.contains(words), "S3-{number}: {words}");
                    let line = format!("- [ ] **{words}.**");
                    let (_, rest) = documents[REVIEW].split_once(&line).expect("it is open");
                    let signature = rest.lines().nth(1).unwrap_or_default();
                    assert_eq!(signature, "  Signed: ____________________", "S3-{number}");
                }
            }
        }
    }
}

#[test]
fn every_pattern_is_mapped_to_its_request_in_one_chart() {
    // S3-13: of the table, or of the index it reads
    let (model, documents) = todo();
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
