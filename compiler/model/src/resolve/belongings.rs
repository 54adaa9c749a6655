//! Counters, relationships and events: what ties entities to each other.

use super::Resolver;
use crate::model::*;
use crate::source::{BoundSource, Entries, EventSource, ModelFile, RelationshipSource};
use crate::span::Text;
use crate::suggest;

impl Resolver<'_> {
    /// Counters name other entities, so they come after all entities are known.
    pub(super) fn counters(&mut self, file: &ModelFile, model: &mut Model) {
        for (position, (_, source)) in file.entity.iter().enumerate() {
            for (name, counter) in source.counters.iter() {
                let Some(counted) = self.entity_ref(&counter.counts) else {
                    continue;
                };
                let entity = &model.entities[position];
                if entity.field_named(name.as_str()).is_some() {
                    self.fault(
                        "duplicate-name",
                        name.span,
                        format!("`{name}` is a field of {} already", entity.name),
                        "a counter is a number by itself: remove the field",
                    );
                }
                let counted_entity = model.entity(counted.id);
                for id in entity.identity() {
                    let field = &entity.field(id).name;
                    if counted_entity.field_named(field.as_str()).is_none() {
                        self.fault(
                            "unknown-name",
                            counter.counts.content(),
                            format!(
                                "{} has no field `{field}`, so its writes cannot find the {} that counts them",
                                counted_entity.name, entity.name
                            ),
                            format!("add the field `{field}` to {}", counted_entity.name),
                        );
                    }
                }
                let per = counter.per.as_ref().and_then(|per| {
                    let id = self.field_of(counted_entity, per.as_str(), per.content())?;
                    if counted_entity.field(id).kind().words().is_none() {
                        self.fault(
                            "bad-value",
                            per.content(),
                            format!(
                                "`{per}` is not an enum, so its values are not known beforehand"
                            ),
                            "count per field of type enum or ordered",
                        );
                    }
                    Some((per.clone(), id))
                });
                let words = per
                    .as_ref()
                    .and_then(|(_, id)| counted_entity.field(*id).kind().words());
                let words = words.unwrap_or_default().to_vec();
                let kept_by = counter
                    .kept_by
                    .as_ref()
                    .and_then(|name| self.access_name(name));
                let counted_by = &mut model.entities[counted.id.0].counted_by;
                if !counted_by.contains(&EntityId(position)) {
                    counted_by.push(EntityId(position));
                }
                model.entities[position].counters.push(Counter {
                    name: name.clone(),
                    counts: (counter.counts.clone(), counted.id),
                    per,
                    words,
                    kept_by,
                });
            }
        }
    }

    pub(super) fn relationships(
        &mut self,
        sources: &Entries<RelationshipSource>,
        model: &Model,
    ) -> Vec<Relationship> {
        let mut relationships = Vec::new();
        for (name, source) in sources.iter() {
            relationships.extend(self.relationship(name, source, model));
        }
        relationships
    }

    fn relationship(
        &mut self,
        name: &Text,
        source: &RelationshipSource,
        model: &Model,
    ) -> Option<Relationship> {
        let from = self.entity_ref(&source.from);
        let to = source.to.as_ref().map(|to| self.entity_ref(to));
        let through = source
            .through
            .as_ref()
            .map(|through| self.entity_ref(through));
        let from = from?;
        let field = source.field.as_ref().and_then(|field| {
            let id = self.field_of(model.entity(from.id), field.as_str(), field.content())?;
            Some((field.clone(), id))
        });
        if source.to.is_none() && source.field.is_none() {
            self.fault(
                "missing-key",
                name.span,
                format!("the relationship `{name}` has no other side"),
                "name it in `to`, or the field that holds it in `field`",
            );
        }
        if source.kind.value == RelationshipKind::ManyToMany && source.through.is_none() {
            self.fault(
                "missing-key",
                source.kind.span,
                format!("the M:N relationship `{name}` does not say which entity stands for it"),
                "name it in `through`",
            );
        }
        Some(Relationship {
            name: name.clone(),
            from,
            to: to.flatten(),
            kind: source.kind,
            bound: source.bound.as_ref().map(|bound| match bound {
                BoundSource::AtMost(most) => Bound {
                    at_most: Some(most.value),
                    span: most.span,
                },
                BoundSource::Unbounded(word) => Bound {
                    at_most: None,
                    span: word.span,
                },
            }),
            strategy: source.strategy,
            field,
            through: through.flatten(),
            why: source.why.clone(),
            allow: self.allow(&source.allow),
        })
    }

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
                if trigger.is_some() {
                    self.all_known(entity, &source.detail);
                }
            }
            events.push(Event {
                name: name.clone(),
                trigger,
                condition,
                detail: source.detail.clone(),
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
}
