//! A query that also reads entities nobody asked for.

mod reach;

use tablewright_keys::algebra;
use tablewright_model::Span;

use self::reach::{Reach, reach};
use crate::asked::{Asked, Origin};
use crate::neighbours::{Neighbours, Within, leading_literal, names_of};
use crate::rule::rule;
use crate::{Context, Found, KeyUse, Subject};

rule! {
    name: "reads-strangers",
    code: "R11",
    severity: Warning,
    group: Reads,
    summary: "a query that also reads entities nobody asked for",
    why: "`PK = CUSTOMER#1` gives the customer, its orders, its addresses and whatever will live there next year. Code that takes every
item for an order fails on the first that is none; code that skips them pays for reading them, and its pages come back half empty.

Ask for the prefix of what is wanted: `begins_with(SK, ORDER#)`. To read several entities at once on purpose, name them:
`list = [\"Customer\", \"Order\"]`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let neighbours = Neighbours::of(context);
    for asked in context.queries() {
        let Some((partition, reach)) = reach(context, &asked) else {
            continue;
        };
        let reached = |key: &KeyUse<'_>| match (&reach, &key.key.sort) {
            (Reach::All, _) => true,
            (_, None) => false,
            (Reach::One(text), Some(sort)) => algebra::can_be_equal(text, &sort.typed).is_some(),
            (Reach::BeginningWith(text), Some(sort)) => {
                algebra::prefix_can_match(text, &sort.typed)
            }
        };
        let sort_prefix = match &reach {
            Reach::All => String::new(),
            Reach::One(text) | Reach::BeginningWith(text) => leading_literal(text),
        };
        let within = Within {
            place: asked.place,
            partition: &partition,
            sort_prefix: &sort_prefix,
        };
        let strangers = neighbours.strangers(within, asked.entities, reached);
        let Some(first) = strangers.first() else {
            continue;
        };
        let own: Vec<String> = asked
            .entities
            .iter()
            .map(|id| format!("`{}`", context.model.entity(*id).name))
            .collect();
        let mut diagnostic = RULE
            .at(
                span_of(&asked),
                format!(
                    "`{}` asks for {} and also reads {}",
                    asked.access.name,
                    own.join(" and "),
                    names_of(context, &strangers)
                ),
            )
            .label("finds more than is asked for");
        let stored = first.key.sort.as_ref().unwrap_or(first.template);
        diagnostic = diagnostic
            .related(stored.written.content(), "found as well")
            .help(help(context, &asked, &strangers));
        found.report(&[Subject::Access(asked.position)], diagnostic);
    }
}

fn span_of(asked: &Asked<'_>) -> Span {
    match &asked.origin {
        Origin::ByHand(plan) => {
            let test = plan.sort.as_ref().or(plan.partition.as_ref());
            test.map_or(asked.access.name.span, |test| test.span)
        }
        Origin::Planned(_) => asked.access.name.span,
    }
}

/// The prefix that tells the one entity from the strangers, or their names.
fn help(context: &Context<'_>, asked: &Asked<'_>, strangers: &[&KeyUse<'_>]) -> String {
    let attribute = context
        .sort_attribute(asked.place)
        .map(|key| key.name.as_str());
    if let ([entity], Some(attribute)) = (asked.entities, attribute)
        && let Some(sort) = asked.sort_of(context, *entity)
    {
        let prefix = sort.template.leading_literal();
        let tells_apart = |key: &&KeyUse<'_>| {
            let other = key
                .key
                .sort
                .as_ref()
                .map_or("", |sort| sort.template.leading_literal());
            !other.starts_with(prefix) && !prefix.starts_with(other)
        };
        if !prefix.is_empty() && strangers.iter().all(tells_apart) {
            return if sort.template.is_constant() {
                format!("ask for `{attribute} = \"{prefix}\"`")
            } else {
                format!("ask for `begins_with({attribute}, \"{prefix}\")`")
            };
        }
        return format!(
            "give `{}` a prefix of its own in `{attribute}`, such as \"{}#\", and ask for it",
            context.model.entity(*entity).name,
            context.model.entity(*entity).name.value.to_uppercase()
        );
    }
    let all: Vec<String> = asked
        .entities
        .iter()
        .copied()
        .chain(strangers.iter().map(|key| key.entity))
        .map(|id| format!("\"{}\"", context.model.entity(id).name))
        .collect();
    format!(
        "name them, too, if they are wanted: list = [{}]; or keep them in a partition of their own",
        all.join(", ")
    )
}
