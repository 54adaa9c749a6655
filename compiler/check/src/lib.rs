//! The checker: rules that find in milliseconds what teams find in production.
//!
//! Each rule is one file in `src/rules/` with its documentation, a model that trips it, a near miss that does not,
//! and the rendered finding beside them in `fixtures/`.
//!
//! ```
//! let text = r##"
//! [model]
//! name = "shop"
//!
//! [table.shop]
//! partition_key = "PK"
//! sort_key      = "SK"
//!
//! [entity.Order]
//! table  = "shop"
//! key    = { partition = "ORDER#{order_id}", sort = "METADATA" }
//! fields = { order_id = "ulid?" }
//! "##;
//! let findings = tablewright_check::check_text(text);
//! assert_eq!(findings[0].rule, "optional-key");
//! ```

mod allow;
mod asked;
mod context;
pub mod docs;
pub mod fix;
pub mod generated_names;
mod hand_condition;
mod item_size;
mod key_space;
mod left_behind;
mod load;
mod neighbours;
mod projected;
mod rates;
mod relied_reads;
pub mod report;
mod rule;
mod rules;
mod sides;
mod subsumed;
mod unanswered;
mod undeclared;

use tablewright_model::{Diagnostic, Model};

pub use allow::Allowed;
pub use context::{Context, Found, KeyPlace, KeyRole, KeyUse, Subject};
pub use rule::{Group, Rule};
pub use rules::RULES;
pub use undeclared::{Undeclared, undeclared};

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// What the rules say of a model, in the order of the text.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// What they find.
    pub findings: Vec<Diagnostic>,
    /// What they would find, and the model allows with a reason.
    pub allowed: Vec<Allowed>,
}

/// Runs every rule on a model. Findings come in the order of the text.
pub fn check(model: &Model) -> Vec<Diagnostic> {
    examine(model).findings
}

/// Runs every rule on a model, and tells also what the model allows.
pub fn examine(model: &Model) -> Verdict {
    let context = Context::new(model);
    let mut found = Found::default();
    context.report_faults_of_expressions(&mut found);
    for rule in RULES {
        (rule.check)(&context, &mut found);
    }
    let (mut findings, mut allowed) = allow::apply(model, found);
    findings.sort_by_key(|found| (found.span, found.rule));
    allowed.sort_by_key(|one| (one.finding.span, one.finding.rule));
    Verdict { findings, allowed }
}

/// Reads a model and checks it: the faults of its language, or else the findings of the rules.
pub fn check_text(text: &str) -> Vec<Diagnostic> {
    match tablewright_model::parse(text) {
        Ok(model) => check(&model),
        Err(faults) => faults,
    }
}
