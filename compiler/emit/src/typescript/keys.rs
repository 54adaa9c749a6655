//! Key attributes: a template such as `STATUS#{status}#{task_id}` is a template literal type.

use tablewright_keys::{Encodings, TypedPiece, escape};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, KeyAttribute, KeyKind, KeyTemplate};

use super::scalars::Scalar;
use super::text::{in_template, literal};
use super::types::{Form, Owner, Types, moment};

/// More words than these make a type nobody reads.
const MOST_WORDS: usize = 16;

/// The type of a key attribute that is made with a template.
pub(super) fn attribute(
    types: &Types<'_>,
    entity: &Entity,
    attribute: &KeyAttribute,
    template: &KeyTemplate,
) -> String {
    if attribute.kind != KeyKind::String
        && let Some(id) = template.bare_field()
    {
        return types.of(Owner::entity(entity), entity.field(id), Form::Item);
    }
    let pieces = &template.typed.pieces;
    if let [TypedPiece::Literal(text)] = pieces.as_slice() {
        return literal(text);
    }
    let parts: Vec<String> = pieces
        .iter()
        .zip(&template.parts)
        .map(|(piece, part)| match (piece, part) {
            (TypedPiece::Literal(text), _) => in_template(text),
            (TypedPiece::Field { encodings, .. }, Some(id)) => {
                format!("${{{}}}", value(types, entity, *id, encodings))
            }
            (TypedPiece::Field { .. }, None) => "${string}".to_owned(),
        })
        .collect();
    match parts.as_slice() {
        [one] if one == "${string}" => "string".to_owned(),
        parts => format!("`{}`", parts.concat()),
    }
}

/// What the text of a value looks like in a key.
fn value(
    types: &Types<'_>,
    entity: &Entity,
    id: tablewright_model::model::FieldId,
    encodings: &Encodings,
) -> String {
    let field = entity.field(id);
    let of_digits = encodings.shard.is_some() || encodings.rank || encodings.pad.is_some();
    if of_digits {
        return "number".to_owned();
    }
    if *encodings != Encodings::default() {
        return "string".to_owned();
    }
    match field.kind() {
        FieldType::Int { .. } | FieldType::EpochSeconds | FieldType::EpochMillis => {
            "number".to_owned()
        }
        FieldType::Bool => "boolean".to_owned(),
        FieldType::Date => types.scalar(Scalar::IsoDate),
        FieldType::Timestamp(precision) => types.scalar(moment(*precision)),
        FieldType::Enum(words) | FieldType::Ordered(words)
            if words.len() <= MOST_WORDS && words.iter().all(|word| escape(word) == *word) =>
        {
            types.of(Owner::entity(entity), field, Form::Item)
        }
        _ => "string".to_owned(),
    }
}
