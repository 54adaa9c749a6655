//! Writes.

use tablewright_model::Model;
use tablewright_model::model::{Access, Action, ActionKind, FieldChanges, Verb};
use tablewright_plan::{ItemRole, ItemWrite, WritePlan};

use super::{Request, distinct};
use crate::design::whole_key;
use crate::markdown::{and, code, sentence, text};

pub(super) fn told(model: &Model, access: &Access, plan: &WritePlan) -> Request {
    let first = match (plan.finds_items, plan.reads_first) {
        (true, _) => "Query, then ",
        (false, true) => "GetItem, then ",
        (false, false) => "",
    };
    let each = if plan.each { " for each item" } else { "" };
    Request {
        call: format!("{first}{}{each}", plan.operation.as_str()),
        keys: distinct(plan.items.iter().map(|item| key_of(model, item))),
        parameters: parameters(access, plan),
        notes: distinct(plan.items.iter().map(|item| note(model, item))),
        cost: Some(plan.cost.clone()),
        at_most: true,
        ..Request::empty(model, access)
    }
}

fn key_of(model: &Model, item: &ItemWrite) -> String {
    let entity = model.entity(item.entity);
    let key = match &item.role {
        ItemRole::Guard(name) => {
            let mut unique = entity.unique.iter();
            let unique = unique.find(|unique| unique.name.value == *name);
            unique.and_then(|unique| unique.guard.as_ref())
        }
        ItemRole::Named | ItemRole::Counter | ItemRole::Claim => None,
    };
    whole_key(model.table(entity.table), key.unwrap_or(&entity.key))
}

/// What the caller gives: the key, what it sets, and the values of conditions.
fn parameters(access: &Access, plan: &WritePlan) -> Vec<String> {
    let mut names: Vec<String> = access
        .by
        .iter()
        .map(|by| code(by.written.as_str()))
        .collect();
    match &access.verb {
        Verb::Create(entity) => names.push(format!("the new {}", entity.written)),
        Verb::Update { changes, .. } => names.extend(changed(changes)),
        Verb::Batch(action) if action.kind == ActionKind::Create => {
            names.push(format!("the new {} items", action.entity.written));
        }
        Verb::Batch(action) => names.extend(changed(&action.changes)),
        Verb::Transact(actions) => {
            for action in actions {
                names.push(of_action(action));
                names.extend(changed(&action.changes));
                names.extend(in_condition(action.condition.as_ref()));
            }
        }
        _ => {}
    }
    if let Verb::Batch(action) = &access.verb {
        names.extend(in_condition(action.condition.as_ref()));
    }
    names.extend(in_condition(access.condition.as_ref()));
    if plan.items.iter().any(|item| item.role == ItemRole::Claim) {
        names.push(String::from("the key of the request"));
    }
    distinct(names)
}

fn of_action(action: &Action) -> String {
    let entity = &action.entity.written;
    let called = match &action.name {
        Some(name) => format!("{} ({entity})", text(name.as_str())),
        None => entity.value.clone(),
    };
    match action.kind {
        ActionKind::Create => format!("the new {called}"),
        _ => format!("the key of {called}"),
    }
}

fn changed(changes: &FieldChanges) -> Vec<String> {
    let all = changes.set.iter().chain(&changes.add);
    all.map(|known| code(known.written.as_str())).collect()
}

fn in_condition(condition: Option<&tablewright_model::model::Where>) -> Vec<String> {
    let names = condition.map(|condition| condition.condition.parameters());
    names.unwrap_or_default().into_iter().map(code).collect()
}

/// What is done to one item, as a sentence.
fn note(model: &Model, item: &ItemWrite) -> String {
    let verb = match item.kind {
        ActionKind::Create => "puts",
        ActionKind::Update => "updates",
        ActionKind::Delete => "deletes",
        ActionKind::Check => "checks",
        ActionKind::Get => "gets",
    };
    let entity = &model.entity(item.entity).name;
    let mut words = match &item.role {
        ItemRole::Named => match &item.name {
            Some(name) => format!("{verb} {entity} as {}", text(name)),
            None => format!("{verb} {entity}"),
        },
        ItemRole::Guard(name) => format!("{verb} the guard of {}", code(name)),
        ItemRole::Counter => format!("{verb} the counts in {entity}"),
        ItemRole::Claim => format!("claims the request in {entity}"),
    };
    if item.counts && item.role == ItemRole::Named {
        words.push_str(", with its counts");
    }
    if !item.conditions.is_empty() {
        let conditions: Vec<String> = item.conditions.iter().map(|one| condition(one)).collect();
        words = format!("{words} if {}", and(&conditions));
    }
    sentence(&words)
}

/// A condition of the write: words as they are, an expression of the model as code.
fn condition(words: &str) -> String {
    // The planner has words for what it adds itself, and the model's text for the rest.
    let said = words.starts_with("it ")
        || words.starts_with("last_write ")
        || words.starts_with("what was read");
    match said {
        true => words.replacen("last_write", "`last_write`", 1),
        false => code(words),
    }
}
