//! Keys that are too long when their fields are filled.

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Allow, Entity, EntityId, FieldId, Key, KeyTemplate};

use super::literal;
use crate::data::chance::Chance;
use crate::data::world::World;
use crate::record::Record;

/// Bytes DynamoDB takes of a partition key, and of a sort key.
const MOST: [usize; 2] = [2048, 1024];

/// More characters of four bytes than any key has room for.
const FULL: usize = 513;

/// A character of four bytes.
const WIDE: &str = "\u{1f600}";

const RULE: &str = "key-too-long";

impl World<'_, '_> {
    /// For every key that has not room for its fields when all of them are as long as they may be, such an item; unless whoever wrote the
    /// model says that they are shorter.
    pub(super) fn too_long(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let Some(like) = self.made[id.0].first().cloned() else {
            return;
        };
        for key in keys_held_to_it(model, entity) {
            for (template, most) in key.templates().zip(MOST) {
                let Some(filled) = filled(entity, template) else {
                    continue;
                };
                if bytes(template, &filled, &like) > most {
                    self.made_like(id, &like, &filled, chance);
                }
            }
        }
    }
}

/// The keys of which nobody says that they are never so long.
fn keys_held_to_it<'m>(model: &'m Model, entity: &'m Entity) -> Vec<&'m Key> {
    let says = |allowed: &[Allow]| allowed.iter().any(|allow| allow.rule.value == RULE);
    if says(&entity.allow) {
        return Vec::new();
    }
    let table = model.table(entity.table);
    let indexes = entity.index_keys.iter();
    let indexes = indexes.filter(|key| !says(&table.index(key.index).allow));
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let indexes = indexes.map(|key| &key.key);
    std::iter::once(&entity.key)
        .chain(indexes)
        .chain(guards)
        .collect()
}

/// The texts of a key as long as they may be; none where one of them has no end.
fn filled(entity: &Entity, template: &KeyTemplate) -> Option<Vec<(FieldId, Value)>> {
    let mut filled: Vec<(FieldId, Value)> = Vec::new();
    for (_, field, part) in template.field_parts() {
        if part.encodings.shard.is_some() || filled.iter().any(|(known, _)| *known == field) {
            continue;
        }
        let text = match entity.field(field).kind() {
            FieldType::String(length) => WIDE.repeat(FULL.min(length.max? as usize)),
            FieldType::Id => "x".repeat(128),
            _ => continue,
        };
        filled.push((field, json!(text)));
    }
    Some(filled)
}

/// About how long the key is then: what is not filled is as long as that of another item.
fn bytes(template: &KeyTemplate, filled: &[(FieldId, Value)], like: &Record) -> usize {
    let literals = template.template.pieces.iter().filter_map(literal);
    let literals: usize = literals.map(str::len).sum();
    let fields = template.field_parts().map(|(_, field, part)| {
        let value = filled.iter().find(|(known, _)| *known == field);
        let value = value.map_or(&like.slots()[field.0], |(_, value)| value);
        match (value, part.encodings.pad) {
            (_, _) if part.encodings.shard.is_some() => 1,
            (Value::String(text), _) => text.len(),
            (_, Some(digits)) => usize::from(digits),
            (value, None) => value.to_string().len(),
        }
    });
    literals + fields.sum::<usize>()
}
