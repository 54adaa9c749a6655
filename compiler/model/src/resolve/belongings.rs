//! Counters and relationships: what ties entities to each other.

use super::Resolver;
use crate::model::*;
use crate::source::{BoundSource, Entries, ModelFile, RelationshipSource};
use crate::span::Text;

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
}
