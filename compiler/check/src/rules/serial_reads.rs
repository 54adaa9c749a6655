//! One request for each row of another answer.

use tablewright_model::model::{Access, Verb};
use tablewright_plan::{Answer, Operation, Plan};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "serial-reads",
    code: "R12",
    severity: Note,
    group: Reads,
    summary: "a read asked once for each row of another, where a batch or a collection would do",
    why: "A list of twenty rows and a get for each are twenty-one requests, one after the other: at five milliseconds each a tenth of a second, for
what a join would be elsewhere. It grows with the page, and one slow request holds up all.

Read the items of a page in one request: `batch = { get = \"Task\" }` with `for_each` takes up to a hundred keys. Or store them so that
one query gives both, in one item collection (`list = [\"Order\", \"OrderLine\"]`), or copy the few fields the list shows into its rows
(`copies`).",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let Some(rows) = &access.for_each else {
            continue;
        };
        if matches!(access.verb, Verb::Batch(_)) {
            continue;
        }
        let Some((_, listing, _)) = context.access(rows.as_str()) else {
            continue;
        };
        let most = listing.page.value;
        let mut diagnostic = RULE
            .at(
                rows.content(),
                format!(
                    "`{}` is asked once for each row of `{rows}`: {most} rows a page are {most} requests more",
                    access.name
                ),
            )
            .label("one after the other")
            .related(listing.name.span, "gives the rows");
        diagnostic = diagnostic.help(help(context, access, plan, listing));
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn help(context: &Context<'_>, access: &Access, plan: &Plan, listing: &Access) -> String {
    let entity = &access.verb.entity().written;
    let listed = &listing.verb.entity().written;
    let by_key = match &plan.answer {
        Answer::Read(read) => read.operation == Operation::GetItem,
        Answer::ByHand(hand) => hand.request == tablewright_model::model::Request::GetItem,
        Answer::Write(_) | Answer::Nothing(_) => false,
    };
    let copy = format!("copy the fields the list shows into {listed}, with `copies`");
    let same = context.model.entity(access.verb.entity().id);
    if matches!(access.verb, Verb::Get(_)) && by_key {
        let by: Vec<String> = same
            .identity()
            .into_iter()
            .map(|id| format!("\"{}\"", same.field(id).name))
            .collect();
        return format!(
            "ask for all of a page at once: batch = {{ get = \"{entity}\" }}, by = [{}]; or {copy}",
            by.join(", ")
        );
    }
    format!("keep {listed} and its {entity} items in one item collection, and list both; or {copy}")
}
