//! What a pattern, or an index, demands of an item, and values that meet it.

pub(crate) mod edges;
mod near;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::condition::{Condition, ValueKind};
use tablewright_model::model::{Access, Entity, EntityId, FieldId, IndexKey};

use crate::data::times::NOW;
use crate::oracle::condition::holds;
use crate::record::{Record, numbers};

pub(crate) use self::near::beside;

/// Of so many ways to meet a condition: one of dozens of alternatives is as good as any.
const WAYS: usize = 64;

/// So many values are tried for one way, of all its fields together.
const STEPS: usize = 20_000;

/// What an item must be: fields that have a value, and a condition. What is over is nothing.
#[derive(Debug)]
pub(crate) struct Demand<'d> {
    model: &'d Model,
    id: EntityId,
    /// The fields that must have a value.
    present: Vec<FieldId>,
    /// The ways to meet the condition: of one of them all parts.
    ways: Vec<Vec<Part<'d>>>,
}

/// A comparison that must hold, or must not.
#[derive(Debug, Clone, Copy)]
struct Part<'d> {
    said: &'d Condition,
    holds: bool,
}

impl<'d> Demand<'d> {
    /// What a read demands of an item of an entity; none where items of that entity lack what the caller knows.
    pub(crate) fn of_read(model: &'d Model, access: &'d Access, id: EntityId) -> Option<Self> {
        let entity = model.entity(id);
        let first = model.entity(access.verb.entity().id);
        let range = access.range.as_ref().map(|range| first.field(range.id));
        let known = access.by.iter().map(|by| by.written.as_str());
        let known = known.chain(range.map(|field| field.name.as_str()));
        let present: Option<Vec<FieldId>> = known.map(|name| entity.field_named(name)).collect();
        let condition = access.condition.as_ref().map(|written| &written.condition);
        let ways = condition.map(|said| ways(said, true));
        Some(Demand::new(model, id, present?, ways))
    }

    /// What an index demands of an item that is in it.
    pub(crate) fn of_index(model: &'d Model, id: EntityId, key: &'d IndexKey) -> Self {
        let when = key.when.as_ref().map(|written| &written.condition);
        let ways = when.map(|said| ways(said, true));
        Demand::new(model, id, key.key.field_ids(), ways)
    }

    /// What a write demands of an item by its condition; or what an item is that it refuses.
    pub(crate) fn of_write(
        model: &'d Model,
        access: &Access,
        id: EntityId,
        condition: &'d Condition,
        wanted: bool,
    ) -> Self {
        let known = access.by.iter().map(|by| by.written.as_str());
        let present = known.filter_map(|name| model.entity(id).field_named(name));
        Demand::new(model, id, present.collect(), Some(ways(condition, wanted)))
    }

    fn new(
        model: &'d Model,
        id: EntityId,
        mut present: Vec<FieldId>,
        ways: Option<Vec<Vec<Part<'d>>>>,
    ) -> Self {
        present.sort();
        present.dedup();
        let mut ways = ways.unwrap_or_else(|| vec![Vec::new()]);
        // What an item counts follows from others, and not from its own values.
        let counts = numbers(model, model.entity(id));
        let is_of_counts = |part: &Part<'_>| {
            let mut names = part.said.depends_on().into_iter();
            names.any(|name| counts.iter().any(|count| count == name))
        };
        for way in &mut ways {
            way.retain(|part| !is_of_counts(part));
        }
        Demand {
            model,
            id,
            present,
            ways,
        }
    }

    /// Whether an item meets it with some values of the caller's, as far as its own fields tell.
    pub(crate) fn meets(&self, record: &Record) -> bool {
        let is_way = |way: &Vec<Part<'_>>| way.iter().all(|part| part.is_met(self.model, record));
        record.entity() == self.id
            && is_alive(self.model, record)
            && self.has_all(record)
            && self.ways.iter().any(is_way)
    }

    /// Whether an item has a value wherever it must.
    pub(crate) fn has_all(&self, record: &Record) -> bool {
        let mut present = self.present.iter();
        present.all(|field| record.value(*field).is_some())
    }

    /// Values that meet it in the place of those of a record, for all fields the condition is about and for those the record lacks; none where
    /// none were found. `own` are the fields of which no two items have the same, and `invent` makes a value of a field.
    pub(crate) fn met_like(
        &self,
        like: &Record,
        own: &[FieldId],
        invent: &mut dyn FnMut(FieldId) -> Value,
    ) -> Option<Vec<(FieldId, Value)>> {
        self.ways.iter().find_map(|way| {
            let mut fields: Vec<FieldId> = Vec::new();
            for part in way {
                fields.extend(part.fields(self.model, self.id));
            }
            let lacks = |field: &&FieldId| like.value(**field).is_none() || own.contains(field);
            let optional = |field: &&FieldId| {
                let entity = self.model.entity(self.id);
                entity.field(**field).is_optional()
            };
            fields.extend(self.present.iter().filter(lacks).filter(optional));
            fields.sort();
            fields.dedup();
            let choices = fields.iter().map(|field| {
                let own_value = like.value(*field).filter(|_| !own.contains(field));
                let mut values: Vec<Value> = own_value.cloned().into_iter().collect();
                values.extend(self.near(way, *field, invent));
                (*field, values)
            });
            let search = Search {
                demand: self,
                way,
                choices: choices.collect(),
            };
            let found = search.found(like.clone(), 0, &mut STEPS.clone())?;
            let values = fields.into_iter();
            Some(
                values
                    .map(|field| (field, found.slots()[field.0].clone()))
                    .collect(),
            )
        })
    }
}

