//! Fields that only the alias of a facet names, with their values from the keys of samples.

use tablewright_keys::{CharSet, FieldRef, KeyValue, Shape, Template, TypedTemplate, unsupported};

use super::fields::can_be_field;
use super::source::Sample;
use super::templates::Candidates;

impl Candidates {
    /// Whether all fields of a template are known. Those that are not become fields, if every sample has a key of the template.
    pub(super) fn knows_or_learns(&mut self, template: &Template, attribute: &str) -> bool {
        let mut new: Vec<&FieldRef> = Vec::new();
        for field in template.fields() {
            let known = self.fields.contains(&field.name);
            if !known && new.iter().all(|other| other.name != field.name) {
                new.push(field);
            }
        }
        if new.is_empty() {
            return !template.is_constant();
        }
        let can_be = |field: &&FieldRef| {
            let plain = !field.encodings.rank && !field.encodings.desc && !field.encodings.lower;
            let told = field.encodings.pad.is_none() || !self.items.is_empty();
            let free = can_be_field(&field.name) && !self.taken.contains(&field.name);
            plain && told && free && field.encodings.shard.is_none()
        };
        let Some(typed) = self.typed(template).filter(|_| new.iter().all(can_be)) else {
            return false;
        };
        let mut learned: Vec<Vec<(usize, Sample)>> = vec![Vec::new(); new.len()];
        for (at, item) in self.items.iter().enumerate() {
            let Some(Sample::Text(text)) = item.get(attribute) else {
                return false;
            };
            let Some(values) = typed.decode(text) else {
                return false;
            };
            for (field, learned) in new.iter().zip(&mut learned) {
                match values.get(&field.name) {
                    Some(KeyValue::Text(text)) => learned.push((at, Sample::Text(text.clone()))),
                    Some(KeyValue::Integer(number)) => {
                        learned.push((at, Sample::Number(number.to_string())));
                    }
                    _ => return false,
                }
            }
        }
        for (field, samples) in new.into_iter().zip(learned) {
            self.invent(&field.name, attribute, samples);
        }
        true
    }

    /// The template with a shape for every field that its keys can be read by: a number where it has a width, else a text.
    fn typed(&self, template: &Template) -> Option<TypedTemplate> {
        let shape_of = |name: &str| {
            let mut fields = template.fields().filter(|field| field.name == name);
            let width = fields.find_map(|field| field.encodings.pad);
            Some(match width {
                Some(width) => Shape::Integer {
                    min: 0,
                    max: 10_i64.checked_pow(u32::from(width))?.checked_sub(1)?,
                },
                None => Shape::Text {
                    chars: CharSet::any(),
                    min: 1,
                    max: None,
                },
            })
        };
        let supported = |field: &FieldRef| {
            shape_of(&field.name)
                .is_some_and(|shape| unsupported(&shape, &field.encodings).is_none())
        };
        if !template.fields().all(supported) {
            return None;
        }
        let mut typed = template.typed(shape_of).ok()?;
        for piece in &mut typed.pieces {
            if let tablewright_keys::TypedPiece::Field { escaped, .. } = piece {
                *escaped &= self.escaped;
            }
        }
        Some(typed)
    }
}
