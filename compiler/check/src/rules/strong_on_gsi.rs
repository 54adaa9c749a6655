//! Strong consistency asked of a global index.

use tablewright_model::model::{Consistency, IndexKind};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "strong-on-gsi",
    code: "R06",
    severity: Error,
    group: Reads,
    summary: "strong consistency asked of a global index",
    why: "A global index is written after the table, asynchronously. DynamoDB refuses `ConsistentRead` on it with a
ValidationException, at the first request and not before.

Read what must be current from the table: by its key, or through a guard item for a unique value. A local index can be read strongly,
too. Otherwise say that a stale answer is acceptable: `consistency = \"eventual\"`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.asked() {
        let index = asked
            .place
            .index
            .map(|index| context.model.table(asked.place.table).index(index));
        let Some(index) = index.filter(|index| index.kind == IndexKind::Global) else {
            continue;
        };
        let consistency = asked.access.consistency;
        if consistency.value != Consistency::Strong {
            continue;
        }
        let diagnostic = RULE
            .at(
                consistency.said.unwrap_or(asked.access.name.span),
                format!(
                    "`{}` reads `{}`, and DynamoDB refuses strong reads of a global index",
                    asked.access.name, index.name
                ),
            )
            .label("cannot be had here")
            .related(index.name.content(), "a global index")
            .help("ask the table by its key or through a guard, or accept `consistency = \"eventual\"`");
        found.report(&[Subject::Access(asked.position)], diagnostic);
    }
}
