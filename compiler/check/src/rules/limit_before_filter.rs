//! A page size that counts before the filter.

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "limit-before-filter",
    code: "R04",
    severity: Error,
    group: Reads,
    summary: "a `limit` that counts items before the filter drops them",
    why: "DynamoDB stops after `Limit` items and then applies the filter. With a limit of 20 a page holds 20 items, 3, or none, and an
empty page still has a next one: clients that stop at an empty page lose the rest, and users press \"more\" for nothing.

Let the key select what is asked for, so that no filter is needed; or say `page` and leave the request to the planner, which reads on
until the page is full.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, _) in context.by_hand() {
        let Some(by_hand) = access.by_hand.as_ref().filter(|_| access.verb.is_read()) else {
            continue;
        };
        let (Some(limit), Some(filter)) = (by_hand.limit, &by_hand.filter) else {
            continue;
        };
        let diagnostic = RULE
            .at(
                limit.span,
                format!(
                    "`{}` reads {} items and filters them afterwards: a page may hold fewer, or none while more follow",
                    access.name, limit.value
                ),
            )
            .label("counts what is read, not what is given")
            .related(filter.content(), "drops items from the page")
            .help(format!(
                "say `page = {}` instead and leave the request to the planner, or select by a key instead of the filter",
                limit.value
            ));
        found.report(&[Subject::Access(position)], diagnostic);
    }
}
