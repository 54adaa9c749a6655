//! Records that fit: with the values that are decided, referring to what is there, unique where they must be.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{ActionKind, EntityId, FieldId};

use super::Step;
use super::workshop::{At, Draft, Workshop};
use crate::data::{Chance, Fixed};
use crate::deed::Act;
use crate::parameters;
use crate::record::Record;

/// How many records are looked at for one that meets a condition.
const FAR: usize = 3000;

impl Workshop<'_> {
    /// A record that is not over and has the values that are decided.
    pub(super) fn choose(
        &mut self,
        step: &Step<'_>,
        draft: &Draft,
        wanted: bool,
    ) -> Option<Record> {
        let names = self.identity_names(step.entity);
        let key: Option<Map<String, Value>> = names
            .iter()
            .map(|name| Some((name.clone(), draft.bound.get(name)?.clone())))
            .collect();
        if let Some(key) = key {
            let found = self.oracle.stored(step.entity, &key)?;
            return self.oracle.is_alive(found).then(|| found.clone());
        }
        let count = self.alive(step.entity).len();
        let begin = self.chance.below(count);
        let entity = self.model.entity(step.entity);
        let fits = |record: &Record| {
            names.iter().all(|name| {
                let value = entity
                    .field_named(name)
                    .and_then(|field| record.value(field));
                draft
                    .bound
                    .get(name)
                    .is_none_or(|bound| value == Some(bound))
            })
        };
        // From a place taken by chance on, the first with which it can be done.
        let (model, oracle) = (self.model, &self.oracle);
        let mut chance = self.chance.clone();
        let alive = self.alive[step.entity.0].as_deref().unwrap_or_default();
        let at = self.at.as_ref().filter(|at| at.entity == step.entity);
        let far = if at.is_some() { count } else { count.min(FAR) };
        let places = (0..far).map(|step| (begin + step) % count);
        let mut fitting = places.map(|place| &alive[place]).filter(|record| {
            fits(record)
                && at.is_none_or(|at| at.is_had_by(model, step, record, &mut chance.clone()))
                // What counts something must not go.
                && (step.kind != ActionKind::Delete || oracle.counts_nothing(record))
                && step.condition.is_none_or(|condition| {
                    let (condition, given) = (&condition.condition, &draft.given);
                    let record = oracle.counted(record);
                    parameters::found(model, condition, &record, given, wanted, &mut chance)
                        .is_some()
                })
        });
        match self.fullest {
            true => self.fullest_of(step, fitting),
            false => fitting.next().cloned(),
        }
    }

    /// Whether a step takes away what is nothing but counts, on a condition: there must be one that counts nothing.
    pub(super) fn takes_empty_counts(&self, step: &Step<'_>) -> bool {
        step.kind == ActionKind::Delete
            && self.maker.links.only_counts[step.entity.0]
            && step.condition.is_some()
    }

    pub(super) fn alive(&mut self, id: EntityId) -> &[Record] {
        let oracle = &self.oracle;
        self.alive[id.0].get_or_insert_with(|| {
            let records = oracle.records(id).filter(|record| oracle.is_alive(record));
            records.cloned().collect()
        })
    }

    /// The same, from a place taken by chance on.
    pub(super) fn alive_from_a_place_on(&mut self, id: EntityId) -> Vec<Record> {
        let mut alive = self.alive(id).to_vec();
        let begin = self.chance.below(alive.len());
        alive.rotate_left(begin);
        alive
    }

    /// What a new record must have: what is decided, what it refers to, and values of pools.
    pub(super) fn fixed(&mut self, id: EntityId, bound: &Map<String, Value>) -> Fixed {
        let entity = self.model.entity(id);
        let mut fixed = Fixed::new();
        for reference in self.maker.links.references[id.0].clone() {
            let count = self.alive(reference.to).len();
            let number = self.chance.below(count);
            let target = self.alive(reference.to).get(number).cloned();
            for (mine, theirs) in &reference.fields {
                let value = target.as_ref().and_then(|target| target.value(*theirs));
                fixed.extend(value.map(|value| (*mine, value.clone())));
            }
        }
        for (field, _) in self.maker.links.pooled[id.0].clone() {
            let count = self.alive(id).len();
            let number = self.chance.below(count);
            let value = self
                .alive(id)
                .get(number)
                .and_then(|record| record.value(field).cloned());
            fixed.extend(value.map(|value| (field, value)));
        }
        let carried = bound
            .iter()
            .filter_map(|(name, value)| Some((entity.field_named(name)?, value.clone())));
        fixed.extend(carried);
        fixed
    }

    /// The fields of an entity whose values are not decided.
    pub(super) fn unbound(&self, id: EntityId, bound: &Map<String, Value>) -> Vec<FieldId> {
        let entity = self.model.entity(id);
        let fields = (0..entity.fields.len()).map(FieldId);
        fields
            .filter(|field| !bound.contains_key(entity.field(*field).name.as_str()))
            .collect()
    }

    /// Whether nobody has the key of a record, or one of its unique values.
    pub(super) fn is_free(&self, record: &Record) -> bool {
        let key = record.key(self.model);
        self.oracle.stored(record.entity(), &key).is_none()
            && !self.later.has_key_of(self.model, record)
            && !self.clashes(record)
    }

    /// Whether another record has one of the unique values of this, or one that comes later.
    pub(super) fn clashes(&self, record: &Record) -> bool {
        let model = self.model;
        let mut unique = model.entity(record.entity()).unique.iter();
        if unique.all(|unique| unique.guard.is_none()) {
            return false;
        }
        let is_later = self.later.has_unique_of(model, record);
        let mut others = self.oracle.records(record.entity());
        is_later || others.any(|other| have_a_value_in_common(model, other, record))
    }

    /// The same, and whether another action of a deed gives one of these values to its item.
    pub(super) fn is_taken(&self, record: &Record, draft: &Draft) -> bool {
        self.clashes(record) || draft.gives_a_value_of(self.model, record)
    }

    /// The change with the unique values of another record.
    pub(super) fn with_taken(
        &mut self,
        step: &Step<'_>,
        act: Act,
        changed: &Record,
        unique: &str,
        draft: &Draft,
    ) -> Option<(Act, Record)> {
        let id = changed.entity();
        let entity = self.model.entity(id);
        let guard = entity
            .unique
            .iter()
            .find(|known| known.name.value == unique)?
            .guard
            .as_ref()?;
        // What the write leaves alone, as the key, the other must have in common.
        let (set_here, left): (Vec<FieldId>, Vec<FieldId>) = guard
            .field_ids()
            .into_iter()
            .partition(|field| step.changes.set.iter().any(|known| known.id == *field));
        let model = self.model;
        let others: Vec<Record> = self
            .alive(id)
            .iter()
            .filter(|other| {
                let mut left = left.iter();
                !other.is_same_item(model, changed)
                    && !draft.has_a_part_for(model, other)
                    && left.all(|field| other.value(*field) == changed.value(*field))
            })
            .cloned()
            .collect();
        if others.is_empty() {
            return None;
        }
        let other = self.chance.pick(&others).clone();
        let Act::Update { key, mut set, add } = act else {
            return None;
        };
        let mut slots = Vec::new();
        for field in set_here {
            let value = other.value(field)?.clone();
            set.insert(entity.field(field).name.value.clone(), value.clone());
            slots.push((field.0, value));
        }
        Some((Act::Update { key, set, add }, changed.with(slots)))
    }
}

/// Whether two items have one of the values that only one may have.
pub(super) fn have_a_value_in_common(model: &Model, one: &Record, other: &Record) -> bool {
    let folded = |value: Option<&Value>| value.map(|value| crate::fold::fold(&value.to_string()));
    let unique = &model.entity(one.entity()).unique;
    let mut guards = unique.iter().filter_map(|unique| unique.guard.as_ref());
    one.entity() == other.entity()
        && guards.any(|guard| {
            let mut fields = guard.field_ids().into_iter();
            fields.all(|field| {
                let value = folded(one.value(field));
                value.is_some() && value == folded(other.value(field))
            })
        })
        && !one.is_same_item(model, other)
}

impl At {
    /// Whether a record has the value, and nothing else decides whether it meets the condition of a step.
    fn is_had_by(
        &self,
        model: &Model,
        step: &Step<'_>,
        record: &Record,
        chance: &mut Chance,
    ) -> bool {
        self.edge.is_of(record)
            && step.condition.is_some_and(|written| {
                let decides =
                    self.edge
                        .decides(model, &written.condition, record, &self.all, chance);
                decides.is_some()
            })
    }
}
