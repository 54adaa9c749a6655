//! What every pattern must give: its intent, evaluated over records in memory.
//!
//! The oracle reads the model's words (fields, `by`, `range`, `where`, `order`, `refine`, `match`, `ttl`, counters) and nothing that says
//! how they are stored. It has no templates, no indexes of a table, no requests: what the planner and the library do, it cannot repeat.
//! It looks at a key where the language itself does: for `order = "asc"`, which is as the key gives it, and for a field that stands in every
//! key of its entity in lower case, which is compared so.

pub(crate) mod compare;
pub(crate) mod condition;
mod filter;
mod intent;
mod key_order;
mod shelf;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, FieldId, Key};

use crate::deed::Effect;
use crate::expected::Expected;
use crate::question::Question;
use crate::record::{Record, counted, numbers};
use filter::Filter;
use shelf::Shelf;

/// Knows what every pattern must give.
///
/// ```
/// use tablewright_prove::{Expected, Oracle, populate, questions};
///
/// # let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/todo.toml"));
/// let model = tablewright_model::parse(text).unwrap();
/// let population = populate(&model, 200, 1).unwrap();
/// let oracle = Oracle::new(&model, &population.small, population.now);
/// let access = model.access("tasks").unwrap();
/// for question in questions(&model, access, &population, 1) {
///     let Expected::Many { records, .. } = oracle.answer(access, &question) else { panic!("a list has many") };
///     assert!(records.iter().all(|record| oracle.is_alive(record)));
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Oracle<'m> {
    model: &'m Model,
    shelves: Vec<Shelf>,
    counts: Vec<Vec<Counting>>,
    now: i64,
}

/// A number another entity keeps of this one.
#[derive(Debug, Clone)]
struct Counting {
    keeper: EntityId,
    /// The fields of the counted entity that are the keeper's key.
    key: Vec<FieldId>,
    /// The keeper is nothing but counts: it begins with the first.
    begins: bool,
    /// Where the numbers begin among the keeper's, and by which field and words they are kept apart.
    first: usize,
    per: Option<(FieldId, Vec<String>)>,
    /// How many numbers the keeper has.
    of: usize,
}

