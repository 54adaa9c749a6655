//! Items about as large as they are said to be.

use serde_json::Value;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, FieldId};

use super::{Fixed, Maker};
use crate::data::chance::Chance;
use crate::data::sizes::size_of;
use crate::data::text;

impl Maker<'_> {
    /// Leaves out what may be left out until an item is no larger than it is said to be: what is in no key first.
    pub(super) fn shrink(&self, id: EntityId, slots: &mut [Value], limit: usize) {
        let entity = self.model.entity(id);
        let places = &self.entities[id.0].places;
        let optional = |field: &FieldId| {
            entity.field(*field).is_optional() && !self.links.is_reference(id, *field)
        };
        let mut fields: Vec<FieldId> = (0..entity.fields.len())
            .map(FieldId)
            .filter(optional)
            .collect();
        fields.sort_by_key(|field| places[field.0].in_key);
        for field in fields {
            if size_of(self.model, entity, slots) <= limit {
                return;
            }
            slots[field.0] = Value::Null;
        }
    }

    /// Makes an item about as large as it is said to be.
    pub(super) fn fill(
        &self,
        id: EntityId,
        fixed: &Fixed,
        slots: &mut [Value],
        limit: usize,
        chance: &mut Chance,
    ) {
        let entity = self.model.entity(id);
        let share = 86 + chance.below(13);
        for field in &self.entities[id.0].fillers {
            let has = size_of(self.model, entity, slots);
            let room = (limit * share / 100).saturating_sub(has);
            let Value::String(old) = &slots[field.0] else {
                continue;
            };
            let FieldType::String(length) = entity.field(*field).kind() else {
                continue;
            };
            let most = length.max.map_or(usize::MAX, |max| max as usize);
            let chars = old.chars().count();
            let wanted = (chars + room).min(most);
            // What a condition names is no longer that with more behind it.
            let is_named = self.named(id, *field).contains(&slots[field.0]);
            if wanted <= chars || is_named || fixed.contains_key(field) {
                continue;
            }
            let more = text::ordinary(wanted - chars, chance);
            slots[field.0] = Value::String(format!("{old}{more}"));
        }
    }
}
