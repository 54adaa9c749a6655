//! An update that creates the item it does not find.

use tablewright_model::Span;
use tablewright_model::model::{ActionKind, Request};

use crate::hand_condition::{also, is_stated, needs_an_item, plain_key};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "update-creates",
    code: "W04",
    severity: Warning,
    group: Writes,
    summary: "an update that creates a ghost when the item is not there",
    why: "UpdateItem creates what it does not find. An update that comes after the delete, or with a wrong id, leaves an item with a key and
the changed fields only: without its type, without index keys. It is found by reads of the collection, and code that expects
the other fields fails on it.

State the condition `attribute_exists(PK)`. A comparison with a stored field does as well: nothing equals a field that is missing. Or
leave `request` out: a planned update never creates.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let writes = access.verb.writes();
        let updated = writes.iter().find(|(kind, ..)| *kind == ActionKind::Update);
        let (Request::UpdateItem, Some((_, entity, _)), Some(by_hand)) =
            (plan.request, updated, &access.by_hand)
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
        let plain = plain_key(context.table_of(entity.id));
        let key = plain.unwrap_or("#key");
        let span = plan
            .request_span
            .unwrap_or_else(|| entity.written.content());
        let mut diagnostic = RULE
            .at(
                span,
                format!(
                    "`{}` creates the {} it does not find, with nothing but its key and what is set",
                    access.name, entity.written
                ),
            )
            .label("creates what it does not find");
        diagnostic = match (&by_hand.condition, plan.request_span) {
            (Some(condition), _) => diagnostic
                .related(condition.content(), "holds for a missing item, too")
                .help(format!(
                    "ask that it is there: condition = \"{}\"",
                    also(&format!("attribute_exists({key})"), condition.as_str())
                )),
            (None, _) => diagnostic.help(format!(
                "ask that it is there: condition = \"attribute_exists({key})\""
            )),
        };
        if let (None, Some(request), Some(key)) = (&by_hand.condition, plan.request_span, plain) {
            let end = Span::new(request.end, request.end);
            let line = format!("\ncondition = \"attribute_exists({key})\"");
            diagnostic = diagnostic.fix("update only what is there", end, line);
        }
        found.report(
            &[Subject::Access(position), Subject::Entity(entity.id.0)],
            diagnostic,
        );
    }
}
