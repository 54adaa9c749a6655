//! A create without the condition that nothing is there.

use tablewright_model::model::{ActionKind, Request, Verb};

use crate::hand_condition::{KeyDemand, asks_for_absence, demand, is_stated};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "create-overwrites",
    code: "W03",
    severity: Warning,
    group: Writes,
    summary: "a create that replaces what is already there",
    why: "PutItem writes over an item with the same key and says nothing; so does an UpdateItem that sets every attribute, and both in a
transaction. A repeated request, a reused id or a second sign-up takes the place of the first item, with every field that was changed
since.

State the condition `attribute_not_exists(PK)`: the key attribute is there whenever the item is. Or leave `request` out: a
planned create never overwrites. BatchWriteItem takes no conditions at all.",
}

const ABSENT: KeyDemand = KeyDemand {
    function: "attribute_not_exists",
    ask: "ask that it is not there",
    lacks: "holds for an existing item, too",
    title: "put only what is not there",
};

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let batch = match plan.request {
            Request::PutItem | Request::UpdateItem | Request::TransactWriteItems => false,
            Request::BatchWriteItem => true,
            _ => continue,
        };
        let writes = access.verb.writes();
        let beside = match &access.verb {
            Verb::Transact(actions) => actions.iter().any(|one| one.kind != ActionKind::Create),
            _ => false,
        };
        let created = writes.iter().find(|(kind, ..)| *kind == ActionKind::Create);
        let (Some((_, entity, _)), Some(by_hand)) = (created, &access.by_hand) else {
            continue;
        };
        let table = context.table_of(entity.id);
        let absent = plan.write_condition.as_ref();
        let absent = absent.is_some_and(|condition| asks_for_absence(condition, by_hand, table));
        // A condition that cannot be understood is reported as such.
        if absent || (plan.write_condition.is_none() && is_stated(access)) {
            continue;
        }
        let span = plan
            .request_span
            .unwrap_or_else(|| entity.written.content());
        let diagnostic = RULE
            .at(
                span,
                format!(
                    "`{}` writes over an existing {} without a word: nothing says that the key must be free",
                    access.name, entity.written
                ),
            )
            .label("writes over what is there");
        let diagnostic = if batch {
            diagnostic.help(format!(
                "BatchWriteItem takes no conditions: leave `request` out, and each {} is put on condition that it is not there",
                entity.written
            ))
        } else if beside {
            diagnostic.help(format!(
                "a transaction by hand has one condition for all its actions: leave `request` out, and the {} is put on condition that it is not there",
                entity.written
            ))
        } else {
            demand(diagnostic, &ABSENT, by_hand, plan.request_span, table)
        };
        found.report(
            &[Subject::Access(position), Subject::Entity(entity.id.0)],
            diagnostic,
        );
    }
}
