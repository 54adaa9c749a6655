//! A relationship nobody has decided how to store.

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "undocumented-relationship",
    code: "O10",
    severity: Warning,
    group: Operation,
    summary: "a relationship without a strategy, or without the reason for it",
    why: "How a relationship is stored is the choice that is dearest to change: it decides keys, and keys are not changed once data is there. A
relationship without a `strategy` is a choice that was skipped, and the first who writes code makes it. Without the reason the next
reader cannot tell whether it still holds, for instance when ten children became ten thousand.

Say the `strategy`, how many there can be (`bound`), and `why` in a sentence. The guide has the criteria: one to one is embedded, a
few are a list in the item, many are an item collection.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, relationship) in context.model.relationships.iter().enumerate() {
        let reasoned = relationship
            .why
            .as_ref()
            .is_some_and(|why| !why.value.trim().is_empty());
        let (lacks, help) = match (relationship.strategy, reasoned) {
            (Some(_), true) => continue,
            (Some(_), false) => (
                "does not say why it is stored as it is",
                "add the reason, in a sentence: why = \"…\"".to_owned(),
            ),
            (None, _) => (
                "does not say how it is stored",
                format!(
                    "add strategy = \"item-collection\", \"embed\" or another, {}and the reason: why = \"…\"",
                    if relationship.bound.is_none() {
                        "the bound, a number or \"unbounded\", "
                    } else {
                        ""
                    }
                ),
            ),
        };
        let diagnostic = RULE
            .at(
                relationship.name.span,
                format!("the relationship `{}` {lacks}", relationship.name),
            )
            .label("not decided, as far as the model tells")
            .help(help);
        found.report(&[Subject::Relationship(position)], diagnostic);
    }
}
