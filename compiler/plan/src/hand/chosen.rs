//! The key a request by hand asks, where the model gives an entity several in one index.

use tablewright_model::model::{ByHand, EntityId, Key, KeyTemplate, Model};

use super::align::{Alignment, align, in_terms_of};
use super::{HandPlan, Place};
use crate::expression;

impl HandPlan {
    /// Of the keys an entity has here, the one whose partition is asked, and whose sort key.
    pub(super) fn choose_keys(
        &mut self,
        model: &Model,
        main: EntityId,
        values: &[(&KeyTemplate, bool)],
    ) {
        for id in &self.entities {
            let entity = model.entity(*id);
            let values: Vec<_> = values
                .iter()
                .map(|(value, of_partition)| {
                    let own = in_terms_of(value, model.entity(main), entity);
                    (own, *of_partition)
                })
                .collect();
            let rank = |key: &Key, of_partition: bool| {
                let own = values.iter().filter(|(_, own)| *own == of_partition);
                let ranks = own.map(|(value, _)| {
                    let stored = half(key, of_partition);
                    let aligned = value
                        .as_ref()
                        .zip(stored)
                        .map(|(value, stored)| align(value, stored));
                    aligned.unwrap_or(Alignment::Differs).rank()
                });
                ranks.max()
            };
            let keys = stored_keys(model, *id, self.place).into_iter().enumerate();
            let best = keys.min_by_key(|(_, key)| (rank(key, true), rank(key, false)));
            self.keys.extend(best.map(|(position, _)| (*id, position)));
        }
    }

    /// The key of an entity that is asked.
    pub fn key_of<'m>(&self, model: &'m Model, entity: EntityId) -> Option<&'m Key> {
        let chosen = self.keys.iter().find(|(id, _)| *id == entity);
        let position = chosen.map_or(0, |(_, position)| *position);
        let keys = stored_keys(model, entity, self.place);
        keys.into_iter().nth(position)
    }
}

/// The values of the tests, and whether each is one of the partition key.
pub(super) fn values_of<'h>(
    terms: &[(&expression::KeyTerm, String, bool)],
    by_hand: &'h ByHand,
) -> Vec<(&'h KeyTemplate, bool)> {
    let tests = terms.iter().flat_map(|(term, _, of_partition)| {
        let values = term.test.values();
        values.map(move |value| (value, *of_partition))
    });
    tests
        .filter_map(|(value, of_partition)| {
            Some((&by_hand.value(&value.text)?.value, of_partition))
        })
        .collect()
}

pub(super) fn half(key: &Key, partition: bool) -> Option<&KeyTemplate> {
    if partition {
        Some(&key.partition)
    } else {
        key.sort.as_ref()
    }
}

/// The keys of an entity in the table or an index: more than one where the model gives it two there.
pub fn stored_keys(model: &Model, entity: EntityId, place: Place) -> Vec<&Key> {
    let entity = model.entity(entity);
    match place.index {
        None => vec![&entity.key],
        Some(index) => entity.keys_in(index).map(|key| &key.key).collect(),
    }
}
