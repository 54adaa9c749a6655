//! Items that are over.

use serde_json::{Value, json};
use tablewright_model::model::{EntityId, FieldId, IndexKey, Key};

use crate::data::chance::Chance;
use crate::data::times::NOW;
use crate::data::world::World;
use crate::demand::decide;
use crate::indexed::is_in;
use crate::record::Record;

impl World<'_, '_> {
    /// Of what has an end, in the table and in every index an item that is over since this second.
    pub(super) fn over(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let Some((_, end)) = &entity.ttl else {
            return;
        };
        let now = NOW / 1000;
        let is_over = |record: &&Record| {
            let end = record.value(*end).and_then(Value::as_i64);
            end.is_some_and(|end| end <= now)
        };
        let indexes = entity.index_keys.iter().map(Some);
        for index in std::iter::once(None).chain(indexes) {
            let is_there = |record: &&Record| index.is_none_or(|index| is_in(model, index, record));
            // Whose items are over already, since what is asked about them says nothing of costs; otherwise somebody's who has few.
            let mut those = self.made[id.0].iter().rev().filter(is_there);
            let last = those.next();
            let like = last.filter(is_over).or_else(|| those.find(is_over));
            let Some(like) = like.or(last).cloned() else {
                continue;
            };
            let shared = index.map_or_else(Vec::new, |index| self.told_by(id, index));
            let over = shared
                .iter()
                .map(|field| (*field, like.slots()[field.0].clone()));
            let mut over: Vec<(FieldId, Value)> = over.collect();
            over.push((*end, json!(now)));
            // Where there is no key for another, the item itself is over, unless it is all there is. What would be too large is so: nobody
            // counts on its size.
            let other = self.made_sharing(id, &like, &shared, &[], chance);
            if other.is_some() || self.made[id.0].len() > 1 {
                self.ends(&other.unwrap_or(like), over);
            }
        }
    }

    /// The fields by which an index has an item, but for those that no two items have in common.
    fn told_by(&self, id: EntityId, index: &IndexKey) -> Vec<FieldId> {
        let entity = self.maker.model().entity(id);
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let mut own = self.maker.links.fresh(entity, id);
        own.extend(guards.flat_map(Key::field_ids));
        let mut fields = index.key.field_ids();
        if let Some(when) = &index.when {
            fields.extend(decide(entity, &when.condition));
        }
        fields.retain(|field| !own.contains(field));
        fields
    }

    fn ends(&mut self, record: &Record, over: Vec<(FieldId, Value)>) {
        let mut made = self.made[record.entity().0].iter_mut().rev();
        if let Some(known) = made.find(|known| *known == record) {
            *known = known.with(over.into_iter().map(|(field, value)| (field.0, value)));
        }
    }
}
