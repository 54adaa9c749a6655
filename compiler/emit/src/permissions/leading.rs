//! The partition keys something is done to, as a policy compares them.

use tablewright_keys::{DELIMITER, Encodings, Shape, TypedPiece};
use tablewright_model::Model;
use tablewright_model::model::{EntityId, KeyKind, KeyTemplate};
use tablewright_plan::Place;

/// What stands for the tenant in a pattern of keys.
pub const TENANT: &str = "${tenant}";

/// Keys of every kind.
pub(super) const ANY: &str = "*";

/// The keys a template makes: its own text, [`TENANT`] where that is the whole of what tells tenants apart, and `*` for other values.
pub(super) fn pattern(
    model: &Model,
    entity: EntityId,
    place: Place,
    template: &KeyTemplate,
) -> String {
    let table = model.table(place.table);
    let attribute = place.index.map_or(&table.partition_key, |index| {
        &table.index(index).partition_key
    });
    if attribute.kind != KeyKind::String {
        return ANY.to_owned();
    }
    let tenant = model.tenant_of(entity);
    let pieces = &template.typed.pieces;
    let mut text = String::new();
    for (position, (piece, part)) in pieces.iter().zip(&template.parts).enumerate() {
        match piece {
            TypedPiece::Literal(literal) => text.push_str(&as_it_is(literal)),
            TypedPiece::Field { .. } if part.is_some() && *part == tenant => {
                let next = pieces.get(position + 1);
                text.push_str(match ends_where_it_seems(piece, next) {
                    true => TENANT,
                    false => ANY,
                });
            }
            // Two stars say no more than one.
            TypedPiece::Field { .. } if text.ends_with(ANY) => {}
            TypedPiece::Field { .. } => text.push_str(ANY),
        }
    }
    text
}

/// Whether the value stands in the key as it is, and no longer value begins with it and a delimiter.
fn ends_where_it_seems(piece: &TypedPiece, next: Option<&TypedPiece>) -> bool {
    let TypedPiece::Field {
        shape,
        encodings,
        escaped,
        ..
    } = piece
    else {
        return false;
    };
    let plain = *encodings == Encodings::default();
    let has_delimiter = match shape {
        Shape::Text { chars, .. } => !escaped && chars.contains(DELIMITER),
        Shape::OneOf(words) => words.iter().any(|word| word.contains(DELIMITER)),
        _ => false,
    };
    match next {
        None => plain,
        Some(TypedPiece::Literal(text)) => plain && text.starts_with(DELIMITER) && !has_delimiter,
        Some(TypedPiece::Field { .. }) => false,
    }
}

/// Text that is compared as it is: a policy has signs of its own.
fn as_it_is(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    for character in literal.chars() {
        match character {
            '*' => text.push_str("${*}"),
            '?' => text.push_str("${?}"),
            other => text.push(other),
        }
    }
    text
}
