//! Records made on purpose: what chance seldom makes, and keys break by.

use serde_json::{Value, json};
use tablewright_keys::Piece;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, Key, KeyTemplate};

use super::{World, declared};
use crate::data::chance::Chance;
use crate::data::maker::Fixed;
use crate::data::values::Style;
use crate::record::Record;
use crate::valid::is_of;

/// What no key of DynamoDB has room for, in characters of four bytes.
const TOO_LONG: usize = 513;

impl World<'_, '_> {
    /// For every field some key holds: the ends of its type, each in an item of its own, and beside a text of one owner the same text with
    /// a delimiter and more behind it. For every two texts of a key: two items whose keys would be one without an escape. And where another
    /// entity has a text for its key, an item with that text in the place of its own.
    pub(super) fn edges(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        for field in self.held_by_keys(id) {
            let kind = entity.field(field).kind();
            for end in self.ends(id, kind) {
                self.edge(id, field, end, chance);
            }
            if let FieldType::String(length) = kind {
                let max = length.max.map_or(usize::MAX, |max| max as usize);
                self.beside(id, field, max, chance);
            }
        }
        self.run_together(id, chance);
        self.as_others(id, chance);
    }

    /// The fields of its keys, and of its indexes and guards, that name nothing else there is.
    fn held_by_keys(&self, id: EntityId) -> Vec<FieldId> {
        let model = self.maker.model();
        let entity = model.entity(id);
        let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
        let indexes = entity.index_keys.iter().map(|key| &key.key);
        let keys = std::iter::once(&entity.key).chain(indexes).chain(guards);
        let mut fields: Vec<FieldId> = keys.flat_map(Key::field_ids).collect();
        fields.sort();
        fields.dedup();
        fields.retain(|field| {
            !self.maker.links.is_reference(id, *field) && declared(model, id, *field).is_none()
        });
        fields
    }

