//! Records, one by one: every value of its type, keys and unique values new, sizes near what is declared.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::condition::{Condition, ValueKind};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, Key, Verb};

use super::chance::{Chance, hash};
use super::links::{Links, PoolName};
use super::sizes::size_of;
use super::text;
use super::times::{DAY, NOW};
use super::values::{Place, Style, value_of};
use crate::fold::fold;
use crate::record::{Record, canonical, numbers};

/// What some fields must be.
pub(crate) type Fixed = BTreeMap<FieldId, Value>;

/// Makes records of a model.
#[derive(Debug)]
pub(crate) struct Maker<'m> {
    model: &'m Model,
    pub(crate) links: Links,
    entities: Vec<About>,
    /// Keys and unique values that are taken, as hashes.
    taken: HashSet<u64>,
    /// Some texts there are, by field name, to make neighbours of.
    known: BTreeMap<String, Vec<String>>,
    /// The names of fields that some key holds in lower case.
    folded: HashSet<String>,
}

/// What must be thought of at every record of an entity.
#[derive(Debug)]
struct About {
    places: Vec<Place>,
    fresh: Vec<FieldId>,
    /// The texts that are made as long as the item's size asks for, the longest first.
    fillers: Vec<FieldId>,
    /// The numbers and texts conditions name, by field: otherwise hardly any record would have them.
    named: Vec<Vec<Value>>,
    slots: usize,
    size: Option<usize>,
}

