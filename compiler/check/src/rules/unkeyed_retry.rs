//! A create that makes a second item when it is sent again.

use std::collections::HashMap;

use tablewright_model::Span;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, ActionKind, Entity, EntityId, FieldId};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unkeyed-retry",
    code: "W12",
    severity: Note,
    group: Writes,
    summary: "a create under a new id that can be sent again, without an idempotency key",
    why: "An answer gets lost, the caller sends the request again, and the second request makes a second order: its id is new, so nothing is in its way.
Mobile networks, gateways and queues do this every day, and an SDK does it by itself.

Claim a key that the caller sends with the request, in the same transaction: `idempotent = \"Idempotency\"`. The repetition finds it and gets
the first answer. Where the caller chooses the id, or something unique refuses the second, it is harmless: allow it with that reason.

It is said of creates that are declared to be `retried`, and of those that are left out in a model whose other writes claim keys.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut claims = context.model.accesses.iter();
    let claimed = claims.find_map(|access| access.idempotent.as_ref());
    let owners = owners(context);
    for (position, access, _) in context.accesses() {
        let habit = claimed.is_some() && access.by_hand.is_none();
        if access.idempotent.is_some() || !(habit || access.retried.is_some()) {
            continue;
        }
        let Some((entity, field, span)) = new_id(context, access, &owners) else {
            continue;
        };
        let entity = context.model.entity(entity);
        let why = match access.retried {
            Some(_) => "is sent again when its answer is lost",
            None => "claims no idempotency key, as other writes of this model do",
        };
        let help = match claimed {
            Some(claimed) => format!("idempotent = \"{}\"", claimed.written),
            None => "give the model an entity for the answers given, and name it: idempotent = \"Idempotency\"".to_owned(),
        };
        let mut diagnostic = RULE
            .at(
                access.retried.unwrap_or(span),
                format!(
                    "`{}` {why}: a repetition makes a second {} under a new `{}`",
                    access.name,
                    entity.name,
                    entity.field(field).name
                ),
            )
            .label("happens twice")
            .help(format!(
                "{help}; or allow this, with the reason why a second one cannot come about"
            ));
        if let Some(claimed) = claimed.filter(|_| access.retried.is_none()) {
            diagnostic = diagnostic.related(claimed.written.content(), "claims one");
        }
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

/// The entity a pattern creates under an id that is made for it, with that id. A guard refuses the second.
fn new_id(
    context: &Context<'_>,
    access: &Access,
    owners: &HashMap<&str, EntityId>,
) -> Option<(EntityId, FieldId, Span)> {
    let mut writes = access.verb.writes().into_iter();
    writes.find_map(|(kind, written, _)| {
        let entity = context.model.entity(written.id);
        let guarded = entity.unique.iter().any(|unique| unique.guard.is_some());
        if kind != ActionKind::Create || guarded {
            return None;
        }
        let field = own_id(entity)?;
        let owner = owners.get(entity.field(field).name.as_str());
        let own = owner.is_none_or(|owner| *owner == written.id);
        own.then(|| (written.id, field, written.written.content()))
    })
}

/// The generated id that tells an item of the entity from the others.
fn own_id(entity: &Entity) -> Option<FieldId> {
    let last = entity.identity().last().copied()?;
    let kind = entity.field(last).kind();
    matches!(kind, FieldType::Uuid | FieldType::Ulid).then_some(last)
}

/// The fields that alone identify an entity, each with the first that has it: in the key of another it is a reference.
fn owners<'m>(context: &Context<'m>) -> HashMap<&'m str, EntityId> {
    let mut owners = HashMap::new();
    for (id, entity) in context.model.entity_ids() {
        if let [only] = entity.identity().as_slice() {
            owners
                .entry(entity.field(*only).name.as_str())
                .or_insert(id);
        }
    }
    owners
}
