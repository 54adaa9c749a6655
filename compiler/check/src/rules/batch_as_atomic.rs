//! A batch relied on to be atomic or conditional.

use tablewright_model::Span;
use tablewright_model::model::{Access, ActionKind, Request, Verb};
use tablewright_plan::hand::HandPlan;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "batch-as-atomic",
    code: "W11",
    severity: Error,
    group: Writes,
    summary: "BatchWriteItem relied on for an update, a condition or for all or nothing",
    why: "BatchWriteItem only saves round trips. It puts and deletes whole items; it cannot update, takes no conditions, and when some of its items fail
the others stay written. Used for an update it replaces each item by the few attributes it was given, and removes it from its
indexes.

Leave `request` out: a planned `batch` does a conditional write for each item, and says which failed. What must happen together or not at
all is a `transact`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        if plan.request != Request::BatchWriteItem {
            continue;
        }
        let Some((span, cannot)) = relied_on(access) else {
            continue;
        };
        let at = plan.request_span.unwrap_or(span);
        let mut diagnostic = RULE
            .at(
                at,
                format!("`{}` is sent as BatchWriteItem, {cannot}", access.name),
            )
            .label("puts and deletes, nothing more")
            .help(help(access, plan));
        if at != span {
            diagnostic = diagnostic.related(span, "relies on more than that");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

/// What the pattern needs and a batch has not, with its place.
fn relied_on(access: &Access) -> Option<(Span, &'static str)> {
    let writes = access.verb.writes();
    let updates = writes.iter().find(|(kind, ..)| *kind == ActionKind::Update);
    if let Verb::Transact(actions) = &access.verb {
        let first = actions.first()?;
        return Some((
            first.span,
            "which is not all or nothing: some of its items can fail while the others stay written",
        ));
    }
    if let Some((_, entity, _)) = updates {
        return Some((
            entity.written.content(),
            "which cannot update: it puts the item anew, and all fields that are not sent are gone",
        ));
    }
    let condition = match &access.verb {
        Verb::Batch(action) => action.condition.as_ref(),
        _ => access.condition.as_ref(),
    };
    let stated = access
        .by_hand
        .as_ref()
        .and_then(|by_hand| by_hand.condition.as_ref());
    let condition = condition.map(|condition| &condition.written).or(stated);
    if let Some(condition) = condition {
        return Some((
            condition.content(),
            "which takes no conditions: it writes whatever the items are",
        ));
    }
    let relied = access.relies_on.first()?;
    Some((
        relied.content(),
        "which takes no conditions, and what was read before may no longer be so",
    ))
}

fn help(access: &Access, plan: &HandPlan) -> &'static str {
    match (&access.verb, plan.request_span) {
        (Verb::Transact(_), _) => "leave `request` out: `transact` is one TransactWriteItems",
        (_, Some(_)) if access.relies_on.is_empty() => {
            "leave `request` out: the batch is then one conditional write for each item"
        }
        (_, Some(_)) => {
            "leave `request` out, and state what must still hold in the action's `where`"
        }
        (_, None) => "leave `condition` out and put it into the action: where = \"…\"",
    }
}
