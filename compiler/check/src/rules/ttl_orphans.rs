//! TTL on an entity that owns something.

mod children;

use tablewright_model::model::{StreamView, Table};

use self::children::{give_ttl, left_behind};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "ttl-orphans",
    code: "O07",
    severity: Warning,
    group: Operation,
    summary: "TTL on an entity that owns counters or other items, or is counted",
    why: "DynamoDB deletes an expired item and nothing else: no transaction runs. Its children stay behind without a parent, unreachable and
billed; counters go on counting it. Only its guards go with it, since they are written with the TTL of their item, and an expired one
keeps nobody from its value.

Give the children a TTL of their own. Counters of what expires can be lowered from the change stream, where TTL deletions arrive as
removals: give the table a `stream` that carries old images. Until something does so, a counter counts what has expired.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let model = context.model;
    let left_behind = left_behind(context);
    for (id, entity) in model.entity_ids() {
        let Some((ttl, _)) = &entity.ttl else {
            continue;
        };
        let name = &entity.name;
        let subject = [Subject::Entity(id.0)];
        let at = |message: String| {
            RULE.at(ttl.content(), message)
                .label("deleted by DynamoDB alone")
        };
        let children = left_behind.get(&id).map(Vec::as_slice).unwrap_or_default();
        for left in children {
            let child = &model.entity(left.child.id).name;
            let mut message = format!(
                "when {name} expires, its {child} items stay behind without it: they have no TTL"
            );
            let mut help = give_ttl(context, left.child.id, entity);
            let mut counters = entity.counters.iter();
            let counter = counters.find(|counter| counter.counts.1 == left.child.id);
            if let Some(counter) = counter {
                message += &format!(
                    "; and `{}`, which counts them, goes with it and begins again at zero",
                    counter.name
                );
                help += &format!(
                    "; and keep `{}` on an entity without TTL, or leave it out",
                    counter.name
                );
            }
            let mut diagnostic = at(message)
                .related(left.child.written.content(), "stay behind")
                .help(help);
            if let Some(counter) = counter {
                diagnostic = diagnostic.related(counter.name.span, "is gone");
            }
            let subjects = [Subject::Relationship(left.relationship), subject[0]];
            found.report(&subjects, diagnostic);
        }
        let is_child = |counted| children.iter().any(|left| left.child.id == counted);
        let mut counters = entity.counters.iter();
        if let Some(counter) = counters.find(|counter| !is_child(counter.counts.1)) {
            let message = format!(
                "when {name} expires, its counters go with it, and what they count does not: the next write begins again at zero"
            );
            let diagnostic = at(message).related(counter.name.span, "is gone").help(format!(
                "keep the counters on an entity without TTL, or give `{}` a TTL as well and leave the counters out",
                counter.counts.0
            ));
            found.report(&subject, diagnostic);
        }
        if stream_tells_what_was_removed(context.table_of(id)) {
            continue;
        }
        for keeper in &entity.counted_by {
            let keeper = model.entity(*keeper);
            let message = format!(
                "when {name} expires, nothing lowers the counters of {}: the table has no stream that tells what was removed",
                keeper.name
            );
            let diagnostic = at(message).help(format!(
                "give the table `{}` stream = \"new-and-old-images\", from which they can be lowered",
                context.table_of(id).name
            ));
            let counter = keeper
                .counters
                .iter()
                .find(|counter| counter.counts.1 == id);
            let diagnostic = match counter {
                Some(counter) => diagnostic.related(counter.name.span, "goes on counting it"),
                None => diagnostic,
            };
            found.report(&subject, diagnostic);
        }
    }
}

/// Whether the change stream carries the item that TTL removed.
fn stream_tells_what_was_removed(table: &Table) -> bool {
    let view = table.stream.map(|stream| stream.value);
    matches!(
        view,
        Some(StreamView::NewAndOldImages | StreamView::OldImage)
    )
}
