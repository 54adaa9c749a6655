//! Items at the edges of conditions: with the value that is named there, and with those just beside it.

use serde_json::Value;
use tablewright_model::model::{EntityId, FieldId, Key};

use crate::data::chance::Chance;
use crate::data::values::Style;
use crate::data::world::World;
use crate::demand::edges::{Edge, conditions, edges};
use crate::demand::{Demand, is_alive};
use crate::record::Record;

impl World<'_, '_> {
    /// For every value that a condition names one item with it that meets the rest of the condition, so that nothing else decides; of whoever has few.
    pub(in crate::data::world) fn turns(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let mut own = self.maker.links.fresh(entity, id);
        own.extend(guards.flat_map(Key::field_ids));
        for condition in conditions(model, id) {
            let mut turns = edges(model, id, condition);
            turns.retain(|edge| !own.contains(&edge.field));
            let mut alive = self.made[id.0].iter().rev();
            let like = alive.find(|record| is_alive(model, record)).cloned();
            let Some(like) = like.filter(|_| !turns.is_empty()) else {
                continue;
            };
            let demand = Demand::of_condition(model, id, condition);
            let maker = &mut *self.maker;
            let mut invent = |field: FieldId| maker.value(id, field, Style::Plain, chance);
            let met = demand
                .met_like(&like, &own, &mut invent)
                .unwrap_or_default();
            for edge in &turns {
                let is_one = |record: &Record| {
                    is_alive(model, record)
                        && edge
                            .decides(model, condition, record, &turns, chance)
                            .is_some()
                };
                if self.made[id.0]
                    .iter()
                    .filter(|one| edge.is_of(one))
                    .any(is_one)
                {
                    continue;
                }
                self.turn(id, &like, &met, edge, chance);
            }
        }
    }

    fn turn(
        &mut self,
        id: EntityId,
        like: &Record,
        met: &[(FieldId, Value)],
        edge: &Edge,
        chance: &mut Chance,
    ) -> Option<()> {
        let rest = met.iter().filter(|(field, _)| *field != edge.field);
        let mut values: Vec<(FieldId, Value)> = rest.cloned().collect();
        values.push((edge.field, edge.value.clone()));
        let made = self.made_like(id, like, &values, chance)?;
        // What was left out for its size is in it: nobody counts on that of a rare item.
        let whole = made.with(values.into_iter().map(|(field, value)| (field.0, value)));
        *self.made[id.0].last_mut()? = whole;
        Some(())
    }
}
