//! Items that reads give and indexes hold, where chance has made none: what nothing meets would be proved by silence.

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::model::{EntityId, FieldId, Key};

use crate::data::chance::Chance;
use crate::data::values::Style;
use crate::data::world::World;
use crate::demand::{Demand, is_alive};
use crate::record::Record;

impl World<'_, '_> {
    /// For every read of an entity and for every index an item that is asked for, or is in it: as the condition says that is written there.
    pub(in crate::data::world) fn shown(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let demands = demands(model, id);
        for demand in &demands {
            if !self.made[id.0].iter().any(|record| demand.meets(record)) {
                self.show(id, demand, &demands, chance);
            }
        }
    }

    /// A new item that meets a demand, of whoever has few; where there is no key for another, one that is there is made such.
    fn show(
        &mut self,
        id: EntityId,
        demand: &Demand<'_>,
        all: &[Demand<'_>],
        chance: &mut Chance,
    ) -> Option<()> {
        let model = self.maker.model();
        let entity = model.entity(id);
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let guarded: Vec<FieldId> = guards.flat_map(Key::field_ids).collect();
        let mut own = self.maker.links.fresh(entity, id);
        own.extend(&guarded);
        let alive = self.made[id.0].iter().rev();
        let alive: Vec<&Record> = alive.filter(|record| is_alive(model, record)).collect();
        let whole = alive.iter().find(|record| demand.has_all(record));
        let like = (*whole.or(alive.first())?).clone();
        let ttl = entity.ttl.as_ref().map(|(_, ttl)| *ttl);
        let maker = &mut *self.maker;
        let mut invent = |field: FieldId| match ttl == Some(field) {
            true => maker.later(chance),
            false => maker.value(id, field, Style::Plain, chance),
        };
        let values = demand.met_like(&like, &own, &mut invent)?;
        if let Some(made) = self.made_like(id, &like, &values, chance) {
            // What was left out for its size is in it: nobody counts on that of a rare item.
            let whole = made.with(values.into_iter().map(|(field, value)| (field.0, value)));
            *self.made[id.0].last_mut()? = whole;
            return Some(());
        }
        if values.iter().any(|(field, _)| guarded.contains(field)) {
            return None;
        }
        self.made_such(id, demand, all, &values)
    }

    /// An item that is there gets values with which it meets a demand, and remains what others demand that nothing else meets.
    fn made_such(
        &mut self,
        id: EntityId,
        demand: &Demand<'_>,
        all: &[Demand<'_>],
        values: &[(FieldId, Value)],
    ) -> Option<()> {
        let model = self.maker.model();
        let made = &self.made[id.0];
        let (place, changed) = made.iter().enumerate().find_map(|(place, record)| {
            let values = values.iter().cloned();
            let changed = record.with(values.map(|(field, value)| (field.0, value)));
            let is_missed = |other: &&Demand<'_>| {
                let mut met = made.iter().filter(|one| other.meets(one));
                let alone = met.next() == Some(record) && met.next().is_none();
                alone && !other.meets(&changed)
            };
            let fits = demand.meets(&changed)
                && changed.key(model) == record.key(model)
                && !all.iter().any(|other| is_missed(&other));
            fits.then_some((place, changed))
        })?;
        self.made[id.0][place] = changed;
        Some(())
    }
}

fn demands(model: &Model, id: EntityId) -> Vec<Demand<'_>> {
    let reads = model.accesses.iter().filter(|access| {
        let entities = access.verb.entities();
        access.verb.is_read() && entities.iter().any(|one| one.id == id)
    });
    let reads = reads.filter_map(|access| Demand::of_read(model, access, id));
    let indexes = model.entity(id).index_keys.iter();
    let indexes = indexes.map(|key| Demand::of_index(model, id, key));
    reads.chain(indexes).collect()
}
