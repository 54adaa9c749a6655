//! A relationship nobody has decided how to store.

use crate::rule::rule;
use crate::{Context, Found, Subject, undeclared};

rule! {
    name: "undocumented-relationship",
    code: "O10",
    severity: Warning,
    group: Operation,
    summary: "a relationship without a strategy, without the reason for it, or not declared at all",
    why: "How a relationship is stored is the choice that is dearest to change: it decides keys, and keys are not changed once data is there. A
relationship without a `strategy` is a choice that was skipped, and the first who writes code makes it. Without the reason the next
reader cannot tell whether it still holds, for instance when ten children became ten thousand.

Where an entity has the id of another and is listed by it, there is a relationship, whether somebody wrote it down or not.

Say the `strategy`, how many there can be (`bound`), and `why` in a sentence. The guide has the criteria: one to one is embedded, a
few are a list in the item, many are an item collection.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    forgotten(context, found);
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

/// What is read by the id of another entity is related to it.
fn forgotten(context: &Context<'_>, found: &mut Found) {
    let model = context.model;
    // A model without any has not come to that step yet.
    if model.relationships.is_empty() {
        return;
    }
    for one in undeclared(model) {
        let Some(read_by) = one.read_by.first() else {
            continue;
        };
        let field = context.field(one.entity, one.field);
        let (entity, names) = (model.entity(one.entity), model.entity(one.names));
        let diagnostic = RULE
            .at(
                field.name.span,
                format!(
                    "`{}` of {} is the id of {}, and `{}` reads by it: no relationship between the two is declared",
                    field.name, entity.name, names.name, read_by.name
                ),
            )
            .label("names another entity")
            .related(read_by.name.span, "read from there")
            .help(format!(
                "declare it: [relationship.{}_{}] from = \"{}\", to = \"{}\", with kind, bound, strategy and why",
                names.name.value.to_lowercase(),
                entity.name.value.to_lowercase(),
                names.name,
                entity.name
            ));
        found.report(&[Subject::Entity(one.entity.0)], diagnostic);
    }
}
