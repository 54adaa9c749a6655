//! Items that have one key: of two entities, of an entity and a guard, and of one template that can be read in two ways.

use serde_json::Value;
use tablewright_model::model::{EntityId, FieldId};

use super::keys;
use super::witness::{Taken, in_common, two_readings};
use crate::data::chance::Chance;
use crate::data::maker::Fixed;
use crate::data::world::World;
use crate::data::world::empty_counts::key_of;

impl World<'_, '_> {
    /// For every two keys under which a table stores items, those of guards too: where they can be the same, an item of each that has it.
    pub(in crate::data::world) fn meetings(&mut self, chance: &mut Chance) {
        let model = self.maker.model();
        let mut stored: Vec<(EntityId, Taken<'_>)> = Vec::new();
        for (id, entity) in model.entity_ids() {
            let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
            let keys = std::iter::once(&entity.key).chain(guards);
            stored.extend(keys.map(|key| (id, Taken { entity, key })));
        }
        for (position, (one, taken)) in stored.iter().enumerate() {
            for (other, also) in &stored[position + 1..] {
                if taken.entity.table == also.entity.table
                    && let Some([first, second]) = in_common(model, *taken, *also)
                {
                    for (id, values) in [(*one, first), (*other, second)] {
                        let values: Vec<(FieldId, Value)> = values.into_iter().collect();
                        self.edge(id, &values, chance);
                    }
                }
            }
        }
        self.leave_out_what_is_counted();
    }

    /// What begins with a count is there when something is counted for it, and is not made.
    fn leave_out_what_is_counted(&mut self) {
        let model = self.maker.model();
        for (id, entity) in model.entity_ids() {
            if self.maker.links.only_counts[id.0] {
                let counted = self.counted_keys(id);
                let identity = entity.identity();
                self.made[id.0].retain(|record| !counted.contains(&key_of(record, &identity)));
            }
        }
    }

    /// For every key that can be read in two ways, an item of each reading.
    pub(super) fn read_in_two_ways(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let templates = keys(entity).flat_map(|key| key.templates());
        let readings: Vec<[Fixed; 2]> = templates
            .filter_map(|template| two_readings(model, entity, template))
            .collect();
        for readings in readings {
            let pair = readings.map(|values| values.into_iter().collect());
            self.of_one_key(id, pair, chance);
        }
    }

    /// Two items that differ in these values, and otherwise have their keys in common.
    pub(super) fn of_one_key(
        &mut self,
        id: EntityId,
        pair: [Vec<(FieldId, Value)>; 2],
        chance: &mut Chance,
    ) {
        let Some(mut like) = self.made[id.0].first().cloned() else {
            return;
        };
        let identity = self.maker.model().entity(id).identity();
        let mut fields = pair[0].iter().map(|(field, _)| field);
        let told_apart = fields.any(|field| identity.contains(field));
        let mut shared: &[FieldId] = &[];
        for values in pair {
            let Some(made) = self.made_sharing(id, &like, shared, &values, chance) else {
                return;
            };
            if told_apart {
                (like, shared) = (made, &identity);
            }
        }
    }
}
