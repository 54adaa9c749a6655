//! Reads.

use tablewright_descriptor::key_text::{KeyPiece, KeyText, Origin};
use tablewright_model::Model;
use tablewright_model::model::{Access, Consistency, Known, Verb};
use tablewright_plan::print::exact;
use tablewright_plan::{Operation, OrderGiven, ReadPlan, Via};

use super::{Request, distinct};
use crate::design::key_condition;
use crate::markdown::{code, listed, or};

pub(super) fn told(model: &Model, access: &Access, plan: &ReadPlan) -> Request {
    let mut keys = vec![plan.key_condition(model).into()];
    let call = match (&plan.via, plan.operation) {
        (Via::Guard(_), _) => {
            let entity = model.entity(access.verb.entity().id);
            let key = key_condition(model.table(entity.table), &entity.key);
            keys.push(key.into());
            String::from("GetItem, then GetItem")
        }
        (Via::Key, operation) if plan.requests > 1 => {
            format!("{} × {}", operation.as_str(), plan.requests)
        }
        (_, operation) => operation.as_str().to_owned(),
    };
    Request {
        call,
        place: plan.place,
        tables: vec![plan.place.table],
        keys,
        parameters: vec![parameters(access, plan)],
        notes: notes(model, access, plan),
        cost: Some(plan.cost.clone()),
        ..Request::empty(model, access)
    }
}

/// What the caller gives: first what `by` names, then ends of ranges, values of conditions, words, and what it may add.
fn parameters(access: &Access, plan: &ReadPlan) -> String {
    let by = access.by.iter().map(|by| by.written.value.clone());
    let texts = std::iter::once(&plan.partition).chain(plan.sort.texts());
    let in_keys = texts.flat_map(given);
    let condition = access.condition.iter();
    let in_condition = condition.flat_map(|condition| condition.condition.parameters());
    let mut names: Vec<String> = distinct(by.chain(in_keys).chain(in_condition.map(str::to_owned)))
        .iter()
        .map(|name| code(name))
        .collect();
    if let Verb::Search { .. } = access.verb {
        names.push(String::from("words"));
    }
    names.extend(
        plan.refine
            .iter()
            .map(|known| format!("{} (optional)", code(known.written.as_str()))),
    );
    if plan.page.is_some() {
        names.push(String::from("cursor"));
    }
    match plan.operation {
        Operation::BatchGetItem => format!("of each: {}", names.join(", ")),
        _ => names.join(", "),
    }
}

fn given(text: &KeyText) -> Vec<String> {
    let pieces = text.pieces.iter();
    pieces
        .filter_map(|piece| match piece {
            KeyPiece::Value {
                origin: Origin::Given(name),
                ..
            } => Some(name.clone()),
            _ => None,
        })
        .collect()
}

fn notes(model: &Model, access: &Access, plan: &ReadPlan) -> Vec<String> {
    let mut notes = Vec::new();
    match &plan.via {
        Via::Key => {}
        Via::Guard(name) => notes.push(format!(
            "The guard of {} says which item it is.",
            code(name)
        )),
        Via::Counter { entity, counter } => notes.push(format!(
            "The number is kept in {}, as {}.",
            model.entity(*entity).name,
            code(counter)
        )),
    }
    if plan.requests > 1 && plan.via == Via::Key {
        let how = match plan.page {
            Some(_) => "merged in order",
            None => "added up",
        };
        notes.push(format!("One request a shard, {how}."));
    }
    notes.extend(order(access, plan));
    if !plan.filter.is_empty() {
        let parts: Vec<String> = plan.filter.iter().map(ToString::to_string).collect();
        notes.push(format!("Filtered by {}.", code(&parts.join(" and "))));
    }
    if let Verb::Search { matches, .. } = &access.verb {
        notes.push(format!("Looks for the words in {}.", names(matches)));
    }
    if !plan.refine.is_empty() {
        notes.push(format!(
            "Filtered by {} where the caller gives {}.",
            or(&coded(&plan.refine)),
            if plan.refine.len() == 1 { "it" } else { "any" }
        ));
    }
    notes.extend(looks_at(plan));
    if matches!((&access.verb, &plan.via), (Verb::Count(_), Via::Key)) {
        notes.push(String::from("Gives only how many there are."));
    }
    if !plan.fields.is_empty() {
        notes.push(format!("Gives only {}.", names(&plan.fields)));
    }
    if let Some(page) = plan.page {
        notes.push(format!("Pages of {page}."));
    }
    if plan.consistency == Consistency::Strong {
        notes.push(String::from("Strongly consistent."));
    }
    notes
}

/// What a page looks at, and what that costs.
fn looks_at(plan: &ReadPlan) -> Option<String> {
    let most = plan.looks_at?;
    let cost = plan.at_most.as_ref()?.units;
    let cost = cost.map(|units| format!(", for about {} RCU", exact(units)));
    Some(format!(
        "A page looks at {most} items at most{}, and may be shorter.",
        cost.unwrap_or_default()
    ))
}

fn order(access: &Access, plan: &ReadPlan) -> Option<String> {
    let order = access.order.as_ref()?;
    match plan.order {
        OrderGiven::No(_) | OrderGiven::BySpelling(_) => {
            Some(String::from("The key does not give the order asked for."))
        }
        OrderGiven::Yes { backwards } if order.by.is_empty() => {
            backwards.then(|| String::from("Read backwards."))
        }
        OrderGiven::Yes { .. } => {
            let parts = order.written.value.split(',').map(|part| {
                match part.trim().split_once(char::is_whitespace) {
                    Some((field, "desc")) => format!("{}, descending", code(field)),
                    Some((field, _)) => code(field),
                    None => code(part.trim()),
                }
            });
            let parts: Vec<String> = parts.collect();
            Some(format!("Sorted by {}.", parts.join(", then by ")))
        }
    }
}

fn names(known: &[Known]) -> String {
    listed(&coded(known))
}

fn coded(known: &[Known]) -> Vec<String> {
    known.iter().map(|one| code(one.written.as_str())).collect()
}
