//! Records, one by one: every value of its type, keys and unique values new, sizes near what is declared.

mod fit;
mod room;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, Key};

use super::about::{About, folded, key_mark, marks};
use super::chance::{Chance, hash};
use super::later::Later;
use super::links::{Links, PoolName};
use super::neighbours::{beside, longer};
use super::sizes::size_of;
use super::times::{DAY, NOW};
use super::values::{Style, value_of};
use crate::fold::fold;
use crate::record::{Record, canonical};

/// What some fields must be.
pub(crate) type Fixed = BTreeMap<FieldId, Value>;

/// The attempts to make a record another, by values as they usually are.
const USUAL: Range<usize> = 0..24;

/// Those by signs, of which there are many also of one character. Between them are those by letters.
const SIGNED: Range<usize> = 32..40;

/// Makes records of a model.
#[derive(Debug)]
pub(crate) struct Maker<'m> {
    model: &'m Model,
    pub(crate) links: Links,
    entities: Vec<About>,
    /// Keys and unique values that are taken, as hashes.
    taken: HashSet<u64>,
    /// Those that are taken later.
    later: Option<&'m Later>,
    /// Some texts there are, by field name, to make neighbours of.
    known: BTreeMap<String, Vec<String>>,
    /// The names of fields that some key holds in lower case.
    folded: HashSet<String>,
    /// The pools of the first world, for fields of few values.
    pub(crate) few: BTreeMap<PoolName, Vec<Value>>,
}

