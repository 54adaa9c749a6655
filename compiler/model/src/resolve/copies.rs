//! Fields that repeat others, and patterns that name patterns: what needs all entities and all patterns to be known.

use super::Resolver;
use crate::model::*;
use crate::source::{CopySource, ModelFile};
use crate::span::Text;

impl Resolver<'_> {
    /// Copies name other entities, so they come after all entities are known.
    pub(super) fn copies(&mut self, file: &ModelFile, model: &mut Model) {
        for (position, (_, source)) in file.entity.iter().enumerate() {
            let mut copies = Vec::new();
            for (name, copy) in source.copies.iter() {
                copies.extend(self.copy(EntityId(position), name, copy, model));
            }
            model.entities[position].copies = copies;
        }
    }

    fn copy(
        &mut self,
        id: EntityId,
        name: &Text,
        source: &CopySource,
        model: &Model,
    ) -> Option<Copied> {
        let field = self.field_of(model.entity(id), name.as_str(), name.span);
        let of = &source.of;
        let Some((entity_name, field_name)) = of.value.split_once('.') else {
            self.fault(
                "bad-value",
                of.content(),
                format!("`{of}` is no field of an entity"),
                "write the entity and its field: of = \"Customer.name\"",
            );
            return None;
        };
        let Some(entity) = self.entities.get(entity_name).copied() else {
            let known: Vec<&str> = model
                .entities
                .iter()
                .map(|entity| entity.name.as_str())
                .collect();
            self.unknown("entity", entity_name, of.at(0..entity_name.len()), known);
            return None;
        };
        let at = of.at(of.value.len() - field_name.len()..of.value.len());
        let copied = self.field_of(model.entity(entity), field_name, at);
        let snapshot = source.snapshot.filter(|snapshot| snapshot.value);
        if let Some(snapshot) = snapshot
            && !source.refreshed_by.is_empty()
        {
            self.fault(
                "bad-value",
                snapshot.span,
                format!("`{name}` cannot both stay as it was and be refreshed"),
                "leave `snapshot` out, or `refreshed_by`",
            );
        }
        Some(Copied {
            field: (name.clone(), field?),
            of: of.clone(),
            entity,
            source: copied?,
            refreshed_by: self.access_names(&source.refreshed_by),
            snapshot: snapshot.is_some(),
        })
    }

    /// `sees` and `refreshed_by` name writes, `for_each` names a read that gives several.
    pub(super) fn named_patterns_fit(&mut self, model: &Model) {
        let mut reads = Vec::new();
        let mut no_rows = Vec::new();
        {
            let verb_of = |name: &Text| {
                let position = self.accesses.get(name.as_str())?;
                let access = model.accesses.get(*position)?;
                // With a faulty pattern positions differ; then there is no model anyway.
                (access.name.value == name.value).then_some(&access.verb)
            };
            let refreshing = model.entities.iter().flat_map(|entity| &entity.copies);
            let writes = model
                .accesses
                .iter()
                .flat_map(|access| &access.sees)
                .chain(refreshing.flat_map(|copy| &copy.refreshed_by));
            reads.extend(writes.filter(|name| verb_of(name).is_some_and(Verb::is_read)));
            let each = model
                .accesses
                .iter()
                .filter_map(|access| access.for_each.as_ref());
            no_rows.extend(each.filter(|name| verb_of(name).is_some_and(|verb| !gives_rows(verb))));
        }
        for name in reads {
            self.fault(
                "bad-value",
                name.content(),
                format!("`{name}` is a read, and changes nothing"),
                "name a pattern that writes",
            );
        }
        for name in no_rows {
            self.fault(
                "bad-value",
                name.content(),
                format!("`{name}` gives no rows"),
                "name a pattern that reads several items: a list, a search or a batch",
            );
        }
    }
}

fn gives_rows(verb: &Verb) -> bool {
    matches!(verb, Verb::List(_) | Verb::Search { .. } | Verb::Batch(_)) && verb.is_read()
}
