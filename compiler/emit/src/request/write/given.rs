//! What the caller of a write gives: the fields of every item it names, each in a line of its own where there are several.

use tablewright_model::Model;
use tablewright_model::model::{
    Access, Action, ActionKind, Entity, EntityId, FieldChanges, Verb, Where,
};
use tablewright_plan::{ItemRole, WritePlan};

use super::super::distinct;
use crate::markdown::{and, code, text};

/// The lines of the cell.
pub(super) fn lines(model: &Model, access: &Access, plan: &WritePlan) -> Vec<String> {
    let mut lines = match &access.verb {
        Verb::Transact(actions) => actions
            .iter()
            .map(|action| {
                let entity = &action.entity.written;
                let called = match &action.name {
                    Some(name) => format!("{} ({entity})", text(name.as_str())),
                    None => entity.value.clone(),
                };
                let given = of_action(model, action, key_fields(model, action.entity.id));
                (called, given)
            })
            .filter(|(_, given)| !given.is_empty())
            .map(|(called, given)| format!("{called}: {}", given.join(", ")))
            .collect(),
        Verb::Batch(action) => {
            let by = access.by.iter().map(|by| code(by.written.as_str()));
            let mut given = of_action(model, action, by.collect());
            given.extend(in_condition(access.condition.as_ref()));
            let given = distinct(given).join(", ");
            // Where the items are found, the caller gives once what finds them.
            vec![match plan.finds.is_some() {
                true => given,
                false => format!("of each: {given}"),
            }]
        }
        verb => {
            let by = access.by.iter().map(|by| code(by.written.as_str()));
            let mut given: Vec<String> = by.collect();
            match verb {
                Verb::Create(entity) => given.extend(all_fields(model.entity(entity.id))),
                Verb::Update { changes, .. } => given.extend(changed(changes)),
                _ => {}
            }
            given.extend(in_condition(access.condition.as_ref()));
            vec![distinct(given).join(", ")]
        }
    };
    let claims = plan.items.iter();
    let claims = claims.filter(|item| item.role == ItemRole::Claim);
    lines.extend(claims.map(|item| {
        format!(
            "{} (optional): {}, with the answer to remember",
            model.entity(item.entity).name,
            and(&key_fields(model, item.entity))
        )
    }));
    lines
}

/// What is given for one action, whose key is known by these.
fn of_action(model: &Model, action: &Action, key: Vec<String>) -> Vec<String> {
    let mut given = match action.kind {
        ActionKind::Create => all_fields(model.entity(action.entity.id)),
        _ => key,
    };
    given.extend(changed(&action.changes));
    given.extend(in_condition(action.condition.as_ref()));
    distinct(given)
}

/// The fields that make the key of an entity.
fn key_fields(model: &Model, id: EntityId) -> Vec<String> {
    let entity = model.entity(id);
    let fields = entity.identity().into_iter();
    fields
        .map(|field| code(entity.field(field).name.as_str()))
        .collect()
}

/// Every field of a new item; what may be left out says so.
fn all_fields(entity: &Entity) -> Vec<String> {
    let fields = entity.fields.iter();
    fields
        .map(|field| match field.is_optional() {
            true => format!("{} (optional)", code(field.name.as_str())),
            false => code(field.name.as_str()),
        })
        .collect()
}

/// What an update changes; what is added to a number is not the number.
fn changed(changes: &FieldChanges) -> Vec<String> {
    let set = changes.set.iter().map(|known| code(known.written.as_str()));
    let added = changes.add.iter();
    let added = added.map(|known| format!("{} (what is added)", code(known.written.as_str())));
    set.chain(added).collect()
}

/// The values of a condition.
fn in_condition(condition: Option<&Where>) -> Vec<String> {
    let names = condition.map(|condition| condition.condition.parameters());
    names.unwrap_or_default().into_iter().map(code).collect()
}
