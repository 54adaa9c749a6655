//! Counts of nothing: items that are nothing but counts, and that nothing was made for.

use std::collections::HashSet;

use serde_json::Value;
use tablewright_model::model::{EntityId, FieldId};

use super::World;
use crate::data::chance::Chance;
use crate::data::maker::Fixed;
use crate::data::shares::{idle_of, takers};
use crate::data::values::Style;
use crate::record::Record;

impl World<'_, '_> {
    /// Counts of nothing: for every second of those that nothing belongs to, or, where they belong to nobody, as many as patterns take away.
    pub(super) fn empty_counts(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let references = self.maker.links.references[id.0].clone();
        match references.as_slice() {
            [] => {
                let counted = self.counted_keys(id);
                for _ in 0..takers(model, id).map_or(0, |patterns| patterns + 1) {
                    let made = self.maker.record(id, &Fixed::new(), Style::Plain, chance);
                    let key = |record: &Record| key_of(record, &model.entity(id).identity());
                    let made = made.filter(|record| !counted.contains(&key(record)));
                    self.made[id.0].extend(made);
                }
            }
            [reference] => {
                let targets = self.made[reference.to.0].len();
                let counted = self.counted_keys(id);
                let identity = model.entity(id).identity().into_iter();
                let theirs: Vec<FieldId> = identity
                    .filter_map(|field| {
                        let mut fields = reference.fields.iter();
                        fields.find(|(mine, _)| *mine == field)
                    })
                    .map(|(_, theirs)| *theirs)
                    .collect();
                let is_idle = |chosen: &usize| {
                    let target = &self.made[reference.to.0][*chosen];
                    !counted.contains(&key_of(target, &theirs))
                };
                let unchosen: Vec<usize> = (0..targets).filter(is_idle).collect();
                let idle = idle_of(model, &self.maker.links, reference.to, targets);
                let busy = unchosen.len().saturating_sub(idle);
                for chosen in unchosen.into_iter().skip(busy).step_by(2) {
                    let mut fixed = Fixed::new();
                    self.refer(model, id, reference, chosen, &mut fixed, chance);
                    let made = self.maker.record(id, &fixed, Style::Plain, chance);
                    self.made[id.0].extend(made);
                }
            }
            _ => {}
        }
    }

    /// The keys under which something is counted.
    pub(super) fn counted_keys(&self, keeper: EntityId) -> HashSet<String> {
        let model = self.maker.model();
        let described = model.entity(keeper);
        let mut keys = HashSet::new();
        for counter in &described.counters {
            let counted = model.entity(counter.counts.1);
            let identity = described.identity().into_iter();
            let fields =
                identity.map(|field| counted.field_named(described.field(field).name.as_str()));
            let Some(fields) = fields.collect::<Option<Vec<FieldId>>>() else {
                continue;
            };
            let records = self.made[counter.counts.1.0].iter();
            keys.extend(records.map(|record| key_of(record, &fields)));
        }
        keys
    }
}

pub(super) fn key_of(record: &Record, fields: &[FieldId]) -> String {
    let values = fields.iter().map(|field| record.value(*field).cloned());
    Value::from_iter(values.map(Option::unwrap_or_default)).to_string()
}
