//! A counter kept by a write of its own, or by none.

use tablewright_model::model::ActionKind;

use crate::left_behind::writes_by_hand;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "loose-counter",
    code: "W07",
    severity: Warning,
    group: Writes,
    summary: "a counter kept by a separate write, or forgotten by a request by hand",
    why: "A counter that is raised by a second request drifts: the process ends between the two, the request is repeated, a delete forgets to
lower it. Nobody can tell when it became wrong, and only counting everything anew repairs it.

Leave `kept_by` out. The counter is then changed in the transaction that writes what it counts, so both happen or neither.

A request by hand that creates or deletes what is counted, or changes by what it is counted, changes no counter: leave `request` out, too.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    kept_apart(context, found);
    forgotten(context, found);
}

fn kept_apart(context: &Context<'_>, found: &mut Found) {
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

/// Writes by hand of what is counted.
fn forgotten(context: &Context<'_>, found: &mut Found) {
    for write in writes_by_hand(context) {
        let counted = &context.model.entity(write.entity).name;
        let does = match write.kind {
            ActionKind::Create => "creates",
            ActionKind::Delete => "deletes",
            _ => "changes",
        };
        for keeper_id in &write.keepers {
            let keeper = context.model.entity(*keeper_id);
            let counters = write.counters(keeper);
            let (Some(first), quoted) = (counters.first(), quoted(&counters)) else {
                continue;
            };
            let mut diagnostic = RULE
                .at(
                    write.at,
                    format!(
                        "`{}` {does} {counted} and leaves {quoted} of {} as before: what is counted is wrong from then on",
                        write.access.name, keeper.name
                    ),
                )
                .label("changes no counter")
                .help(format!(
                    "leave `request` and its expressions out: a planned write changes {quoted} in the same transaction"
                ));
            let mut known = keeper.counters.iter();
            if let Some(counter) = known.find(|counter| counter.name.as_str() == *first) {
                diagnostic = diagnostic.related(counter.name.content(), "the counter");
            }
            let subjects = [
                Subject::Access(write.position),
                Subject::Entity(write.entity.0),
                Subject::Entity(keeper_id.0),
            ];
            found.report(&subjects, diagnostic);
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
