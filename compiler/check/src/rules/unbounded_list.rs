//! A collection without a limit, read whole.

use std::collections::HashMap;

use tablewright_model::model::{EntityId, Relationship, RelationshipKind, Verb};
use tablewright_plan::Via;

use crate::asked::{Asked, Origin};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unbounded-list",
    code: "R05",
    severity: Warning,
    group: Reads,
    summary: "a collection without a limit that is read whole: a query by hand without a page, a count or a search",
    why: "A query without a limit reads on to one megabyte and goes on with the next: thousands of items, for a screen that shows twenty. A count or
a search reads everything there is, whatever it gives back. All is well while there are ten orders; the customer with a hundred thousand
is the one who notices, and the cost grows with what is stored, not with what is shown.

Read pages (`page`), and let the caller ask for the next. Keep a number in a counter (`counters`), of which one small item is read. Where a
search has to look through a collection, declare how much that is with `returns`, and give it a budget.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let unbounded = unbounded(context);
    for asked in context.queries() {
        let without_limit = asked
            .entities
            .iter()
            .find_map(|entity| unbounded.get(entity));
        let Some(relationship) = without_limit else {
            continue;
        };
        let Some((how, help)) = reads_all(context, &asked) else {
            continue;
        };
        let access = asked.access;
        let names: Vec<&str> = asked
            .entities
            .iter()
            .map(|entity| context.model.entity(*entity).name.as_str())
            .collect();
        let mut diagnostic = RULE
            .at(
                access.name.span,
                format!(
                    "`{}` {how}, and there is no limit to {} items",
                    access.name,
                    names.join(" and ")
                ),
            )
            .label("reads all there are")
            .help(help);
        if let Some(bound) = relationship.bound {
            diagnostic = diagnostic.related(bound.span, "as the relationship says");
        }
        found.report(&[Subject::Access(asked.position)], diagnostic);
    }
}

/// The entities of which one side can have any number, by a relationship that says so.
fn unbounded<'m>(context: &Context<'m>) -> HashMap<EntityId, &'m Relationship> {
    let mut many = HashMap::new();
    for relationship in &context.model.relationships {
        let bound = relationship.bound;
        if bound.is_none_or(|bound| bound.at_most.is_some()) {
            continue;
        }
        let side = match relationship.kind.value {
            RelationshipKind::ManyToMany => relationship.through.as_ref(),
            _ => relationship.to.as_ref(),
        };
        if let Some(side) = side {
            many.entry(side.id).or_insert(relationship);
        }
    }
    many
}

/// How a query reads all there is of a collection, and what to write instead; none when it reads pages, a part, or as much as it says.
fn reads_all(context: &Context<'_>, asked: &Asked<'_>) -> Option<(&'static str, String)> {
    let access = asked.access;
    if access.returns.is_some() {
        return None;
    }
    match (&access.verb, &asked.origin) {
        (Verb::List(_), Origin::ByHand(_)) => {
            let limit = access.by_hand.as_ref().and_then(|by_hand| by_hand.limit);
            let paged = limit.is_some() || access.page.said.is_some();
            (!paged && access.range.is_none()).then(|| {
                (
                    "reads without a page",
                    "give it a page: page = 20, and limit = 20 in the request".to_owned(),
                )
            })
        }
        (Verb::Count(entity), Origin::ByHand(_)) => {
            Some(("counts by reading", counter(context, entity.id)))
        }
        (Verb::Count(entity), Origin::Planned(plan)) if plan.via == Via::Key => {
            Some(("counts by reading", counter(context, entity.id)))
        }
        (Verb::Search { .. }, _) => Some((
            "looks through a whole collection",
            "declare how many items it looks through: returns = 200; or feed a search engine from the change stream"
                .to_owned(),
        )),
        _ => None,
    }
}

fn counter(context: &Context<'_>, counted: EntityId) -> String {
    let name = &context.model.entity(counted).name;
    format!(
        "keep the number in a counter, {{ counts = \"{name}\" }} in the [….counters] of what they belong to; or declare how many there are: returns = 100"
    )
}
