//! A relationship's strategy against its bound, its kind and its keys.

mod inside;
mod links;
mod partition;

use tablewright_model::model::{Relationship, RelationshipKind, Strategy};
use tablewright_model::{Diagnostic, Spanned};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "strategy-mismatch",
    code: "O09",
    severity: Error,
    group: Operation,
    summary: "a relationship whose strategy does not fit its bound, its kind or its keys",
    why: "The strategy is what the code is written for. Children embedded without a limit end at 400 KB, and until then every one of them is read and
written with the parent. An item collection whose children do not carry the parent's key is none: a parent and its children
cannot be read together, nor the children of one parent at all.

Few and always read with the parent: `complex-attribute` in a bounded list. Many, or written one by one: `item-collection`, with the parent's id
in the partition. Many to many: an entity `through` whose key holds both ids.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, relationship) in context.model.relationships.iter().enumerate() {
        let Some(strategy) = &relationship.strategy else {
            continue;
        };
        let many = relationship.kind.value == RelationshipKind::ManyToMany;
        let diagnostic = match strategy.value {
            Strategy::Embed | Strategy::ComplexAttribute | Strategy::ItemCollection if many => {
                Some(wrong_kind(relationship, strategy))
            }
            Strategy::Embed | Strategy::ComplexAttribute => {
                inside::check(context, relationship, strategy.span)
            }
            Strategy::ItemCollection => partition::check(context, relationship, strategy.span),
            _ if !many => Some(wrong_kind(relationship, strategy)),
            Strategy::AdjacencyList => links::check(context, relationship, strategy.span),
            Strategy::MaterialisedGraph
            | Strategy::ShallowDuplication
            | Strategy::Normalisation => None,
        };
        if let Some(diagnostic) = diagnostic {
            found.report(&[Subject::Relationship(position)], diagnostic);
        }
    }
}

fn wrong_kind(relationship: &Relationship, strategy: &Spanned<Strategy>) -> Diagnostic {
    let kind = relationship.kind.value;
    let (others, instead) = match kind {
        RelationshipKind::ManyToMany => (
            "1:1 and 1:N",
            "strategy = \"adjacency-list\", with the ids of both sides in the key of the entity in `through`",
        ),
        _ => (
            "M:N",
            "strategy = \"item-collection\", or \"complex-attribute\" for a few",
        ),
    };
    RULE.at(
        strategy.span,
        format!(
            "`{}` is {}, and `{}` is a way to store {others}",
            relationship.name,
            kind.as_str(),
            strategy.value.as_str()
        ),
    )
    .label(format!("not for {}", kind.as_str()))
    .related(relationship.kind.span, "the kind")
    .help(instead)
}
