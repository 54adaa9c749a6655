//! An open range that runs into other prefixes of its partition.

use tablewright_model::model::Ends;
use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::HandOperand;

use crate::neighbours::{Neighbours, Within, names_of};
use crate::rule::rule;
use crate::{Context, Found, KeyUse, Subject};

rule! {
    name: "range-sweeps",
    code: "K10",
    severity: Error,
    group: Keys,
    summary: "an open range that runs into other prefixes of the partition",
    why: "`SK > ORDER#2024#` has no upper end. It goes on behind the last order, into `PAYMENT#…` and whatever else the partition
holds above it, and hands it over as orders. It works as long as orders are alone there, and breaks when another entity moves in.

Close the open side at the prefix: `BETWEEN` the bound and the end of the prefix. The planner does so for `range`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    if context.by_hand().next().is_none() {
        return;
    }
    let neighbours = Neighbours::of(context);
    for (position, access, plan) in context.by_hand() {
        let (Some(partition), Some(sort)) = (&plan.partition, &plan.sort) else {
            continue;
        };
        if !context.sorts_text(plan.place) {
            continue;
        }
        let (ends, upwards) = match sort.test {
            KeyTest::Greater(_) => (Ends::After, true),
            KeyTest::GreaterOrEqual(_) => (Ends::From, true),
            KeyTest::Less(_) => (Ends::Before, false),
            KeyTest::LessOrEqual(_) => (Ends::Until, false),
            _ => continue,
        };
        let (Some(of), Some(bound)) = (partition.values.first(), sort.values.first()) else {
            continue;
        };
        let own = own_prefix(bound);
        let swept = |key: &KeyUse<'_>| {
            let sort = key.key.sort.as_ref();
            sort.is_some_and(|sort| is_beyond(sort.template.leading_literal(), own, upwards))
        };
        let within = Within {
            place: plan.place,
            partition: &of.value.typed,
            sort_prefix: "",
        };
        let strangers = neighbours.strangers(within, &plan.entities, swept);
        let Some(first) = strangers.first() else {
            continue;
        };
        let side = if upwards { "above" } else { "below" };
        let help = context
            .planned_range(access, bound, ends)
            .unwrap_or_else(|| {
                let (low, high) = match upwards {
                    true => (bound.name.clone(), format!("the end of `{own}`")),
                    false => (format!("`{own}`"), bound.name.clone()),
                };
                format!("close it: {} BETWEEN {low} AND {high}", sort.attribute)
            });
        let mut diagnostic = RULE
            .at(
                sort.span,
                format!(
                    "the range of `{}` is open {side} `{own}` and runs into {}",
                    access.name,
                    names_of(context, &strangers)
                ),
            )
            .label(format!("does not end where `{own}` does"))
            .help(help);
        if let Some(sort) = &first.key.sort {
            diagnostic = diagnostic.related(
                sort.written.content(),
                format!("sorts {side}, in the same partition"),
            );
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

/// The text every key of the range should begin with.
fn own_prefix(bound: &HandOperand) -> &str {
    let stored = bound.stored.template.leading_literal();
    let asked = bound.value.template.leading_literal();
    if asked.starts_with(stored) {
        stored
    } else {
        asked
    }
}

/// Whether all keys that begin with `other` lie on the open side of those that begin with `own`. Where one is the beginning of the
/// other they share a prefix, and `reads-strangers` tells.
fn is_beyond(other: &str, own: &str, upwards: bool) -> bool {
    let apart = !other.starts_with(own) && !own.starts_with(other);
    apart && (other > own) == upwards
}
