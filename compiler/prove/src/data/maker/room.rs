//! How many items there can be of an entity.

use tablewright_model::model::{EntityId, FieldId, Key};

use super::Maker;
use crate::data::links::Reference;
use crate::data::values::how_many;

impl Maker<'_> {
    /// How many items of an entity there can be in a table that has so many of each; none where there is no end.
    pub(crate) fn room(&self, id: EntityId, made: &[u64]) -> Option<u64> {
        let entity = self.model.entity(id);
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let guards = guards.map(Key::field_ids);
        // What may be absent is unique only where it is there.
        let always = |fields: &Vec<FieldId>| {
            let mut fields = fields.iter();
            fields.all(|field| !entity.field(*field).is_optional())
        };
        let guards = guards.filter(always);
        let keys = std::iter::once(entity.identity()).chain(guards);
        let by_keys = keys.filter_map(|fields| self.room_of(id, &fields, made));
        by_keys.chain(entity.facts.items).min()
    }

    /// How many choices of values some fields have.
    fn room_of(&self, id: EntityId, fields: &[FieldId], made: &[u64]) -> Option<u64> {
        let entity = self.model.entity(id);
        let mut choices: u64 = 1;
        let mut counted: Vec<FieldId> = Vec::new();
        for field in fields.iter().copied() {
            if counted.contains(&field) {
                continue;
            }
            counted.push(field);
            let refers = |reference: &&Reference| {
                let mut named = reference.fields.iter();
                named.any(|(mine, _)| *mine == field)
            };
            let reference = self.links.references[id.0].iter().find(refers);
            let of_type = match reference {
                Some(reference) => {
                    counted.extend(reference.fields.iter().map(|(mine, _)| *mine));
                    Some(made[reference.to.0])
                }
                None => how_many(
                    entity.field(field).kind(),
                    self.entities[id.0].places[field.0],
                ),
            };
            let values = of_type.into_iter().chain(entity.distinct(field)).min();
            choices = choices.saturating_mul(values?);
        }
        Some(choices)
    }
}
