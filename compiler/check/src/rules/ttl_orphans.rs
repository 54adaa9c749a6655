//! TTL on an entity that owns something.

use std::collections::HashMap;

use tablewright_model::model::{EntityId, Relationship, RelationshipKind};
use tablewright_model::{Diagnostic, Severity, Span};

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

Give the children a TTL of their own. Where there are guards or counters, let a `delete` pattern end the item, which frees and
lowers them in its transaction, and leave `ttl` out; or do it from the change stream, where TTL deletions arrive as removals.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let model = context.model;
    let counted = counted_by(context);
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
        for (keeper, counter) in counted.get(&id).into_iter().flatten() {
            let keeper = &model.entity(*keeper).name;
            let message =
                format!("when {name} expires, no transaction lowers the counters of {keeper}");
            let mut diagnostic = at(message).related(*counter, "goes on counting it").help(format!(
                "lower them from the change stream when TTL removes an item of {name}, or end it by a `delete` pattern and leave `ttl` out"
            ));
            diagnostic.severity = Severity::Note;
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

/// The entities that are counted, each with who counts it: one counter of each is enough to tell.
fn counted_by(context: &Context<'_>) -> HashMap<EntityId, Vec<(EntityId, Span)>> {
    let mut counted: HashMap<EntityId, Vec<(EntityId, Span)>> = HashMap::new();
    for (id, entity) in context.model.entity_ids() {
        for counter in &entity.counters {
            let keepers = counted.entry(counter.counts.1).or_default();
            if keepers.last().is_none_or(|(last, _)| *last != id) {
                keepers.push((id, counter.name.span));
            }
        }
    }
    counted
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