impl<'m> Oracle<'m> {
    /// Of these records, at a moment in milliseconds since 1970.
    pub fn new<'r>(
        model: &'m Model,
        records: impl IntoIterator<Item = &'r Record>,
        now: i64,
    ) -> Self {
        let shelves = model
            .entity_ids()
            .map(|(id, entity)| Shelf::new(entity, &asked_by(model, id)));
        let mut oracle = Oracle {
            model,
            shelves: shelves.collect(),
            counts: model
                .entity_ids()
                .map(|(id, _)| countings(model, id))
                .collect(),
            now,
        };
        for record in records {
            oracle.insert(record.clone());
        }
        oracle
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The moment, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// A new record, or another state of one there is.
    pub fn insert(&mut self, record: Record) {
        let id = record.entity();
        let (_, old) = self.shelves[id.0].put(record.clone());
        if let Some(old) = old {
            self.tally(&old, -1);
        }
        self.tally(&record, 1);
    }

    /// The end of the record with the key of this one.
    pub fn remove(&mut self, record: &Record) {
        if let Some(old) = self.shelves[record.entity().0].take(record) {
            self.tally(&old, -1);
        }
    }

    /// What a deed does.
    pub fn apply(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Insert(record) | Effect::Replace(record) => self.insert(record.clone()),
                Effect::Remove(record) => self.remove(record),
            }
        }
    }

    /// What a pattern must give. Of a batch that changes what it finds: what it must find.
    pub fn answer(&self, access: &Access, question: &Question) -> Expected {
        intent::answer(self, access, question)
    }

    /// The same of all that is stored, also of what is over.
    pub(crate) fn answer_of_all_stored(&self, access: &Access, question: &Question) -> Expected {
        let all = Oracle {
            now: i64::MIN,
            ..self.clone()
        };
        all.answer(access, question)
    }

    /// Whether a record is among what a pattern must give, as far as its own values tell.
    pub(crate) fn is_asked_for(
        &self,
        access: &Access,
        question: &Question,
        record: &Record,
    ) -> bool {
        let filter = Filter::new(self, access, record.entity(), question);
        self.is_alive(record) && filter.keeps(record)
    }

    /// How many records a pattern asks for as far as their own values tell, also of those that are over.
    pub(crate) fn count_stored(&self, access: &Access, question: &Question) -> u64 {
        let entities: BTreeSet<EntityId> =
            access.verb.entities().iter().map(|one| one.id).collect();
        let stored = entities.into_iter().map(|id| {
            let filter = Filter::new(self, access, id, question);
            self.records(id).filter(|one| filter.keeps(one)).count() as u64
        });
        stored.sum()
    }

    /// All records, also those whose time has passed, and counts that began with what they count.
    pub fn everything(&self) -> impl Iterator<Item = Record> {
        let shelves = self.shelves.iter();
        shelves.flat_map(|shelf| shelf.all().map(|(_, record)| record.clone()))
    }

    /// All records of an entity, also those whose time has passed.
    pub fn records(&self, entity: EntityId) -> impl Iterator<Item = &Record> {
        self.shelves[entity.0].all().map(|(_, record)| record)
    }

    /// The record of a key, also if its time has passed.
    pub fn stored(&self, entity: EntityId, key: &Map<String, Value>) -> Option<&Record> {
        let described = self.model.entity(entity);
        let identity = described.identity().into_iter();
        let values: Vec<Option<&Value>> = identity
            .map(|field| key.get(described.field(field).name.as_str()))
            .collect();
        let shelf = &self.shelves[entity.0];
        shelf.get(shelf.place(&values)?)
    }

    /// Whether a record's time has not passed.
    pub fn is_alive(&self, record: &Record) -> bool {
        let Some((_, ttl)) = &self.model.entity(record.entity()).ttl else {
            return true;
        };
        let end = record.value(*ttl).and_then(Value::as_i64);
        end.is_none_or(|end| end > self.now.div_euclid(1000))
    }

    /// The record with its counts.
    fn with_counts(&self, place: u32, record: &Record) -> Record {
        let counts = self.shelves[record.entity().0].counts(place);
        let fields = self.model.entity(record.entity()).fields.len();
        if counts.is_empty() {
            return record.clone();
        }
        let counts = counts.iter().enumerate();
        record.with(counts.map(|(number, count)| (fields + number, counted(Value::from(*count)))))
    }

    /// The numbers a record keeps are all zero.
    pub(crate) fn counts_nothing(&self, record: &Record) -> bool {
        let shelf = &self.shelves[record.entity().0];
        let counts = shelf.place_of(record).map(|place| shelf.counts(place));
        counts.unwrap_or_default().iter().all(|count| *count == 0)
    }

    /// Whether whoever counts a record is stored.
    pub(crate) fn has_its_keepers(&self, record: &Record) -> bool {
        self.counts[record.entity().0].iter().all(|counting| {
            let key = counting.key.iter().map(|field| record.value(*field));
            let key: Vec<Option<&Value>> = key.collect();
            let is_counted = key.iter().all(Option::is_some);
            !is_counted || self.shelves[counting.keeper.0].place(&key).is_some()
        })
    }

    /// A record that is there, with its counts.
    pub(crate) fn counted(&self, record: &Record) -> Record {
        let place = self.shelves[record.entity().0].place_of(record);
        place.map_or_else(|| record.clone(), |place| self.with_counts(place, record))
    }

    /// Counts a record in, or out, wherever it is counted.
    fn tally(&mut self, record: &Record, by: i64) {
        for counting in self.counts[record.entity().0].clone() {
            let key: Vec<Option<&Value>> = counting
                .key
                .iter()
                .map(|field| record.value(*field))
                .collect();
            if key.iter().any(Option::is_none) {
                continue;
            }
            let number = match &counting.per {
                None => Some(0),
                Some((per, words)) => {
                    let word = record.value(*per).and_then(Value::as_str);
                    word.and_then(|word| words.iter().position(|known| known == word))
                }
            };
            // Without a word it is in none of the numbers, and nothing begins.
            let Some(number) = number else {
                continue;
            };
            let keeper = counting.keeper;
            let mut place = self.shelves[keeper.0].place(&key);
            if place.is_none() && counting.begins && by > 0 {
                let described = self.model.entity(keeper);
                let mut slots = vec![Value::Null; described.fields.len() + counting.of];
                for (field, value) in described.identity().into_iter().zip(&key) {
                    slots[field.0] = value.cloned().unwrap_or(Value::Null);
                }
                let (begun, _) = self.shelves[keeper.0].put(Record::from_slots(keeper, slots));
                place = Some(begun);
            }
            if let Some(place) = place {
                self.shelves[keeper.0].count(place, counting.first + number, counting.of, by);
            }
        }
    }
}

