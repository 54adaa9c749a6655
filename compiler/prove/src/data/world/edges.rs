//! Records made on purpose: what chance seldom makes, and keys break by.

use serde_json::{Value, json};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, FieldId, Key};

use super::{World, declared};
use crate::data::chance::Chance;
use crate::data::maker::Fixed;
use crate::data::values::Style;
use crate::record::Record;

/// What no key of DynamoDB has room for, in characters of four bytes.
const TOO_LONG: usize = 513;

impl World<'_, '_> {
    /// For every field some key holds: the ends of its type, each in an item of its own, and beside a text of one owner the same text with
    /// a delimiter and more behind it.
    pub(super) fn edges(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        for field in self.held_by_keys(id) {
            let kind = entity.field(field).kind();
            for end in self.ends(id, field, kind) {
                self.edge(id, field, end, chance);
            }
            if let FieldType::String(length) = kind {
                let max = length.max.map_or(usize::MAX, |max| max as usize);
                self.beside(id, field, max, chance);
            }
        }
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

    /// The smallest and the largest number, the empty text, and a text that is too long for any key where the type has one. What groups
    /// items has its ends in its pool.
    fn ends(&self, id: EntityId, field: FieldId, kind: &FieldType) -> Vec<Value> {
        let pooled = self.maker.links.pooled[id.0].iter();
        if pooled.clone().any(|(pooled, _)| *pooled == field) {
            return Vec::new();
        }
        match kind {
            FieldType::Int { min, max } => vec![
                json!(min.unwrap_or(i64::MIN)),
                json!(max.unwrap_or(i64::MAX)),
            ],
            FieldType::String(length) => {
                let empty = (length.min == 0).then(|| json!(""));
                let max = length.max.map_or(usize::MAX, |max| max as usize);
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
        let mut fixed = self.of_the_same(id, &like);
        fixed.insert(field, value);
        let made = self.maker.record(id, &fixed, Style::Plain, chance);
        self.made[id.0].extend(made);
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
        let pool = self.maker.links.pooled[id.0].iter();
        let pool = pool.clone().find(|(pooled, _)| *pooled == field).cloned();
        if let Some((_, pool)) = pool {
            // From here on it is of this world alone.
            self.maker.is_new_in_pool(&pool, &longer);
        }
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
