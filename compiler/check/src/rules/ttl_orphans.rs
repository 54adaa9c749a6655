//! TTL on an entity that owns something.

use tablewright_model::Diagnostic;
use tablewright_model::model::{EntityId, Relationship, RelationshipKind, StreamView, Table};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "ttl-orphans",
    code: "O07",
    severity: Warning,
    group: Operation,
    summary: "TTL on an entity that owns guards, counters or other items",
    why: "DynamoDB deletes an expired item and nothing else: no transaction runs. The guard of its e-mail stays and keeps the address taken for
ever; counters go on counting it; its children stay behind without a parent, unreachable and billed.

Give the children a TTL of their own. Where there are guards, let a `delete` pattern end the item, which frees them in its
transaction, and leave `ttl` out. Counters of what expires are lowered from the change stream, where TTL deletions arrive as
removals: give the table a `stream` that carries old images.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let model = context.model;
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
        for unique in entity.unique.iter().filter(|unique| unique.guard.is_some()) {
            let message = format!(
                "when {name} expires, its guard `{}` stays: the value can never be used again",
                unique.name
            );
            let diagnostic = at(message)
                .related(unique.name.span, "stays behind")
                .help(format!(
                    "end {name} by a `delete` pattern, which frees the guard, and leave `ttl` out"
                ));
            found.report(&subject, diagnostic);
        }
        if let Some(counter) = entity.counters.first() {
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
                "give the table `{}` stream = \"new-and-old-images\", from which they are lowered",
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
    for (position, relationship) in model.relationships.iter().enumerate() {
        for (parent, diagnostic) in orphans(context, relationship) {
            found.report(
                &[Subject::Relationship(position), Subject::Entity(parent.0)],
                diagnostic,
            );
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

/// Children that outlive a parent.
fn orphans(context: &Context<'_>, relationship: &Relationship) -> Vec<(EntityId, Diagnostic)> {
    let many = relationship.kind.value == RelationshipKind::ManyToMany;
    let (child, parents) = match (many, &relationship.to, &relationship.through) {
        (true, to, Some(through)) => (through, vec![Some(&relationship.from), to.as_ref()]),
        (false, Some(to), _) => (to, vec![Some(&relationship.from)]),
        _ => return Vec::new(),
    };
    let child_entity = context.model.entity(child.id);
    if child_entity.ttl.is_some() {
        return Vec::new();
    }
    let mut orphans = Vec::new();
    for parent in parents.into_iter().flatten() {
        let entity = context.model.entity(parent.id);
        let Some((ttl, _)) = entity.ttl.as_ref().filter(|_| parent.id != child.id) else {
            continue;
        };
        let diagnostic = RULE
            .at(
                ttl.content(),
                format!(
                    "when {} expires, its {} items stay behind without it: they have no TTL",
                    entity.name, child_entity.name
                ),
            )
            .label("deleted by DynamoDB alone")
            .related(child.written.content(), "stay behind")
            .help(format!(
                "give {} a TTL, too: ttl = \"{ttl}\"",
                child_entity.name
            ));
        orphans.push((parent.id, diagnostic));
    }
    orphans
}
