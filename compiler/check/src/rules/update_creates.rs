//! An update that creates the item it does not find.

use tablewright_model::model::{ActionKind, Request};

use crate::hand_condition::{KeyDemand, demand, is_stated, needs_an_item};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "update-creates",
    code: "W04",
    severity: Warning,
    group: Writes,
    summary: "an update that creates a ghost when the item is not there",
    why: "UpdateItem and PutItem create what they do not find, in a transaction as well. An update that comes after the delete, or with
a wrong id, leaves an item with a key and the changed fields only: without its type, without index keys. It is found by reads of the
collection, and code that expects the other fields fails on it.

State the condition `attribute_exists(PK)`. A comparison with a stored field does as well: nothing equals a field that is missing. Or
leave `request` out: a planned update never creates.",
}

const PRESENT: KeyDemand = KeyDemand {
    function: "attribute_exists",
    ask: "ask that it is there",
    lacks: "holds for a missing item, too",
    title: "update only what is there",
};

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let writes = access.verb.writes();
        let updated = writes.iter().find(|(kind, ..)| *kind == ActionKind::Update);
        let creates = writes.iter().any(|(kind, ..)| *kind == ActionKind::Create);
        let (
            Request::UpdateItem | Request::PutItem | Request::TransactWriteItems,
            Some((_, entity, _)),
            Some(by_hand),
        ) = (plan.request, updated, &access.by_hand)
        else {
            continue;
        };
        // A condition that cannot be understood is reported as such.
        let safe = match &plan.write_condition {
            Some(condition) => needs_an_item(condition),
            None => is_stated(access),
        };
        if safe {
            continue;
        }
        let span = plan
            .request_span
            .unwrap_or_else(|| entity.written.content());
        let diagnostic = RULE
            .at(
                span,
                format!(
                    "`{}` creates the {} it does not find, with nothing but its key and what is set",
                    access.name, entity.written
                ),
            )
            .label("creates what it does not find");
        let table = context.table_of(entity.id);
        let diagnostic = if creates {
            diagnostic.help(format!(
                "a transaction by hand has one condition for all its actions: leave `request` out, and the {} is changed on condition that it is there",
                entity.written
            ))
        } else {
            demand(diagnostic, &PRESENT, by_hand, plan.request_span, table)
        };
        found.report(
            &[Subject::Access(position), Subject::Entity(entity.id.0)],
            diagnostic,
        );
    }
}
