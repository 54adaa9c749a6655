//! A read that must see a write just made, and asks where the write has not arrived.

use tablewright_model::model::{Consistency, IndexKind};
use tablewright_plan::{Answer, Place};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "read-after-write-gsi",
    code: "R07",
    severity: Warning,
    group: Reads,
    summary: "a read that must see a write just made, through a global index or an eventual read",
    why: "A global index follows the table with a delay: mostly milliseconds, seconds under load. A list that is shown right after its form was
sent does not have the new entry yet; the user sends it again. An eventual read of the table can miss it too, and can be asked
strongly; a global index cannot.

Show what the write returned instead of reading it back, or read it by its key with `consistency = \"strong\"`. A list that must have it
reads the table, or a local index, strongly.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let Some(first) = access.sees.first() else {
            continue;
        };
        let place = match &plan.answer {
            Answer::Read(read) => read.place,
            Answer::ByHand(hand) => hand.place,
            Answer::Write(_) | Answer::Nothing(_) => continue,
        };
        let global = is_global(context, place);
        if !global && access.consistency.value == Consistency::Strong {
            continue;
        }
        let asked = context.name_of_place(place);
        let (what, help) = if global {
            (
                format!("asks {asked}, which follows the table with a delay"),
                format!(
                    "show what `{first}` returned; or read the item by its key, or its collection in the table, with consistency = \"strong\""
                ),
            )
        } else {
            (
                format!("reads {asked} eventually, which can miss it"),
                "consistency = \"strong\"".to_owned(),
            )
        };
        let mut diagnostic = RULE
            .at(
                first.content(),
                format!(
                    "`{}` must see what `{first}` has just written, and {what}",
                    access.name
                ),
            )
            .label("not there yet, perhaps")
            .help(help);
        if let Some((_, write, _)) = context.access(first.as_str()) {
            diagnostic = diagnostic.related(write.name.span, "the write");
        }
        if let (false, Some(said)) = (global, access.consistency.said) {
            diagnostic = diagnostic.fix("read strongly", said, "\"strong\"");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn is_global(context: &Context<'_>, place: Place) -> bool {
    let table = context.model.table(place.table);
    let index = place.index.map(|index| table.index(index));
    index.is_some_and(|index| index.kind == IndexKind::Global)
}