impl<'m> Maker<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let links = Links::of(model);
        let entities = model
            .entity_ids()
            .map(|(id, _)| About::of(model, &links, id));
        Maker {
            model,
            entities: entities.collect(),
            links,
            taken: HashSet::new(),
            later: None,
            known: BTreeMap::new(),
            folded: folded(model),
            few: BTreeMap::new(),
        }
    }

    /// Of records that get nothing of what later ones have.
    pub(crate) fn before(model: &'m Model, later: &'m Later) -> Self {
        Maker {
            later: Some(later),
            ..Maker::new(model)
        }
    }

    pub(crate) fn model(&self) -> &'m Model {
        self.model
    }

    /// Remembers a record that is there, so that no other gets its key or its unique values.
    pub(crate) fn remember(&mut self, record: &Record) {
        let marks = marks(
            self.model.entity(record.entity()),
            record.entity(),
            record.slots(),
        );
        self.taken.extend(marks);
    }

    /// A new record with some fields given; none when those leave no key that is not taken.
    pub(crate) fn record(
        &mut self,
        id: EntityId,
        fixed: &Fixed,
        style: Style,
        chance: &mut Chance,
    ) -> Option<Record> {
        let entity = self.model.entity(id);
        let mut slots = self.slots(id, fixed, style, chance);
        let free = self.free(id, fixed);
        let may_be_any = free.iter().any(|field| self.has_more_values(id, *field));
        let attempts = if may_be_any { SIGNED.end } else { USUAL.end };
        for attempt in 0..attempts {
            let marks = marks(entity, id, &slots);
            if !marks.iter().any(|mark| self.is_taken(*mark)) {
                self.taken.extend(marks);
                self.note(entity, id, &slots);
                return Some(Record::from_slots(id, slots));
            }
            let style = match attempt {
                0..4 => style,
                attempt if USUAL.contains(&attempt) => Style::Plain,
                attempt if SIGNED.contains(&attempt) => Style::Signed,
                _ => Style::Lettered,
            };
            for field in &free {
                slots[field.0] = self.value(id, *field, style, chance);
            }
        }
        None
    }

    /// Whether there are more values of a field than the usual ones.
    fn has_more_values(&self, id: EntityId, field: FieldId) -> bool {
        matches!(
            self.model.entity(id).field(field).kind(),
            FieldType::String(_) | FieldType::Int { .. } | FieldType::Date
        )
    }

    /// Whether a key that is made with some fields given is one that nobody has.
    pub(crate) fn has_a_free_key(
        &mut self,
        id: EntityId,
        fixed: &Fixed,
        chance: &mut Chance,
    ) -> bool {
        let entity = self.model.entity(id);
        let mut slots = vec![Value::Null; self.entities[id.0].slots];
        for field in entity.identity() {
            slots[field.0] = match fixed.get(&field) {
                Some(value) => value.clone(),
                None => self.value(id, field, Style::Plain, chance),
            };
        }
        key_mark(entity, id, &slots).is_some_and(|mark| !self.is_taken(mark))
    }

    fn is_taken(&self, mark: u64) -> bool {
        self.taken.contains(&mark) || self.later.is_some_and(|later| later.has_mark(mark))
    }

    /// The fields that may be changed to make a record another.
    fn free(&self, id: EntityId, fixed: &Fixed) -> Vec<FieldId> {
        let entity = self.model.entity(id);
        let guards = entity
            .unique
            .iter()
            .filter_map(|unique| unique.guard.as_ref());
        let mut fields = self.entities[id.0].fresh.clone();
        fields.extend(guards.flat_map(Key::field_ids));
        fields.retain(|field| !fixed.contains_key(field));
        fields
    }

    fn slots(
        &mut self,
        id: EntityId,
        fixed: &Fixed,
        style: Style,
        chance: &mut Chance,
    ) -> Vec<Value> {
        let entity = self.model.entity(id);
        let mut slots = self.values(id, fixed, style, chance);
        if style != Style::Wild
            && let Some(limit) = self.entities[id.0].size
        {
            if size_of(self.model, entity, &slots) > limit {
                slots = self.values(id, fixed, Style::Plain, chance);
                self.shrink(id, &mut slots, limit);
            }
            self.fill(id, fixed, &mut slots, limit, chance);
        }
        slots
    }

    fn values(
        &mut self,
        id: EntityId,
        fixed: &Fixed,
        style: Style,
        chance: &mut Chance,
    ) -> Vec<Value> {
        let entity = self.model.entity(id);
        let mut slots = vec![Value::Null; self.entities[id.0].slots];
        for (position, field) in entity.fields.iter().enumerate() {
            let field_id = FieldId(position);
            slots[position] = match fixed.get(&field_id) {
                Some(value) => value.clone(),
                None if entity.ttl.as_ref().is_some_and(|(_, ttl)| *ttl == field_id) => {
                    end(field.is_optional(), style, chance)
                }
                None if field.is_optional() && chance.one_in(3) => Value::Null,
                None => self.value(id, field_id, style, chance),
            };
        }
        slots
    }

    /// A value of a field; of one that is fresh now and then a neighbour of another.
    pub(crate) fn value(
        &mut self,
        id: EntityId,
        field: FieldId,
        style: Style,
        chance: &mut Chance,
    ) -> Value {
        let about = &self.entities[id.0];
        let declared = self.model.entity(id).field(field);
        if style.is_of_all() {
            return self.any_value(id, field, style == Style::Signed, chance);
        }
        let often = match style {
            Style::Plain | Style::Lettered | Style::Signed => 0,
            Style::Typical => 25,
            Style::Wild => 3,
        };
        if often > 0
            && about.fresh.contains(&field)
            && chance.one_in(often)
            && let Some(known) = self.known.get(declared.name.as_str())
            && let Some(beside) = beside(declared.kind(), chance.pick::<String>(known), chance)
        {
            return Value::String(beside);
        }
        if !about.named[field.0].is_empty() && chance.one_in(10) {
            return chance.pick(&about.named[field.0]).clone();
        }
        let value = value_of(
            self.model,
            declared.kind(),
            about.places[field.0],
            style,
            chance,
        );
        canonical(self.model, declared.kind(), value)
    }

    /// A value from all that its type has, for where the usual ones have run out.
    pub(crate) fn any_value(
        &self,
        id: EntityId,
        field: FieldId,
        of_signs: bool,
        chance: &mut Chance,
    ) -> Value {
        let kind = self.model.entity(id).field(field).kind();
        let place = self.entities[id.0].places[field.0];
        let style = match of_signs {
            true => Style::Signed,
            false => Style::Lettered,
        };
        let value = value_of(self.model, kind, place, style, chance);
        canonical(self.model, kind, value)
    }

    /// The texts of an entity that can be made as long as its size asks for, the longest first.
    pub(crate) fn fillers(&self, id: EntityId) -> &[FieldId] {
        &self.entities[id.0].fillers
    }

    /// The numbers and texts that conditions name of a field.
    pub(crate) fn named(&self, id: EntityId, field: FieldId) -> &[Value] {
        &self.entities[id.0].named[field.0]
    }

    /// A value for a pool: of no key, and apart from all others of the pool.
    pub(crate) fn pool_value(
        &mut self,
        id: EntityId,
        field: FieldId,
        (number, before): (usize, Option<&Value>),
        chance: &mut Chance,
    ) -> Value {
        let declared = self.model.entity(id).field(field);
        // The one before with more behind it: `a` and `a#b` stand side by side.
        if number % 4 == 3
            && let Some(Value::String(before)) = before
            && let Some(longer) = longer(declared.kind(), before, chance)
        {
            return Value::String(longer);
        }
        if number % 16 == 14
            && let Some(known) = self.known.get(declared.name.as_str())
            && let Some(beside) = beside(declared.kind(), chance.pick::<String>(known), chance)
        {
            return Value::String(beside);
        }
        // Free text is where awkward values come from.
        let often = if declared.kind().is_text() { 3 } else { 8 };
        let style = if number % often == 2 {
            Style::Wild
        } else {
            Style::Plain
        };
        let value = value_of(
            self.model,
            declared.kind(),
            self.entities[id.0].places[field.0],
            style,
            chance,
        );
        if let Value::String(text) = &value {
            self.learn(declared.name.as_str(), text);
        }
        value
    }

    /// An end that is still to come.
    pub(crate) fn later(&self, chance: &mut Chance) -> Value {
        end(false, Style::Plain, chance)
    }

    /// Whether no world has this value in its pool yet; then one has it.
    pub(crate) fn is_new_in_pool(&mut self, pool: &PoolName, value: &Value) -> bool {
        let folds = self.folded.contains(&pool.0);
        let text = match value {
            Value::String(text) if folds => fold(text),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mark = format!("pool {} {}\u{1}{text}", pool.0, pool.1);
        self.taken.insert(hash(mark.as_bytes()))
    }

    fn note(&mut self, entity: &Entity, id: EntityId, slots: &[Value]) {
        for field in self.entities[id.0].fresh.clone() {
            if let Value::String(text) = &slots[field.0] {
                self.learn(entity.field(field).name.as_str(), text);
            }
        }
    }

    fn learn(&mut self, name: &str, text: &str) {
        match self.known.get_mut(name) {
            Some(known) if known.len() >= 64 => {}
            Some(known) => known.push(text.to_owned()),
            None => {
                self.known.insert(name.to_owned(), vec![text.to_owned()]);
            }
        }
    }
}

/// When an item is over: after now, at wild places also just before, now, and just after it.
fn end(optional: bool, style: Style, chance: &mut Chance) -> Value {
    let now = NOW / 1000;
    match style {
        Style::Wild => {
            let ends = [now - 1, now, now + 1, now - 30 * DAY, now - 3600, now + DAY];
            json!(chance.pick(&ends))
        }
        _ if optional && !chance.one_in(4) => Value::Null,
        _ => json!(now + 3600 + chance.between(0, 30 * DAY)),
    }
}