    /// The smallest and the largest number, the empty text, and a text that is too long for any key where the type has one. Where a type says
    /// nothing of an end, nobody said that it can be stored.
    fn ends(&self, id: EntityId, kind: &FieldType) -> Vec<Value> {
        match kind {
            FieldType::Int { min, max } => min.iter().chain(max).map(|end| json!(end)).collect(),
            FieldType::String(length) => {
                let empty = (length.min == 0).then(|| json!(""));
                let max = length.max.map_or(0, |max| max as usize);
                let long = max >= TOO_LONG && !self.may_be_too_long(id);
                let long = long.then(|| json!("\u{1f600}".repeat(TOO_LONG)));
                empty.into_iter().chain(long).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whoever wrote the model says that its texts are shorter than their type.
    fn may_be_too_long(&self, id: EntityId) -> bool {
        let mut allowed = self.maker.model().entity(id).allow.iter();
        allowed.any(|allow| allow.rule.value == "key-too-long")
    }

    /// An item like one there is, but for one field and what tells the two apart.
    fn edge(&mut self, id: EntityId, field: FieldId, value: Value, chance: &mut Chance) {
        let Some(like) = self.made[id.0].first().cloned() else {
            return;
        };
        self.is_of_this_world(id, field, &value);
        let mut fixed = self.of_the_same(id, &like);
        fixed.insert(field, value);
        let made = self.maker.record(id, &fixed, Style::Plain, chance);
        self.made[id.0].extend(made);
    }

    /// Where a field takes its values from a pool, no other world has this one from here on.
    fn is_of_this_world(&mut self, id: EntityId, field: FieldId, value: &Value) {
        let mut pools = self.maker.links.pooled[id.0].iter();
        let pool = pools.find(|(pooled, _)| *pooled == field).cloned();
        if let Some((_, pool)) = pool {
            self.maker.is_new_in_pool(&pool, value);
        }
    }

    /// For two texts that follow each other in a key, two items that differ in nothing else: `left`, `mid#right` and `left#mid`, `right`.
    fn run_together(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let Some(like) = self.made[id.0].first().cloned() else {
            return;
        };
        for (first, between, second) in neighbours(entity) {
            let free = |field| {
                !self.maker.links.is_reference(id, field) && declared(model, id, field).is_none()
            };
            if first == second || !free(first) || !free(second) {
                continue;
            }
            let pairs = [
                ("left".to_owned(), format!("mid{between}right")),
                (format!("left{between}mid"), "right".to_owned()),
            ];
            let pairs = pairs.map(|(a, b)| [(first, json!(a)), (second, json!(b))]);
            let mut all = pairs.iter().flatten();
            if !all.all(|(field, value)| is_of(model, entity.field(*field).kind(), value)) {
                continue;
            }
            let mut fixed = self.of_the_same(id, &like);
            for values in pairs {
                for (field, value) in values {
                    self.is_of_this_world(id, field, &value);
                    fixed.insert(field, value);
                }
                let made = self.maker.record(id, &fixed, Style::Plain, chance);
                let Some(made) = made else {
                    break;
                };
                // The other has the rest of its key in common with it.
                for field in entity.identity() {
                    fixed.insert(field, made.slots()[field.0].clone());
                }
                self.made[id.0].push(made);
            }
        }
    }

    /// An item whose text is what the key of another entity is in the same place.
    fn as_others(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        let others = model.entity_ids().filter(|(other, _)| *other != id);
        let others = others.filter(|(_, other)| other.table == entity.table);
        let others: Vec<&Entity> = others.map(|(_, other)| other).collect();
        for (place, template) in entity.key.templates().enumerate() {
            let Some((begin, field)) = one_text(template) else {
                continue;
            };
            if self.maker.links.is_reference(id, field) || declared(model, id, field).is_some() {
                continue;
            }
            for other in &others {
                let word = other.key.templates().nth(place).and_then(only_text);
                let word = word.and_then(|word| word.strip_prefix(begin));
                let value = word.map(|word| json!(word));
                let kind = entity.field(field).kind();
                if let Some(value) = value.filter(|value| is_of(model, kind, value)) {
                    self.edge(id, field, value, chance);
                }
            }
        }
    }

    /// Two items of one owner, of which one has the other's text and more behind a delimiter.
    fn beside(&mut self, id: EntityId, field: FieldId, max: usize, chance: &mut Chance) {
        let text = |record: &Record| -> Option<String> {
            let text = record.value(field)?.as_str()?;
            let fits = !text.is_empty() && text.chars().count() + 2 <= max.min(100);
            fits.then(|| format!("{text}#b"))
        };
        let found = self.made[id.0]
            .iter()
            .find_map(|record| Some((record.clone(), text(record)?)));
        let Some((like, longer)) = found else {
            return;
        };
        let longer = Value::String(longer);
        self.is_of_this_world(id, field, &longer);
        let mut fixed = self.of_the_same(id, &like);
        fixed.insert(field, longer);
        let made = self.maker.record(id, &fixed, Style::Plain, chance);
        self.made[id.0].extend(made);
    }

    /// Whose an item is: what it refers to, and its values of pools.
    fn of_the_same(&self, id: EntityId, like: &Record) -> Fixed {
        let entity = self.maker.model().entity(id);
        let pooled = self.maker.links.pooled[id.0].iter();
        let pooled: Vec<FieldId> = pooled.map(|(field, _)| *field).collect();
        let fields = (0..entity.fields.len()).map(FieldId);
        let shared = fields
            .filter(|field| self.maker.links.is_reference(id, *field) || pooled.contains(field));
        let values = shared.map(|field| (field, like.slots()[field.0].clone()));
        values.collect()
    }
}

/// The texts that follow each other in the keys of an entity, with what stands between them.
fn neighbours(entity: &Entity) -> Vec<(FieldId, String, FieldId)> {
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let keys = std::iter::once(&entity.key).chain(indexes).chain(guards);
    let mut found = Vec::new();
    for template in keys.flat_map(Key::templates) {
        let fields: Vec<(usize, FieldId)> = template
            .field_parts()
            .filter(|(_, _, part)| part.encodings.shard.is_none())
            .map(|(place, field, _)| (place, field))
            .collect();
        for pair in fields.windows(2) {
            let ((first_at, first), (second_at, second)) = (pair[0], pair[1]);
            let between = template.template.pieces[first_at + 1..second_at].iter();
            let between: String = between.filter_map(literal).collect();
            let is_text = |field| {
                matches!(
                    entity.field(field).kind(),
                    FieldType::String(_) | FieldType::Id
                )
            };
            let known = (first, between, second);
            if is_text(first) && is_text(second) && !found.contains(&known) {
                found.push(known);
            }
        }
    }
    found
}

fn literal(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Literal { text, .. } => Some(text),
        Piece::Field(_) => None,
    }
}

/// A key that ends with its one field, and what it begins with.
fn one_text(template: &KeyTemplate) -> Option<(&str, FieldId)> {
    match (&template.template.pieces[..], &template.parts[..]) {
        ([_], [Some(field)]) => Some(("", *field)),
        ([begin, _], [None, Some(field)]) => Some((literal(begin)?, *field)),
        _ => None,
    }
}

/// A key that is the same for all.
fn only_text(template: &KeyTemplate) -> Option<&str> {
    match &template.template.pieces[..] {
        [one] => literal(one),
        _ => None,
    }
}
