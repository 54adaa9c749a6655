//! From a model to the schema a run time works from: the same words, and the answer to every pattern.
//!
//! Patterns written by hand and patterns without an answer are left out: the checker reports them, and nothing can be generated for them.

mod read;
mod stored;
mod write;

use tablewright_descriptor::written::{EventText, SchemaText};
use tablewright_model::Model;
use tablewright_model::model::{Access, Event, TriggerKind, Verb};

use crate::{Answer, Plan, plan, plan_one};

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
                if plan.finds_items {
                    schema.reads.extend(listing(model, access));
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

/// The question a batch asks first, when its caller knows only a part of the key.
pub fn found_by(access: &Access) -> Option<Access> {
    let Verb::Batch(action) = &access.verb else {
        return None;
    };
    Some(Access {
        verb: Verb::List(vec![action.entity.clone()]),
        ..access.clone()
    })
}

fn listing(model: &Model, access: &Access) -> Option<tablewright_descriptor::written::ReadText> {
    let listing = found_by(access)?;
    match plan_one(model, &listing).answer {
        Answer::Read(plan) => Some(read::lower(model, &listing, &plan)),
        _ => None,
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
        .map(|field| field.value.clone())
        .collect();
    text.version = event.version;
    Some(text)
}
