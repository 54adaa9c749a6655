//! What is known of an entity before its first record is made.

use std::collections::HashSet;

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::condition::ValueKind;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, Key};

use super::chance::hash;
use super::links::Links;
use super::values::Place;
use crate::demand::edges::conditions;
use crate::fold::fold;
use crate::oracle::condition::literal;
use crate::record::numbers;
use crate::valid::is_of;

/// What must be thought of at every record of an entity.
#[derive(Debug)]
pub(super) struct About {
    pub(super) places: Vec<Place>,
    pub(super) fresh: Vec<FieldId>,
    /// The texts that are made as long as the item's size asks for, the longest first.
    pub(super) fillers: Vec<FieldId>,
    /// The numbers and texts conditions name, by field: otherwise hardly any record would have them.
    pub(super) named: Vec<Vec<Value>>,
    pub(super) slots: usize,
    pub(super) size: Option<usize>,
}

impl About {
    pub(super) fn of(model: &Model, links: &Links, id: EntityId) -> Self {
        let entity = model.entity(id);
        About {
            places: places(entity),
            fresh: links.fresh(entity, id),
            fillers: fillers(entity),
            named: named(model, id, entity),
            slots: entity.fields.len() + numbers(model, entity).len(),
            size: entity.facts.size.map(|size| size as usize),
        }
    }
}

/// The key and the unique values of a record, as hashes: what no two may have in common.
pub(super) fn marks(entity: &Entity, id: EntityId, slots: &[Value]) -> Vec<u64> {
    let key = key_mark(entity, id, slots).into_iter();
    key.chain(unique_marks(entity, id, slots)).collect()
}

/// That of its key.
pub(super) fn key_mark(entity: &Entity, id: EntityId, slots: &[Value]) -> Option<u64> {
    mark((id, 0), &entity.key, slots)
}

/// Those of its unique values.
pub(super) fn unique_marks<'e>(
    entity: &'e Entity,
    id: EntityId,
    slots: &'e [Value],
) -> impl Iterator<Item = u64> + 'e {
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    let guards = (1..).zip(guards);
    guards.filter_map(move |(number, guard)| mark((id, number), guard, slots))
}

/// That of one key, by its number among those of its entity; none where it is not complete.
fn mark((id, number): (EntityId, usize), key: &Key, slots: &[Value]) -> Option<u64> {
    let mut text = format!("{}.{number}", id.0);
    let parts = key.templates().flat_map(|template| template.field_parts());
    for (_, field, part) in parts.filter(|(_, _, part)| part.encodings.shard.is_none()) {
        text.push('\u{1}');
        match &slots[field.0] {
            Value::Null => return None,
            Value::String(value) if part.encodings.lower => text.push_str(&fold(value)),
            Value::String(value) => text.push_str(value),
            other => text.push_str(&other.to_string()),
        }
    }
    Some(hash(text.as_bytes()))
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
            if let Some(pad) = part.encodings.pad {
                place.digits = Some(place.digits.map_or(pad, |known| known.min(pad)));
            }
        }
    }
    places
}

/// The names of fields that some key holds in lower case.
pub(super) fn folded(model: &Model) -> HashSet<String> {
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
    for condition in conditions(model, id) {
        condition.visit(&mut |part| {
            let field = part.field();
            let Some(field) = field.and_then(|field| entity.field_named(&field.name)) else {
                return;
            };
            let kind = entity.field(field).kind();
            for value in part.values() {
                if let ValueKind::Number(_) | ValueKind::Quoted(_) = &value.kind {
                    let value = literal(model, kind, value);
                    named[field.0].extend(value.filter(|value| is_of(model, kind, value)));
                }
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
