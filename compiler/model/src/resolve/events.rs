//! Events: what makes them happen, and what they carry.

use tablewright_descriptor::Carried;

use super::Resolver;
use super::fields::is_field_name;
use crate::model::*;
use crate::source::{Entries, EventSource};
use crate::span::{Span, Text};
use crate::suggest;

/// Where every event says its id and its version.
const ABOUT_ITSELF: &str = "_event";

impl Resolver<'_> {
    pub(super) fn events(&mut self, sources: &Entries<EventSource>, model: &Model) -> Vec<Event> {
        let mut events = Vec::new();
        for (name, source) in sources.iter() {
            self.type_name(name, "an event");
            let trigger = source.on.as_ref().and_then(|on| self.trigger(on, model));
            let after = source
                .after
                .as_ref()
                .and_then(|after| self.access_name(after));
            if source.on.is_none() && source.after.is_none() {
                self.fault(
                    "missing-key",
                    name.span,
                    format!("nothing makes the event `{name}` happen"),
                    "say what does: on = \"insert Task\", on = \"change Task.status\"",
                );
            }
            // An event published by hand carries fields of what its pattern writes.
            let entity = trigger.as_ref().map(|trigger| trigger.entity).or_else(|| {
                let verb = &model.access(after.as_ref()?.as_str())?.verb;
                Some(verb.entity().id)
            });
            let mut condition = None;
            if let Some(entity) = entity {
                let entity = model.entity(entity);
                condition = source
                    .r#where
                    .as_ref()
                    .and_then(|text| self.condition(entity, text));
            }
            let detail = match &trigger {
                Some(trigger) => self.detail(trigger, model.entity(trigger.entity), &source.detail),
                None => source.detail.iter().map(by_hand).collect(),
            };
            events.push(Event {
                name: name.clone(),
                trigger,
                condition,
                detail,
                version: self.event_version(source),
                about: source.about.clone(),
                after,
                allow: self.allow(&source.allow),
            });
        }
        events
    }

    fn event_version(&mut self, source: &EventSource) -> u16 {
        let Some(said) = source.version else {
            return 1;
        };
        let version = u16::try_from(said.value).ok().filter(|one| *one > 0);
        if version.is_none() {
            self.fault(
                "bad-value",
                said.span,
                "the version of an event is a number from 1 to 65535",
                "begin with 1 and raise it with each change that breaks those who receive it",
            );
        }
        version.unwrap_or(1)
    }

    /// `insert Task`, `change Task.status`, `remove Task`.
    fn trigger(&mut self, on: &Text, model: &Model) -> Option<Trigger> {
        let (word, rest) = on.value.split_once(' ').unwrap_or((on.as_str(), ""));
        let kind = match word {
            "insert" => TriggerKind::Insert,
            "change" => TriggerKind::Change,
            "remove" => TriggerKind::Remove,
            _ => {
                let hint = suggest::hint(word, ["insert", "change", "remove"]).unwrap_or_default();
                self.fault(
                    "bad-value",
                    on.at(0..word.len()),
                    format!("`{word}` is no change of an item"),
                    hint,
                );
                return None;
            }
        };
        let (entity_name, field_name) = match rest.split_once('.') {
            Some((entity, field)) => (entity, Some(field)),
            None => (rest, None),
        };
        let start = on.value.len() - rest.len();
        let Some(entity) = self.entities.get(entity_name).copied() else {
            let known: Vec<&str> = model
                .entities
                .iter()
                .map(|entity| entity.name.as_str())
                .collect();
            self.unknown(
                "entity",
                entity_name,
                on.at(start..start + entity_name.len()),
                known,
            );
            return None;
        };
        let field = match field_name {
            None => None,
            Some(_) if kind != TriggerKind::Change => {
                self.fault(
                    "bad-value",
                    on.content(),
                    "only a change can be of one field",
                    format!("write `{word} {entity_name}`"),
                );
                return None;
            }
            Some(name) => {
                let at = on.value.len() - name.len();
                Some(self.field_of(model.entity(entity), name, on.at(at..on.value.len()))?)
            }
        };
        Some(Trigger {
            written: on.clone(),
            kind,
            entity,
            field,
        })
    }

    /// What an event that is read from the stream carries.
    fn detail(&mut self, trigger: &Trigger, entity: &Entity, written: &[Text]) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for text in written {
            let carried = Carried::read(text.as_str());
            let name_at = text.at(0..carried.name.len());
            self.member_name(&carried, name_at, &members);
            let at = text.value.len() - carried.field.len();
            if carried.before && trigger.kind != TriggerKind::Change {
                let (why, help) = match trigger.kind {
                    TriggerKind::Remove => (
                        "an item that is removed is told as it was",
                        format!("write `{} = {}`", carried.name, carried.field),
                    ),
                    _ => (
                        "a new item was not there before",
                        String::from("`before` is for events `on = \"change …\"`"),
                    ),
                };
                self.fault("bad-value", text.content(), why, help);
            }
            let field = self.field_of(entity, &carried.field, text.at(at..text.value.len()));
            members.push(Member {
                written: text.clone(),
                name: carried.name,
                field,
                before: carried.before,
            });
        }
        members
    }

    fn member_name(&mut self, carried: &Carried, at: Span, members: &[Member]) {
        let name = &carried.name;
        if carried.before && !is_field_name(name) {
            self.fault(
                "bad-value",
                at,
                format!("`{name}` cannot be what the event calls the value before"),
                format!(
                    "give it a name: \"previous_{0} = before.{0}\"",
                    carried.field
                ),
            );
        } else if *name != carried.field && !is_field_name(name) {
            self.fault(
                "bad-value",
                at,
                format!("`{name}` cannot be the name of what an event carries"),
                "begin with a letter and use letters, digits and `_`",
            );
        } else if name == ABOUT_ITSELF {
            self.fault(
                "bad-value",
                at,
                format!("`{name}` is where every event says its id and its version"),
                "give it another name: \"happened = _event\"",
            );
        } else if members.iter().any(|other| other.name == *name) {
            self.fault(
                "duplicate-name",
                at,
                format!("`{name}` is there twice"),
                "name it once",
            );
        }
    }
}

fn by_hand(written: &Text) -> Member {
    let carried = Carried::read(written.as_str());
    Member {
        written: written.clone(),
        name: carried.name,
        field: None,
        before: carried.before,
    }
}
