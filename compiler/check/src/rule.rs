//! What a rule is.

use tablewright_model::{Diagnostic, Severity, Span};

use crate::context::{Context, Found};

/// One modelling mistake the checker finds.
pub struct Rule {
    /// Reads well after "allow": `open-prefix`.
    pub name: &'static str,
    /// A code that never changes: `K02`.
    pub code: &'static str,
    /// How bad its findings are, unless one says otherwise.
    pub severity: Severity,
    /// What it is about.
    pub group: Group,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Why it hurts in production and what to write instead, in Markdown.
    pub why: &'static str,
    /// A model that trips it.
    pub trips: &'static str,
    /// The finding, as people see it.
    pub rendered: &'static str,
    /// A near miss that does not.
    pub passes: &'static str,
    /// Looks for it.
    pub check: fn(&Context<'_>, &mut Found),
}

/// What rules are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Keys and encodings.
    Keys,
    /// Reads.
    Reads,
    /// Indexes.
    Indexes,
    /// Writes and consistency.
    Writes,
    /// Size, time, evolution and operation.
    Operation,
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Group::Keys => "Keys and encodings",
            Group::Reads => "Reads",
            Group::Indexes => "Indexes",
            Group::Writes => "Writes and consistency",
            Group::Operation => "Size, time, evolution and operation",
        })
    }
}

impl Rule {
    /// A finding of this rule.
    pub fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.name, self.severity, span, message)
    }
}

/// Declares a rule with the fixtures of its name.
macro_rules! rule {
    (
        name: $name:literal,
        code: $code:literal,
        severity: $severity:ident,
        group: $group:ident,
        summary: $summary:literal,
        why: $why:literal,
    ) => {
        pub(super) const RULE: $crate::Rule = $crate::Rule {
            name: $name,
            code: $code,
            severity: tablewright_model::Severity::$severity,
            group: $crate::Group::$group,
            summary: $summary,
            why: $why,
            trips: include_str!(concat!("../../fixtures/", $name, "/trips.toml")),
            rendered: include_str!(concat!("../../fixtures/", $name, "/trips.txt")),
            passes: include_str!(concat!("../../fixtures/", $name, "/passes.toml")),
            check,
        };
    };
}
pub(crate) use rule;
