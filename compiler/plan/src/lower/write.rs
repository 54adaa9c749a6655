//! Writes: their actions, as the pattern names them.

use tablewright_descriptor::written::{ActionText, WriteText};
use tablewright_model::Model;
use tablewright_model::model::{
    Access, Action, ActionKind, EntityRef, FieldChanges, Known, Verb, Where,
};

pub(super) fn lower(model: &Model, access: &Access) -> WriteText {
    let nothing = FieldChanges::default();
    let one = |kind, entity: &EntityRef, changes: &FieldChanges| {
        let condition = access.condition.as_ref();
        let text = action(model, kind, entity, changes, condition);
        text.into_iter().collect()
    };
    WriteText {
        name: access.name.value.clone(),
        actions: match &access.verb {
            Verb::Create(entity) => one(ActionKind::Create, entity, &nothing),
            Verb::Update { entity, changes } => one(ActionKind::Update, entity, changes),
            Verb::Delete(entity) => one(ActionKind::Delete, entity, &nothing),
            Verb::Transact(actions) => {
                let actions = actions.iter();
                actions.filter_map(|one| named(model, one)).collect()
            }
            Verb::Batch(action) => named(model, action).into_iter().collect(),
            Verb::Get(_) | Verb::List(_) | Verb::Count(_) | Verb::Search { .. } => Vec::new(),
        },
        claim: access
            .idempotent
            .as_ref()
            .map(|claim| model.entity(claim.id).name.value.clone()),
    }
}

fn named(model: &Model, written: &Action) -> Option<ActionText> {
    let text = action(
        model,
        written.kind,
        &written.entity,
        &written.changes,
        written.condition.as_ref(),
    )?;
    Some(match &written.name {
        Some(name) => text.named(name.as_str()),
        None => text,
    })
}

/// An action that writes or checks; one that only reads is none of a write's.
fn action(
    model: &Model,
    kind: ActionKind,
    entity: &EntityRef,
    changes: &FieldChanges,
    condition: Option<&Where>,
) -> Option<ActionText> {
    let entity = model.entity(entity.id).name.as_str();
    let mut text = match kind {
        ActionKind::Create => ActionText::create(entity),
        ActionKind::Update => ActionText::update(entity),
        ActionKind::Delete => ActionText::delete(entity),
        ActionKind::Check => ActionText::check(entity),
        ActionKind::Get => return None,
    };
    let names = |known: &[Known]| known.iter().map(|one| one.written.value.clone()).collect();
    text.set = names(&changes.set);
    text.add = names(&changes.add);
    text.condition = condition.map(|condition| condition.written.value.clone());
    Some(text)
}
