//! The demands of document 003, each with what shows that it is met.

use super::Met::{self, In, Line, Needs, Of, People, Rule, Test, Unless};
use super::{PATTERNS, REVIEW, forms};

const MAIN: &str = "entity-chart-main.md";
const GSI1: &str = "entity-chart-gsi1.md";
const GSI5: &str = "entity-chart-gsi5.md";
const USER_TASKS: &str = "entity-chart-usertasksindex.md";
const DECISIONS: &str = "relationship-decisions.md";
const TYPES: &str = "entity-schemas.ts";
const OVERVIEW: &str = "README.md";

const COMPLETE: &str = "Complete primary key design for all entities";
const CHARTS: &str = "Entity charts for main table and all GSIs";
const SCHEMAS: &str = "TypeScript entity schemas for all entities";
const INTERFACES: &str = "All entities have TypeScript interfaces";
const STRATEGIES: &str = "Documentation of relationship strategies";
const TABLE: &str = "Updated access patterns table with query details";
const TABLE_AGAIN: &str = "Access patterns table updated with query details";
const UNIQUE: &str = "Each entity has unique PK/SK combination";
const BY_ID: &str = "All \"Get by ID\" patterns satisfied";
const MANY: &str = "All \"Get many\" patterns grouped in item collections";
const TIMES_IN_KEYS: &str = "No timestamps in keys unless client knows them";
const GENERIC: &str = "Generic key names used (PK, SK)";
const PREFIXES: &str = "Entity prefixes consistent across all entities";
const TYPE: &str = "Type attribute included on every entity";
const COMPLEX: &str = "Complex attributes (maps, lists) properly defined";
const NO_LISTS: &str = "No unbounded lists as attributes";
const TIMES: &str = "Timestamps in appropriate format";
const RESERVED: &str = "Attribute names not DynamoDB reserved words";
const UNSATISFIED: &str = "All unsatisfied patterns have GSI strategy";
const OVERLOADED: &str = "GSIs overloaded where possible";
const SEPARATE: &str = "Separate attributes per index";
const PROJECTION: &str = "Projection strategy chosen for each GSI";
const DELIVERABLES: &str = "All Phase 2 deliverables complete";

/// A pattern that does not say what it is for, and an item whose size nobody knows.
const SILENT: &str = r##"
[model]
name = "silent"
[table.t]
partition_key = "PK"
sort_key = "SK"
type = "Type"
[entity.E]
table = "t"
key = { partition = "E#{id}", sort = "METADATA" }
[entity.E.fields]
id = "id"
[access.e]
get = "E"
by = ["id"]
"##;

/// A key attribute that is a field as well, and a relationship between two tables.
const MIXED: &str = r##"
[model]
name = "mixed"
[table.a]
partition_key = "PK"
sort_key = "SK"
type = "Type"
[table.b]
partition_key = "PK"
sort_key = "SK"
type = "Type"
[entity.A]
table = "a"
key = { partition = "A#{PK}", sort = "METADATA" }
[entity.A.fields]
PK = "id"
[entity.B]
table = "b"
key = { partition = "A#{a}", sort = "B#{b}" }
[entity.B.fields]
a = "id"
b = "ulid"
[relationship.a_b]
from = "A"
to = "B"
kind = "1:N"
bound = "unbounded"
strategy = "item-collection"
why = "There are many."
"##;

