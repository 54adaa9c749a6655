//! TTL used as a business deadline.

use tablewright_model::Span;
use tablewright_model::model::{Access, Entity, EntityId, FieldId, Verb, Where};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "ttl-is-deadline",
    code: "O06",
    severity: Warning,
    group: Operation,
    summary: "the TTL field used as a business deadline",
    why: "TTL says when DynamoDB *may* delete, and it does so within days. As a deadline it fails both ways: until the item is deleted it still looks
open, and once it is deleted nobody can see that it expired, or why. Prolonging storage then prolongs the offer.

Keep two fields. `deadline` is the moment it is over, tested by reads and by the conditions of writes; `ttl` is a later one, after which
the item may be forgotten. That reads leave out what is past its TTL needs no condition.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let Some((ttl, field)) = &entity.ttl else {
            continue;
        };
        let subject = [Subject::Entity(id.0)];
        if let Some((deadline, same)) = &entity.deadline
            && same == field
        {
            let message = format!(
                "`{ttl}` is both the deadline of {} and its TTL: an item that is over is gone some time later, or still there",
                entity.name
            );
            found.report(
                &subject,
                finding(entity, deadline.content(), message, ttl.content()),
            );
        }
        for key in &entity.index_keys {
            let part = key.key.templates().find_map(|template| {
                let (_, _, part) = template.field_parts().find(|(_, id, _)| id == field)?;
                Some(template.span_of(part))
            });
            let when = key
                .when
                .as_ref()
                .and_then(|when| mentioned(when, ttl.as_str()));
            if let Some(span) = part.or(when) {
                let message = format!(
                    "{} finds {} by `{ttl}`, which only says when it may be deleted",
                    key.name, entity.name
                );
                let subjects = [
                    Subject::Entity(id.0),
                    Subject::Index(entity.table.0, key.index.0),
                ];
                found.report(&subjects, finding(entity, span, message, ttl.content()));
            }
        }
    }
    for (position, access, _) in context.accesses() {
        for (id, span) in uses(context, access) {
            let entity = context.model.entity(id);
            let Some((ttl, _)) = &entity.ttl else {
                continue;
            };
            let message = format!(
                "`{}` decides by `{ttl}`, which only says when {} may be deleted",
                access.name, entity.name
            );
            let subjects = [Subject::Access(position), Subject::Entity(id.0)];
            found.report(&subjects, finding(entity, span, message, ttl.content()));
        }
    }
}

fn finding(
    entity: &Entity,
    span: Span,
    message: String,
    ttl: Span,
) -> tablewright_model::Diagnostic {
    let deadline = entity.deadline.as_ref().zip(entity.ttl.as_ref());
    let help = match deadline {
        Some(((deadline, of_deadline), (_, of_ttl))) if of_deadline != of_ttl => {
            format!("use the deadline: `{deadline}`")
        }
        _ => format!(
            "give {} a field of its own for it, valid_until = \"epoch_seconds\", and name it: deadline = \"valid_until\"",
            entity.name
        ),
    };
    let diagnostic = RULE
        .at(span, message)
        .label("TTL is not a deadline")
        .help(help);
    if span == ttl {
        diagnostic
    } else {
        diagnostic.related(ttl, "DynamoDB deletes by it, up to days later")
    }
}

/// Where a pattern uses the TTL field of an entity for what it means to the business.
fn uses(context: &Context<'_>, access: &Access) -> Vec<(EntityId, Span)> {
    let mut uses = Vec::new();
    let ttl_of = |id: EntityId| context.model.entity(id).ttl.as_ref();
    let actions = match &access.verb {
        Verb::Transact(actions) => actions.as_slice(),
        Verb::Batch(action) => std::slice::from_ref(action),
        _ => &[],
    };
    for action in actions {
        if let (Some((ttl, _)), Some(condition)) = (ttl_of(action.entity.id), &action.condition) {
            uses.extend(mentioned(condition, ttl.as_str()).map(|span| (action.entity.id, span)));
        }
    }
    // The fields of a pattern are those of its first entity.
    let entity = access.verb.entity();
    let Some((ttl, field)) = ttl_of(entity.id) else {
        return uses;
    };
    let is_ttl = |id: FieldId| id == *field;
    let condition = access.condition.as_ref();
    let condition = condition.and_then(|condition| mentioned(condition, ttl.as_str()));
    let range = access.range.as_ref().filter(|range| is_ttl(range.id));
    let order = access
        .order
        .iter()
        .flat_map(|order| &order.by)
        .find(|by| is_ttl(by.id));
    let spans = condition
        .into_iter()
        .chain(range.map(|range| range.written.content()))
        .chain(order.map(|by| by.span));
    uses.extend(spans.map(|span| (entity.id, span)));
    uses
}

fn mentioned(condition: &Where, name: &str) -> Option<Span> {
    let fields = condition.condition.fields();
    let named = fields.into_iter().find(|field| field.name == name)?;
    Some(condition.written.at(named.span.clone()))
}
