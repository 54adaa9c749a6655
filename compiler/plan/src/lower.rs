//! From a model to the schema a run time works from: the same words, and the answer to every pattern.
//!
//! Patterns written by hand and patterns without an answer are left out: the checker reports them, and nothing can be generated for them.

mod read;
mod stored;
mod write;

use tablewright_descriptor::written::{EventText, SchemaText};
use tablewright_model::Model;
use tablewright_model::model::{Access, Consistency, Event, TriggerKind, Verb};

use crate::{Answer, Plan, plan};

/// The schema of a model, in words.
pub fn lower(model: &Model) -> SchemaText {
    lower_planned(model, &plan(model))
}

/// The same, for plans that are at hand.
pub fn lower_planned(model: &Model, plans: &[Plan]) -> SchemaText {
    let mut schema = SchemaText::new(model.name.as_str());
    schema.tables = model.tables.iter().map(stored::table).collect();
    schema.structs = model.structs.iter().map(stored::structure).collect();
    let entities = model.entities.iter();
    schema.entities = entities
        .map(|entity| stored::entity(model, entity))
        .collect();
    for (access, plan) in model.accesses.iter().zip(plans) {
        match &plan.answer {
            Answer::Read(plan) => schema.reads.push(read::lower(model, access, plan)),
            Answer::Write(plan) => {
                schema.writes.push(write::lower(model, access));
                if let (Some(finds), Some(listing)) = (&plan.finds, found_by(access)) {
                    let mut text = read::lower(model, &listing, finds);
                    text.strong = finds.consistency == Consistency::Strong;
                    schema.reads.push(text);
                }
            }
            Answer::ByHand(_) | Answer::Nothing(_) => {}
        }
    }
    schema.events = model
        .events
        .iter()
        .filter_map(|one| event(model, one))
        .collect();
    schema
}

/// The question a batch asks first, when its caller knows only a part of the key. It gives all there are: those that do not meet the
/// condition of the write are refused one by one.
pub fn found_by(access: &Access) -> Option<Access> {
    let Verb::Batch(action) = &access.verb else {
        return None;
    };
    Some(Access {
        verb: Verb::List(vec![action.entity.clone()]),
        returns: items_found(access),
        keeps: None,
        budget: access.finding_budget.clone(),
        finding_budget: None,
        ..access.clone()
    })
}

/// How many items a batch finds, to write those that meet its condition; none where that is not declared.
pub fn items_found(access: &Access) -> Option<u64> {
    let Verb::Batch(action) = &access.verb else {
        return access.returns;
    };
    match (access.returns, &action.condition, access.keeps) {
        (Some(returns), Some(_), Some(keeps)) if keeps > 0.0 => {
            Some((returns as f64 / keeps).ceil() as u64)
        }
        (_, Some(_), _) => None,
        (returns, None, _) => returns,
    }
}

/// An event that is read from the change stream; one that code publishes by itself is no concern of the schema.
fn event(model: &Model, event: &Event) -> Option<EventText> {
    let trigger = event.trigger.as_ref()?;
    let entity = model.entity(trigger.entity);
    let (name, of) = (event.name.as_str(), entity.name.as_str());
    let mut text = match (trigger.kind, trigger.field) {
        (TriggerKind::Insert, _) => EventText::on_insert(name, of),
        (TriggerKind::Remove, _) => EventText::on_remove(name, of),
        (TriggerKind::Change, None) => EventText::on_change(name, of),
        (TriggerKind::Change, Some(field)) => {
            EventText::on_change_of(name, of, entity.field(field).name.as_str())
        }
    };
    text.condition = event
        .condition
        .as_ref()
        .map(|condition| condition.written.value.clone());
    text.detail = event
        .detail
        .iter()
        .map(|member| member.written.value.clone())
        .collect();
    text.version = event.version;
    Some(text)
}
