//! Events, as they are published.

use super::entities::property;
use super::names;
use super::text::{Property, alias, interface, literal, union};
use super::types::{Form, Owner, Types};
use crate::rust::changes::detail;

/// What each event carries, and one type for them all.
pub(super) fn events(types: &Types<'_>) -> Vec<String> {
    let model = types.model;
    let mut declarations = Vec::new();
    let mut published = Vec::new();
    for event in &model.events {
        let Some(trigger) = &event.trigger else {
            continue;
        };
        let entity = model.entity(trigger.entity);
        let name = event.name.as_str();
        let mut about = format!("Happens on `{}`", trigger.written);
        if let Some(condition) = &event.condition {
            about.push_str(&format!(" where `{}`", condition.written));
        }
        about.push('.');
        let properties: Vec<_> = detail(entity, event)
            .into_iter()
            .map(|carried| {
                let property = property(types, Owner::entity(entity), carried.field, Form::Json);
                Property {
                    about: carried.about(property.about),
                    name: carried.name.to_owned(),
                    ..property
                }
            })
            .collect();
        declarations.push(interface(&about, name, &[], &properties));
        published.push(format!("{{ type: {}; detail: {name} }}", literal(name)));
    }
    if !published.is_empty() {
        let about = "Something that happened, as it is published.";
        let name = names::model_event(model);
        declarations.push(alias(about, &name, &union(&published)));
    }
    declarations
}