impl<'m> Maker<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let links = Links::of(model);
        let entities = model.entity_ids().map(|(id, entity)| About {
            places: places(entity),
            fresh: links.fresh(entity, id),
            fillers: fillers(entity),
            named: named(model, id, entity),
            slots: entity.fields.len() + numbers(model, entity).len(),
            size: entity.facts.size.map(|size| size as usize),
        });
        Maker {
            model,
            entities: entities.collect(),
            links,
            taken: HashSet::new(),
            known: BTreeMap::new(),
            folded: folded(model),
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
        for attempt in 0..24 {
            let marks = marks(entity, id, &slots);
            if !marks.iter().any(|mark| self.taken.contains(mark)) {
                self.taken.extend(marks);
                self.note(entity, id, &slots);
                return Some(Record::from_slots(id, slots));
            }
            let style = if attempt < 4 { style } else { Style::Plain };
            for field in self.free(id, fixed) {
                slots[field.0] = self.value(id, field, style, chance);
            }
        }
        None
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
        let often = match style {
            Style::Plain => 0,
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

    /// A value for a pool: of no key, and apart from all others of the pool.
    pub(crate) fn pool_value(
        &mut self,
        id: EntityId,
        field: FieldId,
        number: usize,
        chance: &mut Chance,
    ) -> Value {
        let declared = self.model.entity(id).field(field);
        if number % 16 == 15
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

    /// Leaves out what may be left out until an item is no larger than it is said to be: what is in no key first.
    fn shrink(&self, id: EntityId, slots: &mut [Value], limit: usize) {
        let entity = self.model.entity(id);
        let places = &self.entities[id.0].places;
        let optional = |field: &FieldId| {
            entity.field(*field).is_optional() && !self.links.is_reference(id, *field)
        };
        let mut fields: Vec<FieldId> = (0..entity.fields.len())
            .map(FieldId)
            .filter(optional)
            .collect();
        fields.sort_by_key(|field| places[field.0].in_key);
        for field in fields {
            if size_of(self.model, entity, slots) <= limit {
                return;
            }
            slots[field.0] = Value::Null;
        }
    }

    /// Makes an item about as large as it is said to be.
    fn fill(
        &self,
        id: EntityId,
        fixed: &Fixed,
        slots: &mut [Value],
        limit: usize,
        chance: &mut Chance,
    ) {
        let entity = self.model.entity(id);
        let share = 86 + chance.below(13);
        for field in &self.entities[id.0].fillers {
            let has = size_of(self.model, entity, slots);
            let room = (limit * share / 100).saturating_sub(has);
            let Value::String(old) = &slots[field.0] else {
                continue;
            };
            let FieldType::String(length) = entity.field(*field).kind() else {
                continue;
            };
            let most = length.max.map_or(usize::MAX, |max| max as usize);
            let chars = old.chars().count();
            let wanted = (chars + room).min(most);
            if wanted <= chars || fixed.contains_key(field) {
                continue;
            }
            let more = text::ordinary(wanted - chars, chance);
            slots[field.0] = Value::String(format!("{old}{more}"));
        }
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

/// A value beside another of its type, where the type has room for one.
fn beside(kind: &FieldType, known: &str, chance: &mut Chance) -> Option<String> {
    match kind {
        FieldType::Id => {
            let text = text::neighbour(known, &[":", "-", "~", "|"], chance);
            Some(text::fitted(&text, 1, 128))
        }
        FieldType::String(length) => {
            let text = text::neighbour(known, &["#", "$", " ", ":"], chance);
            let max = length.max.map_or(200, |max| max.min(200)) as usize;
            Some(text::fitted(&text, length.min.max(1) as usize, max))
        }
        _ => None,
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

/// The key and the unique values of a record, as hashes: what no two may have in common.
fn marks(entity: &Entity, id: EntityId, slots: &[Value]) -> Vec<u64> {
    let mut marks = Vec::new();
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    for (number, key) in std::iter::once(&entity.key).chain(guards).enumerate() {
        let mut text = format!("{}.{number}", id.0);
        let mut complete = true;
        let parts = key.templates().flat_map(|template| template.field_parts());
        for (_, field, part) in parts.filter(|(_, _, part)| part.encodings.shard.is_none()) {
            text.push('\u{1}');
            match &slots[field.0] {
                Value::Null => complete = false,
                Value::String(value) if part.encodings.lower => text.push_str(&fold(value)),
                Value::String(value) => text.push_str(value),
                other => text.push_str(&other.to_string()),
            }
        }
        if complete {
            marks.push(hash(text.as_bytes()));
        }
    }
    marks
}

fn places(entity: &Entity) -> Vec<Place> {
    let mut places = vec![Place::default(); entity.fields.len()];
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    for template in std::iter::once(&entity.key)
        .chain(indexes)
        .chain(guards)
        .flat_map(Key::templates)
    {
        let alone = template.parts.len() == 1;
        for (_, field, part) in template.field_parts() {
            let place = &mut places[field.0];
            place.in_key = true;
            place.whole_key |= alone;
            let pad = part.encodings.pad;
            place.digits = match (place.digits, pad) {
                (Some(digits), Some(pad)) => Some(digits.min(pad)),
                (digits, pad) => digits.or(pad),
            };
        }
    }
    places
}

fn folded(model: &Model) -> HashSet<String> {
    let mut names = HashSet::new();
    for entity in &model.entities {
        let indexes = entity.index_keys.iter().map(|key| &key.key);
        for template in std::iter::once(&entity.key)
            .chain(indexes)
            .flat_map(Key::templates)
        {
            let parts = template
                .field_parts()
                .filter(|(_, _, part)| part.encodings.lower);
            names.extend(parts.map(|(_, field, _)| entity.field(field).name.value.clone()));
        }
    }
    names
}

fn named(model: &Model, id: EntityId, entity: &Entity) -> Vec<Vec<Value>> {
    let mut named = vec![Vec::new(); entity.fields.len()];
    let whens = entity.index_keys.iter().filter_map(|key| key.when.as_ref());
    let mut conditions: Vec<&Condition> = whens.map(|when| &when.condition).collect();
    for access in &model.accesses {
        if access.verb.entity().id == id {
            conditions.extend(access.condition.iter().map(|written| &written.condition));
        }
        if let Verb::Transact(actions) = &access.verb {
            let actions = actions.iter().filter(|action| action.entity.id == id);
            conditions.extend(
                actions
                    .flat_map(|action| &action.condition)
                    .map(|written| &written.condition),
            );
        }
    }
    for condition in conditions {
        condition.visit(&mut |part| {
            let Some(field) = part
                .field()
                .and_then(|field| entity.field_named(&field.name))
            else {
                return;
            };
            for value in part.values() {
                let value = match &value.kind {
                    ValueKind::Number(number) => number.parse::<i64>().map(Value::from).ok(),
                    ValueKind::Quoted(text) => Some(Value::String(text.clone())),
                    _ => None,
                };
                let fits =
                    |value: &Value| crate::valid::is_of(model, entity.field(field).kind(), value);
                named[field.0].extend(value.filter(fits));
            }
        });
    }
    named
}

fn fillers(entity: &Entity) -> Vec<FieldId> {
    let places = places(entity);
    let mut fillers: Vec<(u32, FieldId)> = Vec::new();
    for (position, field) in entity.fields.iter().enumerate() {
        if let FieldType::String(length) = field.kind()
            && !places[position].in_key
        {
            fillers.push((length.max.unwrap_or(u32::MAX), FieldId(position)));
        }
    }
    fillers.sort_by_key(|(max, _)| std::cmp::Reverse(*max));
    fillers.into_iter().map(|(_, field)| field).collect()
}
