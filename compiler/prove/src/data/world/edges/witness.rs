//! Values that give two items one key, found by the algebra of keys: of two templates that can meet, and of one that can be read in two ways.

use serde_json::Value;
use tablewright_keys::{
    CharSet, KeyValue, Shape, TypedPiece, TypedTemplate, algebra, encode_piece, escape,
};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Key, KeyTemplate};

use crate::data::maker::Fixed;
use crate::record::{canonical, key_value};
use crate::valid::is_of;

/// Texts have at least so many characters, and where nothing comes of that, fewer: an empty one is an edge of its own.
const LEAST: [u32; 2] = [1, 0];

/// An entity and one of the keys its items take: its own, an index's or a guard's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken<'m> {
    pub(super) entity: &'m Entity,
    pub(super) key: &'m Key,
}

/// The values of two items that have a key in common; none where no two have.
pub(super) fn in_common(model: &Model, one: Taken<'_>, other: Taken<'_>) -> Option<[Fixed; 2]> {
    let mut templates: Vec<[&KeyTemplate; 2]> = one
        .key
        .templates()
        .zip(other.key.templates())
        .map(|(one, other)| [one, other])
        .collect();
    let entities = [one.entity, other.entity];
    for least in LEAST {
        // What the first of the two parts says of a field holds in the second as well: whichever is first may leave it too little.
        for _ in 0..templates.len() {
            if let Some(found) = meet(model, entities, &templates, least) {
                return Some(found);
            }
            templates.rotate_left(1);
        }
    }
    None
}

fn meet(
    model: &Model,
    entities: [&Entity; 2],
    templates: &[[&KeyTemplate; 2]],
    least: u32,
) -> Option<[Fixed; 2]> {
    let [mut first, mut second] = [Fixed::new(), Fixed::new()];
    for [one, other] in templates {
        let spelled = [
            Spelled::of(entities[0], one, &first, least),
            Spelled::of(entities[1], other, &second, least),
        ];
        let found = algebra::meeting(&spelled[0].template, &spelled[1].template)?;
        first.extend(spelled[0].values(model, entities[0], one, &found.first)?);
        second.extend(spelled[1].values(model, entities[1], other, &found.second)?);
    }
    Some([first, second])
}

/// The values of two items for which a template gives one text; none where every text has one reading.
pub(super) fn two_readings(
    model: &Model,
    entity: &Entity,
    template: &KeyTemplate,
) -> Option<[Fixed; 2]> {
    if template.field_parts().count() < 2 {
        return None;
    }
    LEAST.into_iter().find_map(|least| {
        let spelled = Spelled::of(entity, template, &Fixed::new(), least);
        let found = algebra::ambiguity(&spelled.template)?;
        let first = spelled.values(model, entity, template, &found.first)?;
        let second = spelled.values(model, entity, template, &found.second)?;
        Some([first, second])
    })
}

/// A template whose every text is one of values that can be stored: what is known already stands in it as it is, and an address piece by
/// piece.
struct Spelled {
    template: TypedTemplate,
    /// For each of its pieces, which one of the key's own template it is of.
    of: Vec<usize>,
}

impl Spelled {
    fn of(entity: &Entity, key: &KeyTemplate, known: &Fixed, least: u32) -> Spelled {
        let mut pieces = Vec::new();
        let mut of = Vec::new();
        for (position, piece) in key.typed.pieces.iter().enumerate() {
            let field = key.parts.get(position).copied().flatten();
            let said = field.and_then(|field| said(piece, known.get(&field)?));
            let kind = field.map(|field| entity.field(field).kind());
            let spelled = match said {
                Some(said) => vec![TypedPiece::Literal(said)],
                None if kind == Some(&FieldType::Email) => address(piece),
                None => vec![of_at_least(piece, least)],
            };
            of.extend(spelled.iter().map(|_| position));
            pieces.extend(spelled);
        }
        Spelled {
            template: TypedTemplate { pieces },
            of,
        }
    }

    /// What the fields are, by the text of each piece; none where they cannot be so.
    fn values(
        &self,
        model: &Model,
        entity: &Entity,
        key: &KeyTemplate,
        texts: &[String],
    ) -> Option<Fixed> {
        let mut whole = vec![String::new(); key.typed.pieces.len()];
        for (position, text) in self.of.iter().zip(texts) {
            whole[*position].push_str(text);
        }
        let mut values = Fixed::new();
        for (position, field, part) in key.field_parts() {
            // Which shard it is in follows from its value, and from no text.
            if part.encodings.shard.is_some() {
                continue;
            }
            let kind = entity.field(field).kind();
            let read = key.typed.pieces[position].value_of(&whole[position])?;
            let value = canonical(model, kind, as_value(kind, read));
            let known = values.entry(field).or_insert_with(|| value.clone());
            if *known != value || !is_of(model, kind, &value) {
                return None;
            }
        }
        Some(values)
    }
}

/// The text of a value in its place.
fn said(piece: &TypedPiece, value: &Value) -> Option<String> {
    match piece {
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => encode_piece(shape, encodings, *escaped, &key_value(value)?).ok(),
        TypedPiece::Literal(_) => None,
    }
}

/// `a@b.c`: the shape of an address knows neither.
fn address(piece: &TypedPiece) -> Vec<TypedPiece> {
    let TypedPiece::Field {
        encodings, escaped, ..
    } = piece
    else {
        return vec![piece.clone()];
    };
    if encodings.shard.is_some() {
        return vec![piece.clone()];
    }
    let part = |without: &str, max: u32| {
        let printable = CharSet::ranges(['!'..='~']);
        let mut part = piece.clone();
        if let TypedPiece::Field { shape, .. } = &mut part {
            *shape = Shape::Text {
                chars: printable.without(&CharSet::from_chars(without)),
                min: 1,
                max: Some(max),
            };
        }
        part
    };
    let mark = |mark: &str| {
        let text = match escaped {
            true => escape(mark).into_owned(),
            false => mark.to_owned(),
        };
        TypedPiece::Literal(text)
    };
    vec![
        part("@", 64),
        mark("@"),
        part("@.", 64),
        mark("."),
        part("@.", 64),
    ]
}

fn of_at_least(piece: &TypedPiece, least: u32) -> TypedPiece {
    let mut piece = piece.clone();
    if let TypedPiece::Field {
        shape: Shape::Text { min, max, .. },
        ..
    } = &mut piece
    {
        *min = (*min).max(least.min(max.unwrap_or(least)));
    }
    piece
}

fn as_value(kind: &FieldType, read: KeyValue) -> Value {
    match (kind, read) {
        (FieldType::Bool, KeyValue::Text(text)) => Value::Bool(text == "true"),
        (_, KeyValue::Text(text)) => Value::String(text),
        (_, KeyValue::Integer(number)) => Value::from(number),
    }
}
