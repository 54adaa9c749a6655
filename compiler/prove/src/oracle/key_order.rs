//! The order `asc` and `desc` alone ask for: as the key gives it.
//!
//! This is the one place where the language itself speaks of a key. The order is read from the sort template of the model, value by value,
//! and only where no more than one key can be meant; otherwise nothing is demanded.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;
use tablewright_keys::{Encodings, Piece};
use tablewright_model::Model;
use tablewright_model::condition::{Condition, Operator};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{
    Access, Entity, EntityId, FieldId, IndexId, Key, KeyKind, KeyTemplate,
};

use crate::fold::fold;
use crate::record::Record;

/// The sort templates, by entity, that give a pattern its order.
pub(super) struct KeyOrder<'m> {
    model: &'m Model,
    templates: Vec<(EntityId, &'m KeyTemplate)>,
    number: bool,
}

impl<'m> KeyOrder<'m> {
    /// The order of the only key that can be meant; none where there are several, or where its texts do not sort as its values do.
    pub(super) fn of(model: &'m Model, access: &Access) -> Option<Self> {
        let mut entities: Vec<EntityId> = access.verb.entities().iter().map(|one| one.id).collect();
        entities.dedup();
        let first = entities.first()?;
        let table = model.table_of(*first);
        let places =
            std::iter::once(None).chain((0..table.indexes.len()).map(|index| Some(IndexId(index))));
        let mut meant = places.filter_map(|place| {
            let keys = entities.iter().map(|id| key_in(model, access, *id, place));
            let keys: Option<Vec<&Key>> = keys.collect();
            keys.map(|keys| (place, keys))
        });
        let (place, keys) = meant.next()?;
        if meant.next().is_some() {
            return None;
        }
        let templates: Option<Vec<&KeyTemplate>> =
            keys.into_iter().map(|key| key.sort.as_ref()).collect();
        let attribute = match place {
            None => table.sort_key.as_ref(),
            Some(index) => table.index(index).sort_key.as_ref(),
        };
        let templates: Vec<(EntityId, &KeyTemplate)> =
            entities.into_iter().zip(templates?).collect();
        let sorts = templates
            .iter()
            .all(|(_, template)| sorts_as_its_values(template))
            && table.escape.value;
        sorts.then(|| KeyOrder {
            model,
            templates,
            number: attribute.is_some_and(|attribute| attribute.kind == KeyKind::Number),
        })
    }

    /// How two records compare in it.
    pub(super) fn compare(&self, a: &Record, b: &Record) -> Ordering {
        let parts = |record: &Record| {
            let template = self.templates.iter().find(|(id, _)| *id == record.entity());
            template
                .map(|(_, template)| self.parts(template, record))
                .unwrap_or_default()
        };
        parts(a).cmp(&parts(b))
    }

    fn parts(&self, template: &KeyTemplate, record: &Record) -> Vec<Part> {
        let entity = self.model.entity(record.entity());
        let pieces = template.template.pieces.iter().zip(&template.parts);
        let parts = pieces.map(|(piece, field)| match (piece, field) {
            (Piece::Field(written), Some(field)) => self.part(
                entity,
                *field,
                &written.encodings,
                record.value(*field).unwrap_or(&Value::Null),
            ),
            (Piece::Literal { text, .. }, _) => Part::Text(text.clone()),
            _ => Part::Text(String::new()),
        });
        parts.collect()
    }

    fn part(&self, entity: &Entity, field: FieldId, encodings: &Encodings, value: &Value) -> Part {
        let rank = |text: &String| match entity.field(field).kind() {
            FieldType::Enum(words) | FieldType::Ordered(words) => {
                words.iter().position(|word| word == text)
            }
            _ => None,
        };
        let part = match value {
            Value::String(text) => match rank(text).filter(|_| encodings.rank) {
                Some(rank) => Part::Number(rank as i64),
                None if encodings.lower => Part::Text(fold(text)),
                None => Part::Text(text.clone()),
            },
            Value::Number(number) if encodings.pad.is_some() || self.number => {
                Part::Number(number.as_i64().unwrap_or(0))
            }
            // A number without leading zeros sorts as it is spelled.
            other => Part::Text(other.to_string()),
        };
        if encodings.desc {
            Part::Reversed(Box::new(part))
        } else {
            part
        }
    }
}

/// One part of a sort key.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Number(i64),
    Reversed(Box<Part>),
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Part::Text(a), Part::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Part::Number(a), Part::Number(b)) => a.cmp(b),
            (Part::Reversed(a), Part::Reversed(b)) => b.cmp(a),
            // Keys of different entities part ways at a text before it comes to this.
            _ => Ordering::Equal,
        }
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The key of an entity in a place, if the caller's values say the partition and every item is there.
fn key_in<'m>(
    model: &'m Model,
    access: &Access,
    id: EntityId,
    place: Option<IndexId>,
) -> Option<&'m Key> {
    let entity = model.entity(id);
    let key = match place {
        None => &entity.key,
        Some(index) => &entity.keys_in(index).next()?.key,
    };
    let known = |field: FieldId| {
        let name = entity.field(field).name.as_str();
        access.by.iter().any(|by| by.written.as_str() == name) || is_fixed(access, name)
    };
    let mut parts = key.partition.field_parts();
    let bound = parts.all(|(_, field, written)| written.encodings.shard.is_some() || known(field));
    let used = |name: &str| {
        key.templates().any(|template| {
            entity
                .field_named(name)
                .is_some_and(|field| template.has(field))
        })
    };
    (bound && access.by.iter().all(|by| used(by.written.as_str()))).then_some(key)
}

fn is_fixed(access: &Access, name: &str) -> bool {
    let mut parts = access
        .condition
        .iter()
        .flat_map(|condition| condition.condition.conjuncts());
    parts.any(|part| matches!(part, Condition::Compare { field, operator: Operator::Equal, .. } if field.name == name))
}

/// Every value is closed by a delimiter or is the last, and none stands unescaped: then texts sort as values do.
fn sorts_as_its_values(template: &KeyTemplate) -> bool {
    let pieces = &template.template.pieces;
    pieces
        .iter()
        .enumerate()
        .all(|(position, piece)| match piece {
            Piece::Literal { .. } => true,
            Piece::Field(field) => {
                let closed: Cow<'_, str> = match pieces.get(position + 1) {
                    None => "#".into(),
                    Some(Piece::Literal { text, .. }) => text.as_str().into(),
                    Some(Piece::Field(_)) => "".into(),
                };
                !field.encodings.raw && field.encodings.shard.is_none() && closed.starts_with('#')
            }
        })
}
