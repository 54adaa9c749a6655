//! Requests written by hand: their index, values and parameters are looked up; the planner parses the expressions.

use super::Resolver;
use super::templates::Names;
use crate::model::{ByHand, Entity, FieldId, HandValue, Model};
use crate::source::AccessSource;
use crate::span::Text;

impl Resolver<'_> {
    pub(super) fn by_hand(
        &mut self,
        entity: &Entity,
        source: &AccessSource,
        model: &Model,
    ) -> Option<ByHand> {
        let said = source.is_by_hand();
        if !said {
            let stray = [&source.values, &source.names, &source.params];
            for (name, _) in stray.into_iter().flat_map(|entries| entries.iter()) {
                self.fault(
                    "unknown-key",
                    name.span,
                    format!("`{name}` belongs to no expression"),
                    "it is used by `condition` and `filter`, and the pattern has neither",
                );
            }
            return None;
        }
        if let Some(looks_at) = source.looks_at {
            self.fault(
                "unknown-key",
                looks_at.span,
                "`looks_at` means nothing for a request written by hand",
                "its `limit` says how many items a request looks at",
            );
        }
        // An unknown table was reported with its entity.
        let table = model.tables.get(entity.table.0)?;
        let index = source.index.as_ref().and_then(|name| {
            let found = table.index_named(name.as_str());
            if found.is_none() {
                let known: Vec<&str> = table
                    .indexes
                    .iter()
                    .map(|index| index.name.as_str())
                    .collect();
                self.unknown("index", name.as_str(), name.content(), known);
            }
            found.map(|(id, _)| (name.clone(), id))
        });
        let mut params: Vec<(Text, FieldId)> = Vec::new();
        for (name, field) in source.params.iter() {
            let id = self.field_of(entity, field.as_str(), field.content());
            params.extend(id.map(|id| (name.clone(), id)));
        }
        let names = Names {
            owner: entity.name.as_str(),
            fields: &entity.fields,
            params: &params,
            escape: table.escape.value,
        };
        let mut values = Vec::new();
        for (name, written) in source.values.iter() {
            if !name.value.starts_with(':') || name.value.len() < 2 {
                self.fault(
                    "bad-value",
                    name.span,
                    format!("`{name}` is no placeholder"),
                    "values are named as in the expression, with a colon: \":user\"",
                );
            }
            values.push(HandValue {
                name: name.clone(),
                value: self.template(written, &names),
            });
        }
        let mut aliases = Vec::new();
        for (alias, attribute) in source.names.iter() {
            if !alias.value.starts_with('#') || alias.value.len() < 2 {
                self.fault(
                    "bad-value",
                    alias.span,
                    format!("`{alias}` is no alias"),
                    "names are aliased as in the expression: \"#status\"",
                );
            }
            aliases.push((alias.clone(), attribute.clone()));
        }
        Some(ByHand {
            request: source.request,
            index,
            condition: source.condition.clone(),
            filter: source.filter.clone(),
            values,
            names: aliases,
            limit: source.limit,
        })
    }
}
