//! The records of one entity, found by key and by the fields patterns know.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::Value;
use tablewright_model::model::{Entity, FieldId};

use super::compare::folded;
use crate::record::Record;

/// The records of one entity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf {
    records: Vec<Option<Record>>,
    identity: Vec<FieldId>,
    by_key: HashMap<u64, Vec<u32>>,
    by_field: Vec<(FieldId, bool, HashMap<u64, Vec<u32>>)>,
    /// The numbers each record keeps.
    counts: HashMap<u32, Vec<i64>>,
}

impl Shelf {
    /// For an entity that is asked for by these fields; those in lower case that say so.
    pub(crate) fn new(entity: &Entity, fields: &[(FieldId, bool)]) -> Self {
        Shelf {
            identity: entity.identity(),
            by_field: fields
                .iter()
                .map(|(field, folds)| (*field, *folds, HashMap::new()))
                .collect(),
            ..Shelf::default()
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Record)> {
        (0..)
            .zip(&self.records)
            .filter_map(|(place, record)| Some((place, record.as_ref()?)))
    }

    pub(crate) fn get(&self, place: u32) -> Option<&Record> {
        self.records.get(place as usize)?.as_ref()
    }

    /// Where the record with the key of this one is.
    pub(crate) fn place_of(&self, record: &Record) -> Option<u32> {
        let key: Vec<Option<&Value>> = self
            .identity
            .iter()
            .map(|field| record.value(*field))
            .collect();
        self.place(&key)
    }

    /// Where the record of a key is: its values in the order of the entity's identity.
    pub(crate) fn place(&self, key: &[Option<&Value>]) -> Option<u32> {
        let same = |place: &&u32| {
            let record = self.get(**place);
            record.is_some_and(|record| {
                let mut pairs = self.identity.iter().zip(key);
                pairs.all(|(field, value)| record.value(*field) == *value)
            })
        };
        self.by_key.get(&hash_of(key))?.iter().find(same).copied()
    }

    /// The records whose field has a value, if they are kept by that field. There may be some among them that have another.
    pub(crate) fn with(
        &self,
        field: FieldId,
        value: &Value,
    ) -> Option<impl Iterator<Item = (u32, &Record)>> {
        let (_, folds, places) = self.by_field.iter().find(|(known, _, _)| *known == field)?;
        let places = places.get(&hash_of(&[Some(&*folded(value, *folds))]));
        let places = places.map_or(&[][..], Vec::as_slice);
        Some(
            places
                .iter()
                .filter_map(|place| Some((*place, self.get(*place)?))),
        )
    }

    /// Puts a record in, in the place of the one with its key; gives that.
    pub(crate) fn put(&mut self, record: Record) -> (u32, Option<Record>) {
        if let Some(place) = self.place_of(&record) {
            let old = self.records[place as usize].take();
            if let Some(old) = &old {
                self.file(place, old, false);
            }
            self.file(place, &record, true);
            self.records[place as usize] = Some(record);
            return (place, old);
        }
        let place = self.records.len() as u32;
        let key: Vec<Option<&Value>> = self
            .identity
            .iter()
            .map(|field| record.value(*field))
            .collect();
        self.by_key.entry(hash_of(&key)).or_default().push(place);
        self.file(place, &record, true);
        self.records.push(Some(record));
        (place, None)
    }

    /// Takes out the record with the key of this one.
    pub(crate) fn take(&mut self, record: &Record) -> Option<Record> {
        let place = self.place_of(record)?;
        let old = self.records[place as usize].take()?;
        self.file(place, &old, false);
        let key: Vec<Option<&Value>> = self
            .identity
            .iter()
            .map(|field| old.value(*field))
            .collect();
        if let Some(places) = self.by_key.get_mut(&hash_of(&key)) {
            places.retain(|known| *known != place);
        }
        self.counts.remove(&place);
        Some(old)
    }

    fn file(&mut self, place: u32, record: &Record, add: bool) {
        for (field, folds, places) in &mut self.by_field {
            let Some(value) = record.value(*field) else {
                continue;
            };
            let group = places
                .entry(hash_of(&[Some(&*folded(value, *folds))]))
                .or_default();
            if add {
                group.push(place);
            } else {
                group.retain(|known| *known != place);
            }
        }
    }

    pub(crate) fn counts(&self, place: u32) -> &[i64] {
        self.counts.get(&place).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn count(&mut self, place: u32, number: usize, of: usize, by: i64) {
        let counts = self.counts.entry(place).or_insert_with(|| vec![0; of]);
        counts[number] += by;
    }
}

fn hash_of(values: &[Option<&Value>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        match value {
            Some(Value::String(text)) => text.hash(&mut hasher),
            Some(other) => other.to_string().hash(&mut hasher),
            None => 0_u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}
