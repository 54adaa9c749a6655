//! What a request by hand must not lack, and must not have.

use tablewright_keys::FieldRef;
use tablewright_model::model::{Access, ByHand, FieldId, HandValue, KeyTemplate, Model, Request};
use tablewright_model::{Span, Text};

use super::{HandFault, HandPlan};
use crate::expression::NameRef;

impl HandPlan {
    /// The same field encoded differently: some values would be found by chance, and the others never.
    pub(super) fn refuse_other_form(
        &mut self,
        value: &KeyTemplate,
        stored: &KeyTemplate,
        field: FieldId,
    ) {
        let part = |template: &KeyTemplate| {
            let part = template.field_parts().find(|(_, id, _)| *id == field);
            part.map(|(_, _, part)| (template.span_of(part), part.clone()))
        };
        if let (Some((span, asked)), Some((_, kept))) = (part(value), part(stored)) {
            let right = FieldRef {
                encodings: kept.encodings,
                ..asked.clone()
            };
            self.fault(
                span,
                format!("`{asked}` is not in the form that is stored, `{kept}`: write `{right}`"),
            );
        }
    }

    /// What the caller gives must narrow the answer: a value that no expression takes is silently ignored.
    pub(super) fn require_what_the_caller_gives(&mut self, access: &Access, by_hand: &ByHand) {
        // Of a GetItem the key must be whole, which has rules of its own.
        if self.request != Request::Query {
            return;
        }
        for by in &access.by {
            let uses = |value: &HandValue| value.value.parts.contains(&Some(by.id));
            if !by_hand.values.iter().any(uses) {
                let message = format!(
                    "the caller gives `{}`, and no value of the request takes it: items with another one are given, too",
                    by.written
                );
                self.fault(by.written.content(), message);
            }
        }
    }

    /// DynamoDB refuses a request with a value that no expression uses.
    pub(super) fn refuse_unused_values(&mut self, by_hand: &ByHand) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for value in &by_hand.values {
            let mut texts = by_hand.condition.iter().chain(&by_hand.filter);
            let is_used = texts.any(|text| {
                text.value
                    .split(|c: char| !is_part(c))
                    .any(|word| word == value.name.value)
            });
            if !is_used {
                let message = format!(
                    "no expression uses `{}`, and DynamoDB refuses what is not used: remove it",
                    value.name
                );
                self.fault(value.name.span, message);
            }
        }
    }

    /// An attribute no item has makes a filter drop everything, and a condition never hold.
    pub(super) fn require_attribute(
        &mut self,
        model: &Model,
        text: &Text,
        name: &NameRef,
        by_hand: &ByHand,
    ) {
        let attribute = by_hand.attribute(&name.text);
        let known = self.attributes(model);
        if known.contains(&attribute) {
            return;
        }
        let hint = tablewright_model::suggest::nearest(attribute, known.iter().copied());
        let hint = hint.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
        let message = format!("no item that is asked has an attribute `{attribute}`{hint}");
        self.fault(text.at(name.span.clone()), message);
    }

    /// The attributes the items that are asked can have.
    pub(super) fn attributes<'m>(&self, model: &'m Model) -> Vec<&'m str> {
        let table = model.table(self.place.table);
        let indexes = table.indexes.iter();
        let index_keys =
            indexes.flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
        let keys = std::iter::once(&table.partition_key)
            .chain(&table.sort_key)
            .chain(index_keys);
        let own = [&table.type_attribute, &table.ttl]
            .into_iter()
            .flatten()
            .map(Text::as_str);
        let mut names: Vec<&str> = keys.map(|key| key.name.as_str()).chain(own).collect();
        for entity in self.entities.iter().map(|id| model.entity(*id)) {
            names.extend(entity.fields.iter().map(|field| field.name.as_str()));
            names.extend(entity.counters.iter().map(|counter| counter.name.as_str()));
            if entity.versioned.is_some() {
                names.extend(["data", "data_version", "last_write"]);
            }
        }
        names
    }

    pub(super) fn require_value(
        &mut self,
        text: &Text,
        name: &str,
        span: std::ops::Range<usize>,
        by_hand: &ByHand,
    ) {
        if by_hand.value(name).is_none() {
            self.fault(
                text.at(span),
                format!("`{name}` has no value: give it in `values`, as in {{ \"{name}\" = \"USER#{{user_id}}\" }}"),
            );
        }
    }

    pub(super) fn note_reserved(&mut self, text: &Text, names: &[NameRef]) {
        for name in names {
            self.reserved
                .push((text.at(name.span.clone()), name.text.clone()));
        }
    }

    pub(super) fn fault(&mut self, span: Span, message: String) {
        self.faults.push(HandFault { span, message });
    }
}