#[rustfmt::skip]
pub(super) const DEMANDS: &[(&str, &[Met])] = &[
    ("S3-1", &[In(MAIN, "| Task | `TASK#{user_id}` | `TASK#{task_id}` |"), Line(COMPLETE, &["mutable-key", "optional-key", "unpadded-number", "enum-order"])]),
    ("S3-2", &[In(MAIN, "entity chart of the primary keys"), In(GSI1, "entity chart of GSI1"), Needs(CHARTS, "charts")]),
    ("S3-3", &[In(TYPES, "export interface Task {"), Needs(SCHEMAS, "typescript")]),
    ("S3-4", &[In(DECISIONS, "**Strategy:** Item collection"), Needs(STRATEGIES, "relationships"), Line(STRATEGIES, &["undocumented-relationship", "strategy-mismatch"])]),
    ("S3-5", &[In(PATTERNS, "`GSI2PK = USER#{user_id} AND GSI2SK BETWEEN"), Needs(TABLE, "patterns"), Line(TABLE, &["no-answer"])]),
    ("S3-6", &[In(REVIEW, "# To-Do API: anti-pattern review"), Line("Validation that design avoids common anti-patterns", &["scan", "key-overlap", "range-end-lost"])]),
    ("S3-7", &[People("Phase 1 complete and approved"), People("ERD finalized"), Unless("All access patterns documented", SILENT), People("Stakeholder sign-off on requirements"), In(OVERVIEW, "#prerequisites")]),
    ("S3-8", &[Needs(DELIVERABLES, "relationships"), Line("Entity charts validated", &["key-overlap", "duplicate-index"]), Unless("Access patterns table completely filled out", SILENT), Line("Anti-pattern review passed", &["scan"]), In(REVIEW, "- [ ] **Peer review completed.** None of the 3 has signed"), People("Team consensus on design"), In(OVERVIEW, "#moving-to-phase-3")]),
    ("S3-9", &[In(MAIN, "| User | "), In(MAIN, "| Task | "), In(MAIN, "| TaskCounts | "), In(MAIN, "| Idempotency | "), In(MAIN, "| User (guard of `email`) | ")]),
    ("S3-10", &[In(MAIN, "**Composite key.** Several items are read in one request: [`tasks`]"), In(MAIN, "`user_tasks` (1:N)"), Of("ask", MAIN, "It holds the items of a relationship: `question_responses` (1:N). Within a partition, the sort key tells"), Of("accounts", MAIN, "**Simple key.** Its primary key is only ever asked for single items: [`read`]")]),
    ("S3-11", &[In(MAIN, "| Entity | PK pattern | SK pattern | Notes |"), In(MAIN, "| TaskCounts | `USER#{user_id}` | `COUNTS` |")]),
    ("S3-12", &[Line(UNIQUE, &["key-overlap", "ambiguous-template", "unguarded-unique", "unique-by-reading"])]),
    ("S3-13", &[In(MAIN, "| Query | `PK = TASK#{user_id} AND begins_with(SK, TASK#)` |"), In(GSI1, "| Query | `GSI1PK = USER#{user_id}")]),
    ("S3-14", &[Rule("unknown-at-read"), Line(TIMES_IN_KEYS, &["unknown-at-read"])]),
    ("S3-15", &[Rule("missing-prefix"), Rule("inconsistent-prefix"), Line(PREFIXES, &["missing-prefix", "inconsistent-prefix"])]),
    ("S3-16", &[Rule("descriptive-key-name"), Line(GENERIC, &["descriptive-key-name"]), In(GSI1, "Partition key `GSI1PK` (String), sort key `GSI1SK` (String).")]),
    ("S3-17", &[In(MAIN, "| Entity | PK pattern | SK pattern | Notes |")]),
    ("S3-18", &[In(MAIN, "| Access pattern | API call | Key condition | Notes |")]),
    ("S3-19", &[Line(UNIQUE, &["key-overlap"]), Line(BY_ID, &["no-answer", "get-on-index"]), Line(MANY, &["equality-on-prefix", "open-prefix", "key-part-skipped"]), Line(TIMES_IN_KEYS, &["unknown-at-read"]), Line(GENERIC, &["descriptive-key-name"]), Line(PREFIXES, &["inconsistent-prefix"])]),
    ("S3-20", &[Rule("unknown-at-read"), Rule("descriptive-key-name"), Line(TIMES_IN_KEYS, &["unknown-at-read"]), Line(GENERIC, &["descriptive-key-name"])]),
    ("S3-21", &[In(MAIN, "Access patterns on the primary keys"), In(PATTERNS, "## Reads")]),
    ("S3-22", &[In(DECISIONS, "## User → Task (1:N, unbounded)"), In(DECISIONS, "## User → TaskCounts (1:1)"), Of("tasks", DECISIONS, "## Task ↔ User (M:N, unbounded)")]),
    ("S3-23", &[Rule("strategy-mismatch"), In(DECISIONS, "- 1:N without a bound:"), Test(forms::the_forms_of_the_decision_tree)]),
    ("S3-24", &[Test(forms::the_forms_of_the_decision_tree)]),
    ("S3-25", &[In(DECISIONS, "**Strategy:**"), In(DECISIONS, "**Rationale:**"), In(DECISIONS, "**Implementation:**"), In(DECISIONS, "**Query:**")]),
    ("S3-26", &[Line("All ERD relationships have documented strategies", &["undocumented-relationship"]), Line("Unbounded 1:N not stored as lists", &["unbounded-collection", "strategy-mismatch"]), Line("Bounded 1:N lists have reasonable limits (<20)", &["strategy-mismatch"]), Line("M:N relationships support both access directions", &["one-way-relation"]), Needs("Relationship items added to entity chart (if applicable)", "charts"), In(REVIEW, "lists Task and TaskCounts.")]),
    ("S3-27", &[In(TYPES, "  PK: `TASK#${string}`;"), In(TYPES, "  created_at: EpochSeconds;"), In(TYPES, "  updated_at: EpochSeconds;"), Test(forms::every_item_says_what_it_is)]),
    ("S3-28", &[Test(forms::every_item_says_what_it_is), Test(forms::collections_have_the_types_of_their_kind)]),
    ("S3-29", &[Test(forms::every_attribute_is_explained)]),
    ("S3-30", &[Line(TIMES, &["mixed-timestamps", "uneven-timestamp", "mixed-time-forms"]), Rule("unpadded-number"), Rule("unknown-at-read")]),
    ("S3-31", &[Line(COMPLEX, &["unbounded-collection"]), Test(forms::collections_have_the_types_of_their_kind)]),
    ("S3-32", &[Line(COMPLEX, &["deep-nesting"]), Test(forms::three_levels_are_deep_enough)]),
    ("S3-33", &[Line(TYPE, &["missing-type"]), Test(forms::every_item_says_what_it_is)]),
    ("S3-34", &[Needs(INTERFACES, "typescript"), Line(TYPE, &["missing-type"]), Line(COMPLEX, &["deep-nesting"]), Line(NO_LISTS, &["unbounded-collection"]), Line(TIMES, &["ttl-type"]), Line(RESERVED, &["reserved-word"])]),
    ("S3-35", &[In(TYPES, "export interface TaskItem extends Task {"), Needs(INTERFACES, "typescript")]),
    ("S3-36", &[Rule("no-answer"), Line(UNSATISFIED, &["no-answer"]), In(REVIEW, "11 patterns go through an index, since no primary key answers them")]),
    ("S3-37", &[In(GSI1, "Why the primary key does not answer them:"), In(GSI1, "- [`tasks_by_status`](access-patterns.md#tasks_by_status) and [`completed_tasks`](access-patterns.md#completed_tasks): selected by `status`")]),
    ("S3-38", &[Line(OVERLOADED, &["index-per-pattern", "two-values-one-index"]), In(GSI1, "these cannot be one index"), Of("tasks", USER_TASKS, "It is overloaded: Task, User, Assignment, WaitingMail and UndeliveredMail share it.")]),
    ("S3-39", &[Of("tasks", USER_TASKS, "asked by `CreatedBy`, which is not in the primary key"), Of("tasks", USER_TASKS, "a reverse lookup, since the primary key has `UserId` behind its partition"), In(GSI1, ": selected by `status`"), In(GSI1, ": sorted by `status`")]),
    ("S3-40", &[Rule("shared-key-attribute"), Line(SEPARATE, &["shared-key-attribute"])]),
    ("S3-41", &[In(GSI1, "**Projection `ALL`.**"), Of("ask", "entity-chart-bytotalpoints.md", "**Projection `INCLUDE`.**"), Line(PROJECTION, &["not-projected", "wide-projection"])]),
    ("S3-42", &[Test(forms::three_patterns_on_one_index)]),
    ("S3-43", &[In(GSI5, "Sparse: only while `status in (pending, in_progress)`"), In(GSI5, "A write after which that no longer holds removes the index attributes.")]),
    ("S3-44", &[In(GSI1, "| Entity | GSI1PK pattern | GSI1SK pattern | Access pattern | Notes |")]),
    ("S3-45", &[In(PATTERNS, "| Entity | Access pattern | Index | Key condition | Parameters | Notes | Planned | Measured |")]),
    ("S3-46", &[Line(UNSATISFIED, &["no-answer"]), Line(OVERLOADED, &["index-per-pattern"]), Line(SEPARATE, &["shared-key-attribute"]), People("Eventual consistency acceptable for all GSI queries"), Line(PROJECTION, &["not-projected"]), Needs("Entity charts created for each GSI", "charts"), Needs(TABLE_AGAIN, "patterns")]),
    // What selects by a filter is what a sparse index would have held.
    ("S3-47", &[Rule("index-per-pattern"), Rule("shared-key-attribute"), Rule("filter-selects")]),
    ("S3-48", &[Line("No Scan operations in application code", &["scan"]), Line("All patterns use Query or GetItem", &["scan", "get-on-index"]), Line("Filter expressions not primary access mechanism", &["filter-selects", "limit-before-filter"]), Needs("Each pattern documented with specific parameters", "patterns"), In(PATTERNS, "| `user_id`, `due_date_from`, `due_date_to`, `status` (optional), ")]),
    ("S3-49", &[Line("Generic key names (PK, SK, GSI1PK, etc.)", &["descriptive-key-name"]), Line(TIMES_IN_KEYS, &["unknown-at-read"]), Line("Separate attributes per index (no reuse)", &["shared-key-attribute"]), Line("Type attribute on every item", &["missing-type"]), Line("Entity prefixes consistent", &["missing-prefix", "inconsistent-prefix"])]),
    ("S3-50", &[Line("Related items pre-joined in item collections", &["reads-strangers", "parent-last"]), Line("No multiple serial requests for fetching relations", &["serial-reads"]), Line("Unbounded lists not in single items", &["unbounded-collection"]), Line("Denormalization accepted for performance", &["loose-counter", "stale-copy"])]),
    ("S3-51", &[Needs("Data access layer at boundary", "rust"), Unless("Indexing separate from application attributes", MIXED), Needs("No ORM usage", "rust"), Unless("Single table for related entities", MIXED)]),
    ("S3-52", &[Line("GSI overloading maximized", &["index-per-pattern", "unused-index"]), Line("Storage optimization not prioritized over compute", &["not-projected", "serial-reads"]), Line("No full-table scans expected", &["scan"])]),
    ("S3-53", &[Line("\"We'll just Scan and filter for now\"", &["scan", "filter-selects"]), Line("\"Let's normalize this to save storage\"", &["serial-reads"]), Line("\"We can add patterns later without planning\"", &["no-answer"]), Line("\"One GSI per entity type is cleaner\"", &["index-per-pattern"])]),
    ("S3-54", &[People("Senior engineer familiar with DynamoDB"), People("Team member from Phase 1 discussions"), People("Someone not involved in modeling (fresh perspective)")]),
    ("S3-55", &[In(REVIEW, "Signed: ____________________"), In(REVIEW, "Design `")]),
    ("S3-56", &[Line("Skipping relationship strategy decisions.", &["undocumented-relationship"]), Line("Creating too many GSIs.", &["index-quota"]), Line("Reusing attributes across indexes.", &["shared-key-attribute"]), Line("Not including Type attribute.", &["missing-type"]), Line("Descriptive key names.", &["descriptive-key-name"])]),
    ("S3-57", &[In(OVERVIEW, MAIN), In(OVERVIEW, DECISIONS), In(OVERVIEW, GSI1), In(OVERVIEW, PATTERNS), In(OVERVIEW, REVIEW), Needs(DELIVERABLES, "charts"), Needs(DELIVERABLES, "relationships"), Needs(DELIVERABLES, "typescript"), Needs(DELIVERABLES, "patterns"), Needs(DELIVERABLES, "review")]),
];
