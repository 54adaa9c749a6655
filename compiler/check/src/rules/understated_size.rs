//! A declared size that no item can have.

use crate::item_size::ItemSizes;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "understated-size",
    code: "O18",
    severity: Warning,
    group: Operation,
    summary: "a declared `size` below what the fields of an item take at least",
    why: "`size` is what every cost is reckoned with: the units of a page, of a write, of an index, the budget of a pattern and the bill of a month. An item
has at least the fields it must have, each as short as its type allows, with their names. Where that is more than the declared size, no item
is as small as the costs suppose, and all of them are too low.

Declare the size of a typical item, names included; `prove` shows how large they are.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let sizes = ItemSizes::of(context.model);
    for (id, entity) in context.model.entity_ids() {
        let facts = &entity.facts;
        let (Some(size), Some(span)) = (facts.size, facts.size_span) else {
            continue;
        };
        let least = sizes.least(entity);
        if least <= size {
            continue;
        }
        let diagnostic = RULE
            .at(
                span,
                format!(
                    "no {} is of {size} B: the fields it must have take {least} B at least",
                    entity.name
                ),
            )
            .label("every cost is reckoned with this")
            .help(format!(
                "declare a typical item: size = \"{} KB\"",
                least.div_ceil(1024)
            ));
        found.report(&[Subject::Entity(id.0)], diagnostic);
    }
}
