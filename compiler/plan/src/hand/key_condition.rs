//! The key condition of a request by hand, held against the keys of what it asks.

use tablewright_model::Text;
use tablewright_model::model::{Access, ByHand, EntityId, KeyAttribute, Model, Request};

use super::chosen::{half, values_of};
use super::{Alignment, HandOperand, HandPlan, HandTest, align};
use crate::bound::KnownValues;
use crate::collection;
use crate::expression::{self, KeyTest};
use crate::order::{OrderGiven, order_given};

impl HandPlan {
    pub(super) fn key_condition(
        &mut self,
        model: &Model,
        entity: EntityId,
        text: &Text,
        by_hand: &ByHand,
    ) {
        let condition = match expression::parse_key_condition(&text.value) {
            Ok(condition) => condition,
            Err(error) => {
                self.fault(text.at(error.span.clone()), error.to_string());
                return;
            }
        };
        let reserved = expression::unaliased_reserved_words(&condition);
        self.note_reserved(text, &reserved);
        let table = model.table(self.place.table);
        let (partition_key, sort_key): (&KeyAttribute, Option<&KeyAttribute>) =
            match self.place.index {
                None => (&table.partition_key, table.sort_key.as_ref()),
                Some(index) => {
                    let index = table.index(index);
                    (&index.partition_key, index.sort_key.as_ref())
                }
            };
        let mut terms = Vec::new();
        for term in &condition.terms {
            let attribute = by_hand.attribute(&term.attribute.text).to_owned();
            let of_partition = attribute == partition_key.name;
            let of_sort = sort_key.is_some_and(|key| key.name == attribute);
            if of_partition || of_sort {
                terms.push((term, attribute, of_partition));
                continue;
            }
            let keys: Vec<&str> = std::iter::once(partition_key)
                .chain(sort_key)
                .map(|key| key.name.as_str())
                .collect();
            self.fault(
                text.at(term.attribute.span.clone()),
                format!(
                    "`{attribute}` is no key of what is asked; its keys are {}",
                    tablewright_model::suggest::one_of(&keys)
                ),
            );
        }
        self.choose_keys(model, entity, &values_of(&terms, by_hand));
        for (term, attribute, of_partition) in terms {
            let mut values = Vec::new();
            for value in term.test.values() {
                if let Some(operand) =
                    self.operand(model, entity, text, value, of_partition, by_hand)
                {
                    values.push(operand);
                }
            }
            let test = HandTest {
                attribute,
                test: term.test.clone(),
                span: text.at(term.span.clone()),
                values,
            };
            if of_partition {
                if !matches!(test.test, KeyTest::Equals(_)) {
                    let message = format!(
                        "the partition key can only be asked with `=`: write `{} = :value`",
                        test.attribute
                    );
                    self.fault(test.span, message);
                }
                self.partition = Some(test);
            } else {
                self.sort = Some(test);
            }
        }
        if self.partition.is_none() && self.faults.is_empty() {
            let message = format!(
                "nothing is asked of the partition key: add `{} = :value`",
                partition_key.name
            );
            self.fault(text.content(), message);
        }
    }

    /// Equality and a prefix fix what they cover; a range fixes what stands before the field it bounds.
    pub(super) fn count_fixed_pieces(&self) -> usize {
        let Some(sort) = &self.sort else {
            return 0;
        };
        let Some(operand) = sort.values.first() else {
            return 0;
        };
        let pieces = operand.stored.template.pieces.len();
        let (covered, last_field) = match &operand.alignment {
            Alignment::Whole | Alignment::Longer => {
                let last = operand.stored.parts.iter().flatten().last();
                (pieces, last.copied())
            }
            Alignment::Prefix {
                covered,
                last_field,
                ..
            } => (*covered, *last_field),
            Alignment::Skips { .. } | Alignment::OtherForm { .. } | Alignment::Differs => return 0,
        };
        match sort.test {
            KeyTest::Equals(_) | KeyTest::BeginsWith(_) => covered,
            _ => last_field
                .and_then(|field| {
                    let parts = &operand.stored.parts;
                    parts.iter().rposition(|part| *part == Some(field))
                })
                .unwrap_or(covered),
        }
    }

    pub(super) fn order_of_query(
        &self,
        model: &Model,
        access: &Access,
        main: EntityId,
    ) -> OrderGiven {
        match (self.request, self.key_of(model, main)) {
            (Request::Query, _) if self.entities.len() > 1 => {
                collection::order(access.order.as_ref())
            }
            (Request::Query, Some(key)) => order_given(
                access,
                model.entity(main),
                key,
                model.table(self.place.table),
                self.place.index,
                Some(self.fixed_pieces),
                &KnownValues::of(access, model.entity(main)),
            ),
            _ => OrderGiven::Yes { backwards: false },
        }
    }

    pub(super) fn operand(
        &mut self,
        model: &Model,
        entity: EntityId,
        text: &Text,
        value: &expression::ValueRef,
        of_partition: bool,
        by_hand: &ByHand,
    ) -> Option<HandOperand> {
        self.require_value(text, &value.text, value.span.clone(), by_hand);
        let written = by_hand.value(&value.text)?;
        let part = |key| half(key, of_partition);
        let stored = self.key_of(model, entity).and_then(part);
        let Some(stored) = stored else {
            self.fault(
                text.at(value.span.clone()),
                format!(
                    "{} has no key here, so nothing can be found",
                    model.entity(entity).name
                ),
            );
            return None;
        };
        let stored = stored.clone();
        let alignment = align(&written.value, &stored);
        if let Alignment::OtherForm { field } = alignment {
            self.refuse_other_form(&written.value, &stored, field);
        }
        Some(HandOperand {
            name: value.text.clone(),
            value: written.value.clone(),
            stored,
            alignment,
            fits_another: self.keys.iter().any(|(other, _)| {
                let stored = self.key_of(model, *other).and_then(part);
                let value =
                    align::in_terms_of(&written.value, model.entity(entity), model.entity(*other));
                *other != entity
                    && value
                        .zip(stored)
                        .is_some_and(|(value, stored)| align(&value, stored).can_match())
            }),
        })
    }
}