impl Part<'_> {
    /// Whether it is so of a record. What the caller gives can be whatever is needed beside a value that is there.
    fn is_met(&self, model: &Model, record: &Record) -> bool {
        if self.is_open() {
            let field = self.said.field();
            let value = field.and_then(|field| record.named(model, &field.name)?.0);
            return value.is_some();
        }
        holds(model, self.said, record, &Map::new()) == self.holds
    }

    /// Whether the caller has a say in it.
    fn is_open(&self) -> bool {
        let mut values = self.said.values().iter();
        values.any(|value| matches!(value.kind, ValueKind::Parameter(_)))
    }

    /// The fields it is about.
    fn fields(&self, model: &Model, id: EntityId) -> Vec<FieldId> {
        let compared = self.said.values().iter().filter_map(|value| {
            let ValueKind::Field(name) = &value.kind else {
                return None;
            };
            Some(name)
        });
        let names = self.said.field().map(|field| &field.name).into_iter();
        let names = names.chain(compared);
        names
            .filter_map(|name| model.entity(id).field_named(name))
            .collect()
    }
}

/// Values looked for, field by field.
struct Search<'s> {
    demand: &'s Demand<'s>,
    way: &'s [Part<'s>],
    choices: Vec<(FieldId, Vec<Value>)>,
}

impl Search<'_> {
    /// The record with values for all fields from one on; none where nothing meets what is decided by then.
    fn found(&self, record: Record, from: usize, steps: &mut usize) -> Option<Record> {
        let Some((field, values)) = self.choices.get(from) else {
            return self.demand.meets(&record).then_some(record);
        };
        let (model, id) = (self.demand.model, self.demand.id);
        let decided = &self.choices[..=from];
        let is_decided = |field: &FieldId| decided.iter().any(|(known, _)| known == field);
        values.iter().find_map(|value| {
            *steps = steps.checked_sub(1)?;
            let record = record.with([(field.0, value.clone())]);
            let mut told = self.way.iter().filter(|part| {
                let fields = part.fields(model, id);
                fields.contains(field) && fields.iter().all(is_decided)
            });
            told.all(|part| part.is_met(model, &record))
                .then(|| self.found(record, from + 1, steps))?
        })
    }
}

/// The fields of an entity that decide whether a condition holds, whichever side of a comparison they stand on.
pub(crate) fn decide<'e>(
    entity: &'e Entity,
    condition: &'e Condition,
) -> impl Iterator<Item = FieldId> + 'e {
    let names = condition.depends_on().into_iter();
    names.filter_map(|name| entity.field_named(name))
}

/// Whether the condition of a pattern is about what an item counts: that follows from others, and not from its own values.
pub(crate) fn is_about_counts(model: &Model, access: &Access) -> bool {
    let counts = numbers(model, model.entity(access.verb.entity().id));
    let condition = access.condition.iter();
    let mut names = condition.flat_map(|written| written.condition.depends_on());
    names.any(|name| counts.iter().any(|count| count == name))
}

/// Whether a record is not over at the moment of a proof.
pub(crate) fn is_alive(model: &Model, record: &Record) -> bool {
    let ttl = model.entity(record.entity()).ttl.as_ref();
    let end = ttl.and_then(|(_, ttl)| record.value(*ttl)?.as_i64());
    end.is_none_or(|end| end > NOW / 1000)
}

/// The ways in which a condition holds, or does not.
fn ways(condition: &Condition, wanted: bool) -> Vec<Vec<Part<'_>>> {
    let mut found = match (condition, wanted) {
        (Condition::Not(one), _) => ways(one, !wanted),
        (Condition::And(all), true) | (Condition::Or(all), false) => {
            all.iter().fold(vec![Vec::new()], |known, one| {
                let more = ways(one, wanted);
                let each = known.iter().flat_map(|way| {
                    let both = more.iter().map(|more| [way.as_slice(), more].concat());
                    both.collect::<Vec<_>>()
                });
                each.take(WAYS).collect()
            })
        }
        (Condition::Or(all), true) | (Condition::And(all), false) => {
            all.iter().flat_map(|one| ways(one, wanted)).collect()
        }
        (said, holds) => vec![vec![Part { said, holds }]],
    };
    found.truncate(WAYS);
    found
}
