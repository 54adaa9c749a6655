//! Where every key is taken, as that of a singleton, no item can be made that a write demands: one that is there is made over, or gives up its place.

use serde_json::{Map, Value};
use tablewright_model::model::{ActionKind, EntityId, FEW, FieldId};

use super::acts::{is_guarded, set_to};
use super::keepers::Known;
use super::workshop::{ATTEMPTS, Chosen, Draft, Workshop};
use super::{DEAREST, LEGAL, Step};
use crate::data::{Fixed, Maker, Style};
use crate::deed::{Act, Deed, Effect};
use crate::demand::Demand;
use crate::parameters;
use crate::record::Record;

/// So many keys are tried for one that nobody has.
const KEYS: usize = 24;

/// So many items are tried to be made over.
const TRIED: usize = 12;

impl Workshop<'_> {
    /// Whether some step makes an item of which there are no more keys, or demands something of one.
    pub(super) fn lacks_keys(&mut self, steps: &[Step<'_>]) -> bool {
        steps.iter().any(|step| {
            let demands = step.condition.is_some() || step.kind == ActionKind::Create;
            demands && !self.has_a_free_key(step.entity)
        })
    }

    /// Whether there is a key that nobody has. What begins by itself is made by nobody.
    fn has_a_free_key(&mut self, id: EntityId) -> bool {
        if self.maker.links.only_counts[id.0] {
            return true;
        }
        let before = self.chance.clone();
        let entity = self.model.entity(id);
        // More items have no other values of these.
        let pooled = self.maker.links.pooled[id.0].iter();
        let few: Vec<FieldId> = pooled
            .map(|(field, _)| *field)
            .filter(|field| entity.distinct(*field).is_some_and(|count| count < FEW))
            .collect();
        let is_free = (0..KEYS).any(|_| {
            let mut known = self.fixed(id, &Map::new());
            known.retain(|field, _| few.contains(field));
            self.maker.has_a_free_key(id, &known, &mut self.chance)
        });
        self.chance = before;
        is_free
    }

    /// Does something with items that are made over first, or give up their place.
    pub(super) fn over<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.makes_over = true;
        let made = make(self);
        self.makes_over = false;
        made
    }

    /// A call that goes through with items that are made over, and the dearest of such.
    pub(super) fn with_what_is_made_over(&mut self, steps: &[Step<'_>]) -> Vec<Deed> {
        let moves_guards = steps.iter().any(|step| {
            let mut set = step.changes.set.iter();
            set.any(|field| is_guarded(self.model, step.entity, field.id))
        });
        if !moves_guards && !self.lacks_keys(steps) {
            return Vec::new();
        }
        self.over(|workshop| {
            let first = workshop.deed(steps, None, LEGAL + DEAREST);
            let dearest =
                workshop.fully(|workshop| workshop.deed(steps, None, LEGAL + DEAREST + 1));
            first.into_iter().chain(dearest).collect()
        })
    }

    /// The item of a step, where one was found that is what it must be; else one that is made over.
    pub(super) fn found_or_made_over(
        &mut self,
        step: &Step<'_>,
        draft: &mut Draft,
        wanted: bool,
        found: Option<Record>,
    ) -> Option<Record> {
        let (Some(written), true) = (step.condition, self.makes_over) else {
            return found;
        };
        let (model, given) = (self.model, &draft.given);
        let is_met = found.as_ref().is_some_and(|found| {
            let found = self.oracle.counted(found);
            let chance = &mut self.chance;
            parameters::found(model, &written.condition, &found, given, wanted, chance).is_some()
        });
        if is_met && !(self.fullest && wanted) {
            return found;
        }
        let made = self.made_over(step, draft, wanted);
        let made = made.filter(|made| {
            let found = found.as_ref().filter(|_| is_met);
            found.is_none_or(|found| self.rank(found) < self.rank(made))
        });
        draft.made_over.extend(made.clone());
        made.or(found)
    }

    /// An item that is there, with values with which it is what a step demands, or is not.
    fn made_over(&mut self, step: &Step<'_>, draft: &Draft, wanted: bool) -> Option<Record> {
        let is_at = self.at.as_ref().is_some_and(|at| at.entity == step.entity);
        if is_at || self.has_a_free_key(step.entity) {
            return None;
        }
        let count = self.alive(step.entity).len();
        let begin = self.chance.below(count);
        let (model, oracle) = (self.model, &self.oracle);
        let alive = self.alive[step.entity.0].as_deref().unwrap_or_default();
        let entity = model.entity(step.entity);
        let belongs = |one: &Record| {
            entity.identity().into_iter().all(|field| {
                let bound = draft.bound.get(entity.field(field).name.as_str());
                bound.is_none_or(|bound| one.value(field) == Some(bound))
            })
        };
        let (after, before) = alive.split_at(begin);
        let olds = before.iter().chain(after).filter(|one| {
            // What counts something must not go.
            let may_go = step.kind != ActionKind::Delete || oracle.counts_nothing(one);
            may_go && belongs(one) && !draft.has_a_part_for(model, one)
        });
        let olds: Vec<Record> = olds.take(TRIED).cloned().collect();
        olds.iter()
            .find_map(|old| self.made_of(old, step, draft, wanted))
    }

    /// An item with other values, so that it is what a step demands, or is not. It keeps its key and what it counts, and takes nothing of another.
    fn made_of(
        &mut self,
        old: &Record,
        step: &Step<'_>,
        draft: &Draft,
        wanted: bool,
    ) -> Option<Record> {
        let model = self.model;
        let condition = &step.condition?.condition;
        let like = match self.fullest && wanted {
            true => self.as_full_as_can_be(old, step, draft),
            false => old.clone(),
        };
        let id = step.entity;
        let demand = Demand::of_write(model, self.access, id, condition, wanted);
        let ttl = model.entity(id).ttl.as_ref().map(|(_, ttl)| *ttl);
        let (maker, chance) = (&mut self.maker, &mut self.chance);
        let mut invent = |field: FieldId| match ttl == Some(field) {
            true => maker.later(chance),
            false => maker.value(id, field, Style::Plain, chance),
        };
        let values = demand.met_like(&like, &[], &mut invent)?;
        let values = values.into_iter().map(|(field, value)| (field.0, value));
        let made = like.with(values);
        let mut free = self.unbound(id, &Map::new());
        free.retain(|field| !model.entity(id).key.has(*field));
        let known = Known {
            before: Some(old),
            draft: Some(draft),
        };
        let made = self.counted_by_somebody(made, &free, &known)?;
        let counted = self.oracle.counted(&made);
        let (given, chance) = (&draft.given, &mut self.chance);
        let is_met = parameters::found(model, condition, &counted, given, wanted, chance);
        let is_fit = is_met.is_some()
            && made.is_same_item(model, old)
            && self.oracle.is_alive(&made)
            && !self.clashes(&made);
        is_fit.then_some(made)
    }

    /// An item with such values that it is as dear to write as it can be.
    fn as_full_as_can_be(&mut self, old: &Record, step: &Step<'_>, draft: &Draft) -> Record {
        let fields = self.model.entity(step.entity).fields.len();
        let values = old.slots().iter().take(fields).cloned().enumerate();
        let values = values.filter(|(_, value)| !value.is_null());
        let mut fixed: Fixed = values
            .map(|(place, value)| (FieldId(place), value))
            .collect();
        self.fill_indexes(step.entity, &mut fixed);
        self.meet_conditions(step, &draft.given, &mut fixed);
        let full = old.with(fixed.into_iter().map(|(field, value)| (field.0, value)));
        match self.oracle.is_alive(&full) && !self.clashes(&full) {
            true => full,
            false => old.clone(),
        }
    }

    /// What one value finds, with an item that is made over.
    pub(super) fn all_that_is_found_with_one_made_over(
        &mut self,
        step: &Step<'_>,
        about: &str,
    ) -> Option<Deed> {
        (0..ATTEMPTS).find_map(|_| {
            let made = self.made_over(step, &Draft::default(), true)?;
            let key = made.key(self.model);
            let old = self.oracle.stored(step.entity, &key)?.clone();
            self.done(&[Effect::Replace(made.clone())]);
            match self.found_with_one(step, &made, about) {
                Some(mut deed) => {
                    deed.made_over.push(made);
                    Some(deed)
                }
                None => {
                    self.done(&[Effect::Replace(old)]);
                    None
                }
            }
        })
    }

    /// The change with the unique values of another item that is taken away for it: all that the data can have may be taken.
    pub(super) fn with_what_another_had(
        &mut self,
        step: &Step<'_>,
        act: Act,
        changed: &Record,
        draft: &mut Draft,
    ) -> Option<(Act, Record)> {
        let Act::Update { key, add, .. } = act else {
            return None;
        };
        let set: Vec<FieldId> = step.changes.set.iter().map(|field| field.id).collect();
        let guarded = set.iter().copied();
        let guarded = guarded.filter(|field| is_guarded(self.model, step.entity, *field));
        let guarded: Vec<FieldId> = guarded.collect();
        let others = self.alive_from_a_place_on(step.entity);
        let (other, with) = others.iter().take(TRIED).find_map(|other| {
            if other.is_same_item(self.model, changed)
                || draft.has_a_part_for(self.model, other)
                || !self.oracle.counts_nothing(other)
            {
                return None;
            }
            let theirs = guarded.iter();
            let theirs = theirs.map(|field| (field.0, other.slots()[field.0].clone()));
            let with = changed.with(theirs);
            self.oracle.remove(other);
            let clashes = self.is_taken(&with, draft);
            self.oracle.insert(other.clone());
            (!clashes).then_some((other.clone(), with))
        })?;
        draft.freed.push(other);
        let set = set_to(step, &set, &with);
        Some((Act::Update { key, set, add }, with))
    }

    /// A new item of a step in the place of one that is taken away for it.
    pub(super) fn in_the_place_of_one(
        &mut self,
        step: &Step<'_>,
        draft: &mut Draft,
    ) -> Option<Chosen> {
        if !self.makes_over || self.has_a_free_key(step.entity) {
            return None;
        }
        let alive = self.alive_from_a_place_on(step.entity);
        let old = alive.iter().find(|old| {
            let key = old.key(self.model);
            let is_bound = |(name, value): (&String, &Value)| {
                draft.bound.get(name).is_none_or(|bound| bound == value)
            };
            self.oracle.counts_nothing(old)
                && key.iter().all(is_bound)
                && !draft.has_a_part_for(self.model, old)
        })?;
        let record = self.in_its_place(old, &draft.bound)?;
        if draft.gives_a_value_of(self.model, &record) {
            return None;
        }
        draft.freed.push(old.clone());
        Some(Chosen {
            act: Act::Create(record.clone()),
            effect: Some(Effect::Insert(record.clone())),
            record,
            refused: None,
        })
    }

    /// Another item of the key of one that goes, with values that are decided, counted by somebody who is there. Where no other unique values are free,
    /// it has those of the first.
    pub(super) fn in_its_place(
        &mut self,
        old: &Record,
        bound: &Map<String, Value>,
    ) -> Option<Record> {
        let made = (0..ATTEMPTS).find_map(|_| {
            let made = self.with_the_key_of(old, bound);
            made.filter(|made| !self.clashes(made))
        });
        made.or_else(|| {
            let entity = self.model.entity(old.entity());
            let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
            let guarded = guards.flat_map(|guard| guard.field_ids());
            let theirs = guarded.map(|field| (field.0, old.slots()[field.0].clone()));
            let made = self.with_the_key_of(old, bound)?.with(theirs);
            (!self.clashes(&made)).then_some(made)
        })
    }

    /// Another item of a key, counted by somebody who is there.
    pub(super) fn with_the_key_of(
        &mut self,
        old: &Record,
        bound: &Map<String, Value>,
    ) -> Option<Record> {
        let entity = self.model.entity(old.entity());
        let bound_fields = bound
            .iter()
            .filter_map(|(name, value)| Some((entity.field_named(name)?, value.clone())));
        let mut fixed: Fixed = bound_fields.collect();
        let identity = entity.identity().into_iter();
        fixed.extend(identity.filter_map(|field| Some((field, old.value(field)?.clone()))));
        let mut others = Maker::new(self.model);
        let record = others.record(old.entity(), &fixed, Style::Plain, &mut self.chance)?;
        let mut known = old.key(self.model);
        known.extend(bound.clone());
        let free = self.unbound(old.entity(), &known);
        self.counted_by_somebody(record, &free, &Known::default())
    }
}
