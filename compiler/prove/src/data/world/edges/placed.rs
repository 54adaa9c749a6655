//! Where a record made on purpose belongs: to whom another does, and to what its own values name.

use serde_json::Value;
use tablewright_model::model::{EntityId, FieldId};

use crate::data::chance::Chance;
use crate::data::maker::Fixed;
use crate::data::values::Style;
use crate::data::world::World;
use crate::record::Record;

impl World<'_, '_> {
    /// A new item of whom another is, with some values of its own.
    pub(super) fn made_like(
        &mut self,
        id: EntityId,
        like: &Record,
        values: &[(FieldId, Value)],
        chance: &mut Chance,
    ) -> Option<Record> {
        self.made_sharing(id, like, &[], values, chance)
    }

    /// The same, with further fields in common with the other.
    pub(super) fn made_sharing(
        &mut self,
        id: EntityId,
        like: &Record,
        shared: &[FieldId],
        values: &[(FieldId, Value)],
        chance: &mut Chance,
    ) -> Option<Record> {
        let mut fixed = self.of_the_same(id, like);
        let shared = shared.iter();
        fixed.extend(shared.map(|field| (*field, like.slots()[field.0].clone())));
        for (field, value) in values {
            self.is_of_this_world(id, *field, value);
            fixed.insert(*field, value.clone());
        }
        self.refer_to_targets(id, values, &mut fixed, chance)?;
        let made = self.maker.record(id, &fixed, Style::Plain, chance)?;
        self.made[id.0].push(made.clone());
        Some(made)
    }

    /// What the values name is there, and is named whole; none where it cannot be.
    fn refer_to_targets(
        &mut self,
        id: EntityId,
        values: &[(FieldId, Value)],
        fixed: &mut Fixed,
        chance: &mut Chance,
    ) -> Option<()> {
        for reference in self.maker.links.references[id.0].clone() {
            let wanted: Vec<(FieldId, Value)> = reference
                .fields
                .iter()
                .filter_map(|(mine, theirs)| {
                    let (_, value) = values.iter().find(|(field, _)| field == mine)?;
                    Some((*theirs, value.clone()))
                })
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let has_all = |record: &&Record| {
                let mut wanted = wanted.iter();
                wanted.all(|(field, value)| record.value(*field) == Some(value))
            };
            let made = &self.made[reference.to.0];
            let target = match made.iter().find(has_all).cloned() {
                Some(target) => target,
                None => {
                    let like = made.first()?.clone();
                    self.made_like(reference.to, &like, &wanted, chance)?
                }
            };
            for (mine, theirs) in &reference.fields {
                fixed.insert(*mine, target.slots()[theirs.0].clone());
            }
        }
        Some(())
    }

    /// Where a field takes its values from a pool, no other world has this one from here on.
    fn is_of_this_world(&mut self, id: EntityId, field: FieldId, value: &Value) {
        let mut pools = self.maker.links.pooled[id.0].iter();
        let pool = pools.find(|(pooled, _)| *pooled == field).cloned();
        if let Some((_, pool)) = pool {
            self.maker.is_new_in_pool(&pool, value);
        }
    }

    /// Whose an item is: what it refers to, and its values of pools.
    fn of_the_same(&self, id: EntityId, like: &Record) -> Fixed {
        let entity = self.maker.model().entity(id);
        let pooled = self.maker.links.pooled[id.0].iter();
        let pooled: Vec<FieldId> = pooled.map(|(field, _)| *field).collect();
        let fields = (0..entity.fields.len()).map(FieldId);
        let shared = fields
            .filter(|field| self.maker.links.is_reference(id, *field) || pooled.contains(field));
        let values = shared.map(|field| (field, like.slots()[field.0].clone()));
        values.collect()
    }
}
