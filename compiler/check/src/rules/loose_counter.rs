//! A counter kept by a write of its own.

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "loose-counter",
    code: "W07",
    severity: Warning,
    group: Writes,
    summary: "a counter kept by a separate write",
    why: "A counter that is raised by a second request drifts: the process ends between the two, the request is repeated, a delete forgets to
lower it. Nobody can tell when it became wrong, and only counting everything anew repairs it.

Leave `kept_by` out. The counter is then changed in the transaction that writes what it counts, so both happen or neither.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        for counter in &entity.counters {
            let Some(kept_by) = &counter.kept_by else {
                continue;
            };
            let counted = &counter.counts.0;
            let mut diagnostic = RULE
                .at(
                    kept_by.content(),
                    format!(
                        "`{}` of {} is kept by `{kept_by}`, apart from the writes of {counted}: when one of the two fails, it is wrong for ever",
                        counter.name, entity.name
                    ),
                )
                .label("a write of its own")
                .help(format!(
                    "leave `kept_by` out: `{}` is then changed in the transaction that writes {counted}",
                    counter.name
                ));
            if let Some((_, access, _)) = context.access(kept_by.as_str()) {
                diagnostic = diagnostic.related(access.name.span, "the other write");
            }
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}
