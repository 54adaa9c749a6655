//! The checklists of the method, in its sections and its words: 63 lines to tick, four red flags and five pitfalls.

use super::answers::{access, architecture, cost, gates, indexes, keys, relationships, schemas};
use super::{Answer, Evidence};

/// A section of the document.
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// How deep it lies.
    pub level: usize,
    /// What is to be said before its lines.
    pub about: &'static str,
    /// Its lines.
    pub lines: &'static [Line],
}

/// A line to tick.
pub struct Line {
    /// Its words.
    pub text: &'static str,
    /// What answers it.
    pub answer: fn(&Evidence<'_>) -> Answer,
}

/// A warning of the method: nothing to tick, and looked for all the same.
pub struct Flag {
    /// Its words.
    pub text: &'static str,
    /// What answers it.
    pub answer: fn(&Evidence<'_>) -> Answer,
}

/// All sections with lines to tick.
#[rustfmt::skip]
pub static SECTIONS: &[Section] = &[
    Section {
        title: "Objectives", level: 2, about: "What there should be at the end of the phase.",
        lines: &[
            Line { text: "Complete primary key design for all entities", answer: keys::complete },
            Line { text: "Entity charts for main table and all GSIs", answer: gates::charts },
            Line { text: "TypeScript entity schemas for all entities", answer: schemas::interfaces },
            Line { text: "Documentation of relationship strategies", answer: relationships::document },
            Line { text: "Updated access patterns table with query details", answer: gates::pattern_table },
            Line { text: "Validation that design avoids common anti-patterns", answer: gates::validated },
        ],
    },
    Section {
        title: "Prerequisites", level: 2, about: "What had to be there before it began.",
        lines: &[
            Line { text: "Phase 1 complete and approved", answer: gates::first_phase },
            Line { text: "ERD finalized", answer: gates::erd },
            Line { text: "All access patterns documented", answer: gates::all_patterns },
            Line { text: "Stakeholder sign-off on requirements", answer: gates::stakeholders },
        ],
    },
    Section {
        title: "Step 1: Design Primary Keys", level: 2, about: "",
        lines: &[
            Line { text: "Each entity has unique PK/SK combination", answer: keys::unique },
            Line { text: "All \"Get by ID\" patterns satisfied", answer: keys::get_by_id },
            Line { text: "All \"Get many\" patterns grouped in item collections", answer: keys::get_many },
            Line { text: "No timestamps in keys unless client knows them", answer: keys::timestamps },
            Line { text: "Generic key names used (PK, SK)", answer: keys::generic_names },
            Line { text: "Entity prefixes consistent across all entities", answer: keys::prefixes },
        ],
    },
    Section {
        title: "Step 2: Model Relationships", level: 2, about: "",
        lines: &[
            Line { text: "All ERD relationships have documented strategies", answer: relationships::documented },
            Line { text: "Unbounded 1:N not stored as lists", answer: relationships::unbounded },
            Line { text: "Bounded 1:N lists have reasonable limits (<20)", answer: relationships::bounded },
            Line { text: "M:N relationships support both access directions", answer: relationships::both_ways },
            Line { text: "Relationship items added to entity chart (if applicable)", answer: relationships::in_chart },
        ],
    },
    Section {
        title: "Step 3: Define Entity Schemas", level: 2, about: "",
        lines: &[
            Line { text: "All entities have TypeScript interfaces", answer: schemas::interfaces },
            Line { text: "Type attribute included on every entity", answer: schemas::type_attribute },
            Line { text: "Complex attributes (maps, lists) properly defined", answer: schemas::complex },
            Line { text: "No unbounded lists as attributes", answer: schemas::bounded },
            Line { text: "Timestamps in appropriate format", answer: schemas::timestamps },
            Line { text: "Attribute names not DynamoDB reserved words", answer: schemas::reserved },
        ],
    },
    Section {
        title: "Step 4: Design Secondary Indexes", level: 2, about: "",
        lines: &[
            Line { text: "All unsatisfied patterns have GSI strategy", answer: indexes::strategy },
            Line { text: "GSIs overloaded where possible", answer: indexes::overloaded },
            Line { text: "Separate attributes per index", answer: indexes::attributes },
            Line { text: "Eventual consistency acceptable for all GSI queries", answer: indexes::consistency },
            Line { text: "Projection strategy chosen for each GSI", answer: indexes::projection },
            Line { text: "Entity charts created for each GSI", answer: gates::index_charts },
            Line { text: "Access patterns table updated with query details", answer: gates::pattern_table },
        ],
    },
    Section { title: "Step 5: Validate Against Anti-Patterns", level: 2, about: "What was checked in a step above is named here with the same evidence.", lines: &[] },
    Section {
        title: "Access Patterns", level: 3, about: "",
        lines: &[
            Line { text: "No Scan operations in application code", answer: access::no_scan_in_code },
            Line { text: "All patterns use Query or GetItem", answer: access::operations },
            Line { text: "Filter expressions not primary access mechanism", answer: access::filters },
            Line { text: "Each pattern documented with specific parameters", answer: access::parameters },
        ],
    },
    Section {
        title: "Key Design", level: 3, about: "",
        lines: &[
            Line { text: "Generic key names (PK, SK, GSI1PK, etc.)", answer: keys::generic_names },
            Line { text: "No timestamps in keys unless client knows them", answer: keys::timestamps },
            Line { text: "Separate attributes per index (no reuse)", answer: indexes::attributes },
            Line { text: "Type attribute on every item", answer: schemas::type_attribute },
            Line { text: "Entity prefixes consistent", answer: keys::prefixes },
        ],
    },
    Section {
        title: "Relationships", level: 3, about: "",
        lines: &[
            Line { text: "Related items pre-joined in item collections", answer: relationships::pre_joined },
            Line { text: "No multiple serial requests for fetching relations", answer: access::serial },
            Line { text: "Unbounded lists not in single items", answer: relationships::unbounded },
            Line { text: "Denormalization accepted for performance", answer: cost::denormalised },
        ],
    },
    Section {
        title: "Architecture", level: 3, about: "",
        lines: &[
            Line { text: "Data access layer at boundary", answer: architecture::data_access },
            Line { text: "Indexing separate from application attributes", answer: architecture::indexing },
            Line { text: "No ORM usage", answer: architecture::no_orm },
            Line { text: "Single table for related entities", answer: architecture::single_table },
        ],
    },
    Section {
        title: "Cost & Performance", level: 3, about: "",
        lines: &[
            Line { text: "GSI overloading maximized", answer: cost::overloading },
            Line { text: "Storage optimization not prioritized over compute", answer: cost::storage },
            Line { text: "No full-table scans expected", answer: cost::no_full_scans },
        ],
    },
    Section {
        title: "Peer Review", level: 3, about: "",
        lines: &[
            Line { text: "Senior engineer familiar with DynamoDB", answer: gates::engineer },
            Line { text: "Team member from Phase 1 discussions", answer: gates::member },
            Line { text: "Someone not involved in modeling (fresh perspective)", answer: gates::stranger },
        ],
    },
    Section {
        title: "Moving to Phase 3", level: 2, about: "What must hold before the next phase begins.",
        lines: &[
            Line { text: "All Phase 2 deliverables complete", answer: gates::deliverables },
            Line { text: "Entity charts validated", answer: gates::charts_validated },
            Line { text: "Access patterns table completely filled out", answer: gates::table_filled },
            Line { text: "Anti-pattern review passed", answer: gates::passed },
            Line { text: "Peer review completed", answer: gates::peers_done },
            Line { text: "Team consensus on design", answer: gates::consensus },
        ],
    },
];

/// What should make everybody listen. (S3-53)
#[rustfmt::skip]
pub static RED_FLAGS: &[Flag] = &[
    Flag { text: "\"We'll just Scan and filter for now\"", answer: access::scan_and_filter },
    Flag { text: "\"Let's normalize this to save storage\"", answer: cost::storage },
    Flag { text: "\"We can add patterns later without planning\"", answer: access::planned },
    Flag { text: "\"One GSI per entity type is cleaner\"", answer: indexes::overloaded },
];

/// Where others fell. (S3-56)
#[rustfmt::skip]
pub static PITFALLS: &[Flag] = &[
    Flag { text: "Skipping relationship strategy decisions.", answer: relationships::documented },
    Flag { text: "Creating too many GSIs.", answer: indexes::quota },
    Flag { text: "Reusing attributes across indexes.", answer: indexes::attributes },
    Flag { text: "Not including Type attribute.", answer: schemas::type_attribute },
    Flag { text: "Descriptive key names.", answer: keys::generic_names },
];
