//! What one action does to one record.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, FieldId, Key};

use super::Step;
use super::fullest::{is_as_dear_as_declared, told_apart};
use super::keepers::Known;
use super::workshop::Workshop;
use crate::data::{Chance, Maker, Style, size_of_record};
use crate::deed::Act;
use crate::indexed::weight;
use crate::record::Record;

/// The fullest change is one of so many, and of so many for every choice of what it takes away.
const FULLEST_OF: usize = 64;
const OF_EACH_CHOICE: usize = 16;

/// Of so many fields every choice is tried that takes some of them away.
const TAKEN_AWAY: usize = 4;

impl Workshop<'_> {
    /// A change of a record: what to pass, and what the record is then. The fullest is of several the one that moves most entries of indexes.
    pub(super) fn change(
        &mut self,
        step: &Step<'_>,
        record: &Record,
        fullest: bool,
    ) -> Option<(Act, Record)> {
        if !fullest {
            return self.changed(step, record, None);
        }
        let model = self.model;
        let entity = model.entity(step.entity);
        let told_apart = told_apart(model, step.entity);
        let set = step.changes.set.iter().map(|field| field.id);
        let optional: Vec<FieldId> = set
            .filter(|field| entity.field(*field).is_optional() && told_apart.contains(field))
            .take(TAKEN_AWAY)
            .collect();
        let choices = 1_usize << optional.len();
        let changes = 0..FULLEST_OF.max(choices * OF_EACH_CHOICE);
        let changes = changes.filter_map(|number| {
            let away = optional.iter().enumerate();
            let away = away.filter(|(place, _)| (number >> place) & 1 == 1);
            let away: Vec<FieldId> = away.map(|(_, field)| *field).collect();
            self.changed(step, record, Some(&away))
        });
        let changes: Vec<(Act, Record)> = changes.collect();
        changes.into_iter().max_by_key(|(_, changed)| {
            let as_declared = is_as_dear_as_declared(model, changed);
            let entries = weight(model, Some(record), Some(changed));
            (as_declared, entries, self.is_counted_first(changed))
        })
    }

    /// A change that leaves nothing alone, and takes away what is to go, where that is said. Whoever counts the item then is there.
    fn changed(
        &mut self,
        step: &Step<'_>,
        record: &Record,
        away: Option<&[FieldId]>,
    ) -> Option<(Act, Record)> {
        let model = self.model;
        let entity = model.entity(step.entity);
        let declared = entity.facts.size.map_or(usize::MAX, |size| size as usize);
        let limit = declared.max(size_of_record(model, record));
        for attempt in 0..8 {
            let style = if attempt < 2 {
                Style::Typical
            } else {
                Style::Plain
            };
            let set = self.new_values(step, away, style);
            let mut slots: Vec<(usize, Value)> = set
                .iter()
                .map(|(field, value)| (field.0, value.clone()))
                .collect();
            let mut add = Vec::new();
            for field in &step.changes.add {
                let has = record.value(field.id).and_then(Value::as_i64).unwrap_or(0);
                let by = addend(entity.field(field.id).kind(), has, &mut self.chance);
                if by != 0 {
                    slots.push((field.id.0, Value::from(has + by)));
                    add.push((field.written.value.clone(), by));
                }
            }
            if slots.is_empty() {
                continue;
            }
            let free: Vec<FieldId> = set.into_iter().map(|(field, _)| field).collect();
            let known = Known {
                before: Some(record),
                ..Known::default()
            };
            let changed = self.counted_first(record.with(slots), &free);
            let Some(changed) = self.counted_by_somebody(changed, &free, &known) else {
                continue;
            };
            if size_of_record(model, &changed) <= limit || attempt == 7 {
                let key = record.key(model);
                let set = set_to(step, &free, &changed);
                return Some((Act::Update { key, set, add }, changed));
            }
        }
        None
    }

    /// Values for the fields a change sets; some are left alone, unless it is said what is taken away.
    fn new_values(
        &mut self,
        step: &Step<'_>,
        away: Option<&[FieldId]>,
        style: Style,
    ) -> Vec<(FieldId, Value)> {
        let mut values: Vec<(FieldId, Value)> = Vec::new();
        let last = step.changes.set.last().map(|last| last.id);
        for field in &step.changes.set {
            let is_last = values.is_empty() && last == Some(field.id);
            // A change that says nothing of a field leaves it as it is.
            if away.is_none()
                && self.chance.one_in(4)
                && !is_last
                && !is_guarded(self.model, step.entity, field.id)
            {
                continue;
            }
            let (maker, chance) = (&mut self.maker, &mut self.chance);
            let value = match away {
                Some(away) if away.contains(&field.id) => Value::Null,
                Some(_) => some_value(maker, step.entity, field.id, style, chance),
                None => new_value(maker, step.entity, field.id, style, chance),
            };
            values.push((field.id, value));
        }
        values
    }
}

/// The values of a record in some of the fields a change sets, by name.
pub(super) fn set_to(step: &Step<'_>, fields: &[FieldId], record: &Record) -> Map<String, Value> {
    let set = step.changes.set.iter();
    let set = set.filter(|field| fields.contains(&field.id));
    set.map(|field| {
        let value = record.slots()[field.id.0].clone();
        (field.written.value.clone(), value)
    })
    .collect()
}

fn new_value(
    maker: &mut Maker<'_>,
    id: EntityId,
    field: FieldId,
    style: Style,
    chance: &mut Chance,
) -> Value {
    let entity = maker.model().entity(id);
    let declared = entity.field(field);
    let is_ttl = entity.ttl.as_ref().is_some_and(|(_, ttl)| *ttl == field);
    if declared.is_optional() && chance.one_in(if is_ttl { 2 } else { 4 }) {
        return Value::Null;
    }
    some_value(maker, id, field, style, chance)
}

fn some_value(
    maker: &mut Maker<'_>,
    id: EntityId,
    field: FieldId,
    style: Style,
    chance: &mut Chance,
) -> Value {
    let ttl = maker.model().entity(id).ttl.as_ref();
    if ttl.is_some_and(|(_, ttl)| *ttl == field) {
        return maker.later(chance);
    }
    maker.value(id, field, style, chance)
}

/// A number that leaves the sum within its type.
fn addend(kind: &FieldType, has: i64, chance: &mut Chance) -> i64 {
    let (min, max) = match kind {
        FieldType::Int { min, max } => (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX)),
        _ => (0, i64::MAX / 2),
    };
    let low = min.saturating_sub(has).clamp(-7, 0);
    let high = max.saturating_sub(has).clamp(0, 7);
    chance.between(low, high)
}

pub(super) fn is_guarded(model: &Model, id: EntityId, field: FieldId) -> bool {
    let guards = model
        .entity(id)
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    guards.into_iter().any(|guard: &Key| guard.has(field))
}
