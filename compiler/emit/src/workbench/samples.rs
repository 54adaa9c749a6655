//! A few items of every entity: valid, the same every time, and of one world. What has the same name has the same values everywhere, so a
//! task belongs to a user that is there, and what is counted is what is shown.

pub(super) mod holds;
mod moments;
mod values;
mod words;

use std::collections::BTreeSet;

use tablewright_descriptor::condition::{Condition, Operator, ValueKind};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId};

use super::attribute::Attribute;
use super::items::{self, Item, Values};
use values::Place;

/// Items by entity, and those of its guards by unique value.
pub(super) struct Samples {
    pub(super) entities: Vec<Vec<Item>>,
    pub(super) guards: Vec<Vec<Vec<Item>>>,
}

/// How many there are of what stands alone; of what belongs to something else there is one more.
const ALONE: usize = 3;

/// The samples of a model.
pub(super) fn samples(model: &Model) -> Samples {
    let world = World::of(model);
    let values: Vec<Vec<Values>> = model
        .entities
        .iter()
        .map(|entity| world.entity(entity))
        .collect();
    let mut samples = Samples {
        entities: Vec::new(),
        guards: Vec::new(),
    };
    for (entity, own) in model.entities.iter().zip(&values) {
        let stored = own.iter().enumerate().filter_map(|(at, own)| {
            let numbers = numbers(model, entity, own, &values);
            items::entity(model, entity, own, &numbers, moments::last_write(at))
        });
        samples.entities.push(stored.collect());
        let guards = entity.unique.iter().map(|unique| {
            let guards = own.iter();
            guards
                .filter_map(|own| items::guard(model, entity, unique, own))
                .collect()
        });
        samples.guards.push(guards.collect());
    }
    samples
}

/// Every field of one sample, as JSON. Where a condition holds of none, the first is changed to what the condition says of one word.
pub(super) fn sample(
    model: &Model,
    id: EntityId,
    condition: Option<&Condition>,
) -> serde_json::Map<String, serde_json::Value> {
    let entity = model.entity(id);
    let (world, identity) = (World::of(model), entity.identity());
    let all: Vec<Values> = (0..ALONE)
        .map(|at| world.whole(entity, &identity, at))
        .collect();
    let holds = |values: &&Values| condition.is_none_or(|one| holds::holds(one, values));
    let found = all.iter().find(holds).or(all.first());
    let mut values = found.cloned().unwrap_or_default();
    if let Some(Condition::Compare {
        field,
        operator: Operator::Equal,
        value,
    }) = condition
        && let ValueKind::Word(word) = &value.kind
    {
        values.insert(field.name.clone(), Attribute::Text(word.clone()));
    }
    let plain = values.into_iter();
    plain
        .map(|(name, value)| (name, value.to_plain_json()))
        .collect()
}

/// What names refer to.
struct World<'m> {
    model: &'m Model,
    /// The fields that are in the key of some entity.
    keys: BTreeSet<&'m str>,
    /// Those that are the whole key of one: there are only so many of it.
    whole: BTreeSet<&'m str>,
    /// The field of the one thing that an identifier without a name of its own must mean.
    meant: Option<&'m str>,
}

impl<'m> World<'m> {
    fn of(model: &'m Model) -> Self {
        let mut keys = BTreeSet::new();
        let mut whole = BTreeSet::new();
        let mut alone = BTreeSet::new();
        for entity in &model.entities {
            let identity = entity.identity();
            keys.extend(identity.iter().map(|id| entity.field(*id).name.as_str()));
            if let [id] = identity.as_slice() {
                let field = entity.field(*id);
                whole.insert(field.name.as_str());
                if *field.kind() == FieldType::Id {
                    alone.insert(field.name.as_str());
                }
            }
        }
        let one = alone.len() == 1;
        World {
            model,
            keys,
            whole,
            meant: alone.into_iter().next().filter(|_| one),
        }
    }

    fn entity(&self, entity: &Entity) -> Vec<Values> {
        let identity = entity.identity();
        let many = match identity.len() {
            0 => 1,
            1 => ALONE,
            _ => ALONE + 1,
        };
        (0..many)
            .map(|at| self.one(entity, &identity, at))
            .collect()
    }

    /// With every field that is said in this turn.
    fn one(&self, entity: &Entity, identity: &[FieldId], at: usize) -> Values {
        let mut values = self.whole(entity, identity, at);
        // Whether something is said may depend on what else is.
        let said = values.clone();
        let is_absent = |name: &String| {
            let id = entity.field_named(name);
            id.is_some_and(|id| {
                entity.field(id).is_optional()
                    && !identity.contains(&id)
                    && !words::is_said(entity, id, &said, at)
            })
        };
        values.retain(|name, _| !is_absent(name));
        values
    }

    /// With every field there is.
    fn whole(&self, entity: &Entity, identity: &[FieldId], at: usize) -> Values {
        let mut values = Values::new();
        let mut references = 0;
        for (position, field) in entity.fields.iter().enumerate() {
            let name = field.name.as_str();
            let in_key = identity.iter().position(|id| id.0 == position);
            let (name, turn) = match in_key {
                // Several under one, each with a name of its own.
                Some(place) if place + 1 < identity.len() => (name, at / 2),
                Some(_) => (name, at),
                None if self.keys.contains(name) => (name, at),
                None if *field.kind() == FieldType::Id && self.meant.is_some() => {
                    references += 1;
                    (self.meant.unwrap_or(name), at + references - 1)
                }
                None => (name, at),
            };
            let place = Place {
                model: self.model,
                name,
                turn: match self.whole.contains(name) {
                    true => turn % ALONE,
                    false => turn,
                },
            };
            let default = field.declared.default.as_deref();
            values.insert(
                field.name.value.clone(),
                values::value(&place, field.kind(), default),
            );
        }
        values
    }
}

/// What an entity has counted among the samples. A number is not there before something was counted.
fn numbers(model: &Model, entity: &Entity, own: &Values, all: &[Vec<Values>]) -> Values {
    let mut numbers = Values::new();
    for counter in &entity.counters {
        let counted = model.entity(counter.counts.1);
        let keys: Vec<&str> = entity
            .identity()
            .into_iter()
            .map(|id| entity.field(id).name.as_str())
            .collect();
        for values in &all[counter.counts.1.0] {
            if !keys.iter().all(|key| values.get(*key) == own.get(*key)) {
                continue;
            }
            let name = match &counter.per {
                None => Some(counter.name.value.clone()),
                Some((_, per)) => match values.get(&counted.field(*per).name.value) {
                    Some(Attribute::Text(word)) => Some(tablewright_descriptor::number_of(
                        counter.name.as_str(),
                        word,
                    )),
                    _ => None,
                },
            };
            if let Some(name) = name {
                let before = match numbers.get(&name) {
                    Some(Attribute::Number(number)) => number.parse::<u64>().unwrap_or(0),
                    _ => 0,
                };
                numbers.insert(name, Attribute::Number((before + 1).to_string()));
            }
        }
    }
    numbers
}