/// The fields records of an entity are looked for by: of each pattern the one that tells most apart.
fn asked_by(model: &Model, id: EntityId) -> Vec<(FieldId, bool)> {
    let entity = model.entity(id);
    let mut fields: Vec<(FieldId, bool)> = Vec::new();
    for access in &model.accesses {
        if !access.verb.entities().iter().any(|one| one.id == id) {
            continue;
        }
        if let Some(field) = telling_most(model, id, access)
            && !fields.iter().any(|(known, _)| *known == field)
        {
            fields.push((field, folds(entity, field)));
        }
    }
    fields
}

/// Of the fields a caller knows the first that is no word of an enum; else the first.
fn telling_most(model: &Model, id: EntityId, access: &Access) -> Option<FieldId> {
    let entity = model.entity(id);
    let known = access
        .by
        .iter()
        .filter_map(|by| entity.field_named(by.written.as_str()));
    let known: Vec<FieldId> = known.collect();
    let wide = known
        .iter()
        .find(|field| entity.field(**field).kind().words().is_none());
    wide.or(known.first()).copied()
}

/// Whether a field is compared in lower case: every key of the entity that has it has it so.
pub(crate) fn folds(entity: &tablewright_model::model::Entity, field: FieldId) -> bool {
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    let keys = std::iter::once(&entity.key).chain(indexes).chain(guards);
    let mut parts = keys
        .flat_map(Key::templates)
        .flat_map(|template| template.field_parts())
        .filter(|(_, part, written)| *part == field && written.encodings.shard.is_none())
        .peekable();
    parts.peek().is_some() && parts.all(|(_, _, written)| written.encodings.lower)
}

fn countings(model: &Model, counted: EntityId) -> Vec<Counting> {
    let entity = model.entity(counted);
    let mut countings = Vec::new();
    for (keeper, described) in model.entity_ids() {
        let identity = described.identity();
        let begins = (0..described.fields.len()).all(|field| identity.contains(&FieldId(field)));
        let of = numbers(model, described).len();
        let mut first = 0;
        for counter in described
            .counters
            .iter()
            .filter(|one| one.kept_by.is_none())
        {
            let words = counter.per.as_ref().map(|(_, per)| {
                let of = model.entity(counter.counts.1);
                of.field(*per).kind().words().unwrap_or_default().to_vec()
            });
            let width = words.as_ref().map_or(1, Vec::len);
            let key = identity
                .iter()
                .map(|field| entity.field_named(described.field(*field).name.as_str()));
            if counter.counts.1 == counted
                && let Some(key) = key.collect::<Option<Vec<FieldId>>>()
            {
                let per = counter.per.as_ref().map(|(_, per)| *per).zip(words);
                countings.push(Counting {
                    keeper,
                    key,
                    begins,
                    first,
                    per,
                    of,
                });
            }
            first += width;
        }
    }
    countings
}
