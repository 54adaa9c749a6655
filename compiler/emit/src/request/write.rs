//! Writes.

mod given;

use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind};
use tablewright_plan::{ItemRole, ItemWrite, ReadPlan, WritePlan};

use super::{Request, RequestKey, distinct};
use crate::design::key_condition;
use crate::markdown::{and, code, sentence, text, units};

pub(super) fn told(model: &Model, access: &Access, plan: &WritePlan) -> Request {
    let finds = plan.finds.as_deref();
    let query = match finds.map(|finds| finds.requests) {
        None => String::new(),
        Some(0 | 1) => String::from("Query, then "),
        Some(several) => format!("Query × {several}, then "),
    };
    let first = match (plan.reads_first, plan.each) {
        (true, true) => format!("{query}GetItem and "),
        (true, false) => String::from("GetItem, then "),
        (false, _) => query,
    };
    let each = if plan.each { " for each item" } else { "" };
    let asked = finds.map(|finds| RequestKey::from(finds.key_condition(model)));
    let keys = plan.items.iter().map(|item| key_of(model, item));
    let notes = plan.items.iter().map(|item| note(model, item));
    Request {
        call: format!("{first}{}{each}", plan.operation.as_str()),
        tables: distinct(
            plan.items
                .iter()
                .map(|item| model.entity(item.entity).table),
        ),
        keys: distinct(asked.into_iter().chain(keys)),
        parameters: given::lines(model, access, plan),
        notes: distinct(
            finds
                .map(|finds| found(model, finds))
                .into_iter()
                .chain(notes),
        ),
        cost: Some(plan.cost.clone()),
        first: plan.first_read(model),
        at_most: true,
        ..Request::empty(model, access)
    }
}

/// By what its items are found, and for how much.
fn found(model: &Model, finds: &ReadPlan) -> String {
    let table = model.table(finds.place.table);
    let place = match finds.place.index {
        Some(index) => code(table.index(index).name.as_str()),
        None => String::from("the table"),
    };
    let cost = match finds.cost.units {
        Some(known) => units(known, finds.cost.kind),
        None => format!("at least {}", units(finds.cost.at_least, finds.cost.kind)),
    };
    let page = finds.page.unwrap_or(1);
    format!("Finds its items in {place}, for {cost} every {page} of them.")
}

fn key_of(model: &Model, item: &ItemWrite) -> RequestKey {
    let entity = model.entity(item.entity);
    let key = match &item.role {
        ItemRole::Guard(name) => {
            let mut unique = entity.unique.iter();
            let unique = unique.find(|unique| unique.name.value == *name);
            unique.and_then(|unique| unique.guard.as_ref())
        }
        ItemRole::Named | ItemRole::Counter | ItemRole::Claim => None,
    };
    RequestKey {
        called: item.name.clone(),
        condition: key_condition(model.table(entity.table), key.unwrap_or(&entity.key)),
    }
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
        ItemRole::Counter if item.begins.is_some() => {
            format!("{verb} the counts in {entity}, which begins with the first")
        }
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
    if !said {
        return code(words);
    }
    match words.split_once(", or its ") {
        Some((before, rest)) => {
            let ttl = rest.trim_end_matches(" has passed");
            format!("{before}, or its {} has passed", code(ttl))
        }
        None => words.replacen("last_write", "`last_write`", 1),
    }
}
