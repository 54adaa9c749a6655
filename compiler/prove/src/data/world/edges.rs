//! Records made on purpose: what chance seldom makes, and keys break by.

mod long;
mod meeting;
mod over;
mod placed;
mod shown;
mod turns;
mod witness;

use serde_json::{Value, json};
use tablewright_keys::Piece;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, Key};

use super::World;
use crate::data::chance::Chance;
use crate::record::Record;
use crate::valid::is_of;

impl World<'_, '_> {
    /// Something that is over. For every field some key holds: the ends of its type, each in an item of its own, and beside a text of one owner the same text with
    /// more behind it. For every two texts of a key: two items whose keys would be one without an escape; for every key that can be read in
    /// two ways, an item of each. And what is too long for a key when its fields are filled. A field that names another item does so here,
    /// too: that one is made first.
    pub(super) fn edges(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        self.over(id, chance);
        for field in held_by_keys(entity) {
            for end in ends(entity.field(field).kind()) {
                self.edge(id, &[(field, end)], chance);
            }
            self.beside(id, field, chance);
        }
        self.too_long(id, chance);
        self.run_together(id, chance);
        self.read_in_two_ways(id, chance);
    }

    /// An item like one there is, but for some fields and what tells the two apart.
    fn edge(&mut self, id: EntityId, values: &[(FieldId, Value)], chance: &mut Chance) {
        if let Some(like) = self.made[id.0].first().cloned() {
            self.made_like(id, &like, values, chance);
        }
    }

    /// For two texts that follow each other in a key, two items that differ in nothing else: `left`, `mid#right` and `left#mid`, `right`.
    fn run_together(&mut self, id: EntityId, chance: &mut Chance) {
        let model = self.maker.model();
        let entity = model.entity(id);
        for (first, between, second) in neighbours(entity) {
            let pairs = [
                ("left".to_owned(), format!("mid{between}right")),
                (format!("left{between}mid"), "right".to_owned()),
            ];
            let pairs = pairs.map(|(a, b)| [(first, json!(a)), (second, json!(b))]);
            let mut all = pairs.iter().flatten();
            let fits = all.all(|(field, value)| is_of(model, entity.field(*field).kind(), value));
            if first == second || !fits {
                continue;
            }
            self.of_one_key(id, pairs.map(Vec::from), chance);
        }
    }

    /// Two items of one owner, of which one has the other's text and more behind it: behind a delimiter, where the type has one.
    fn beside(&mut self, id: EntityId, field: FieldId, chance: &mut Chance) {
        let kind = self.maker.model().entity(id).field(field).kind();
        let (more, least, most) = match kind {
            FieldType::Id => ("0", 1, 128),
            FieldType::Email => ("#b", 1, 254),
            FieldType::String(length) => {
                let most = length.max.map_or(100, |max| max.min(100));
                ("#b", length.min.max(1) as usize, most as usize)
            }
            _ => return,
        };
        let text_of = |record: &Record| -> Option<String> {
            let text = record.value(field)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        let has_room = |text: &String| text.chars().count() + more.len() <= most;
        let mut made = self.made[id.0].iter();
        let found =
            made.find_map(|record| Some((record.clone(), text_of(record).filter(has_room)?)));
        if let Some((like, text)) = found {
            let longer = Value::String(format!("{text}{more}"));
            self.made_like(id, &like, &[(field, longer)], chance);
        } else if least + more.len() <= most && kind != &FieldType::Email {
            // Nothing there is leaves room for more.
            let text = "b".repeat(least);
            let longer = format!("{text}{more}");
            for text in [text, longer] {
                self.edge(id, &[(field, json!(text))], chance);
            }
        }
    }
}

/// The fields of its keys, and of its indexes and guards.
fn held_by_keys(entity: &Entity) -> Vec<FieldId> {
    let mut fields: Vec<FieldId> = keys(entity).flat_map(Key::field_ids).collect();
    fields.sort();
    fields.dedup();
    fields
}

fn keys(entity: &Entity) -> impl Iterator<Item = &Key> {
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    std::iter::once(&entity.key).chain(indexes).chain(guards)
}

/// The smallest and the largest number, and the empty text. Where a type says nothing of an end, nobody said that it can be stored.
fn ends(kind: &FieldType) -> Vec<Value> {
    match kind {
        FieldType::Int { min, max } => min.iter().chain(max).map(|end| json!(end)).collect(),
        FieldType::String(length) if length.min == 0 => vec![json!("")],
        _ => Vec::new(),
    }
}

/// The texts that follow each other in the keys of an entity, with what stands between them.
fn neighbours(entity: &Entity) -> Vec<(FieldId, String, FieldId)> {
    let mut found = Vec::new();
    for template in keys(entity).flat_map(Key::templates) {
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
