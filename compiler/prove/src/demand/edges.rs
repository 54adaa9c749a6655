//! Where a condition turns: the values it names, and those just beside them.

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::condition::Condition;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, EntityId, FieldId, Verb};

use super::near::{beside, holding};
use super::{Demand, ways};
use crate::data::Chance;
use crate::of_all::has_words;
use crate::oracle::condition::{literal, member};
use crate::parameters;
use crate::record::{Record, canonical, numbers};
use crate::valid::is_of;

/// A value of a field at which a condition turns, or stands beside the turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    pub(crate) field: FieldId,
    pub(crate) value: Value,
}

/// The conditions that reads, writes and indexes put to items of an entity.
pub(crate) fn conditions(model: &Model, id: EntityId) -> Vec<&Condition> {
    let indexes = model.entity(id).index_keys.iter();
    let whens = indexes.filter_map(|key| key.when.as_ref());
    let mut found: Vec<&Condition> = whens.map(|when| &when.condition).collect();
    for access in &model.accesses {
        found.extend(conditions_of(access, id));
    }
    found
}

/// The conditions that a pattern puts to items of an entity.
fn conditions_of(access: &Access, id: EntityId) -> Vec<&Condition> {
    let mut written = Vec::new();
    if access.verb.entities().iter().any(|one| one.id == id) {
        written.extend(&access.condition);
    }
    let actions = match &access.verb {
        Verb::Transact(actions) => actions.as_slice(),
        Verb::Batch(action) => std::slice::from_ref(action),
        _ => &[],
    };
    let actions = actions.iter().filter(|action| action.entity.id == id);
    written.extend(actions.filter_map(|action| action.condition.as_ref()));
    written.into_iter().map(|one| &one.condition).collect()
}

/// The edges of a condition, each once. Of words there are few, and all of them are there anyway.
pub(crate) fn edges(model: &Model, id: EntityId, condition: &Condition) -> Vec<Edge> {
    let entity = model.entity(id);
    let counts = numbers(model, entity);
    let mut edges: Vec<Edge> = Vec::new();
    condition.visit(&mut |part| {
        let named = part.field().filter(|named| !counts.contains(&named.name));
        let Some(field) = named.and_then(|named| entity.field_named(&named.name)) else {
            return;
        };
        if has_words(model, id, field) {
            return;
        }
        let kind = entity.field(field).kind();
        let named = part.values().iter();
        let named = named.filter_map(|value| literal(model, member(kind), value));
        let values: Vec<Value> = match part {
            Condition::Contains { .. } => named
                .flat_map(|named| holding(kind, &Value::Null, vec![named]))
                .collect(),
            // What is there and empty is there.
            Condition::Exists { .. } => vec![json!(""), json!([]), json!(0)],
            _ => named.flat_map(|named| beside(kind, named)).collect(),
        };
        for value in values {
            let value = canonical(model, kind, value);
            let edge = Edge { field, value };
            if is_of(model, kind, &edge.value) && !edges.contains(&edge) {
                edges.push(edge);
            }
        }
    });
    edges
}

impl Edge {
    /// Whether a record has the value.
    pub(crate) fn is_of(&self, record: &Record) -> bool {
        record.value(self.field) == Some(&self.value)
    }

    /// Of a record that has the value and with another of these would be on the other side of the turn: the one of the two that meets the
    /// condition, with what a caller gives. None of a record with which the value makes no difference.
    pub(crate) fn decides(
        &self,
        model: &Model,
        condition: &Condition,
        record: &Record,
        all: &[Edge],
        chance: &mut Chance,
    ) -> Option<(Record, Map<String, Value>)> {
        let mut meets = |record: &Record| {
            parameters::found(model, condition, record, &Map::new(), true, chance)
        };
        let mine = meets(record);
        let others = all.iter().filter(|other| other.field == self.field);
        let others = others.map(|other| other.value.clone());
        // What contains nothing, or is not there, may be on the other side of what contains something.
        let empty = match model.entity(record.entity()).field(self.field).kind() {
            FieldType::List(..) | FieldType::Set(..) => json!([]),
            FieldType::String(_) => json!(""),
            _ => Value::Null,
        };
        others.chain([empty, Value::Null]).find_map(|value| {
            let other = record.with([(self.field.0, value)]);
            match (&mine, meets(&other)) {
                (Some(given), None) => Some((record.clone(), given.clone())),
                (None, Some(given)) => Some((other, given)),
                _ => None,
            }
        })
    }
}

impl<'d> Demand<'d> {
    /// What a condition demands of an item.
    pub(crate) fn of_condition(model: &'d Model, id: EntityId, condition: &'d Condition) -> Self {
        Demand::new(model, id, Vec::new(), Some(ways(condition, true)))
    }
}
