//! A key that is longer than DynamoDB takes when its fields are filled.

use tablewright_keys::{Shape, TypedPiece, TypedTemplate};
use tablewright_model::Severity;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{KeyKind, KeyTemplate};

use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "key-too-long",
    code: "K21",
    severity: Error,
    group: Keys,
    summary: "a key longer than DynamoDB takes when its fields are filled to their declared maxima",
    why: "A partition key has at most 2048 bytes and a sort key 1024, in a table and in every index. A longer one is refused, and so is the whole
write: the item cannot be stored at all, also when only an index key is too long. It happens to the one customer with the long name.

Lengths are declared in characters and keys are counted in bytes: a character takes up to four, and an escaped one three. Declare a
smaller maximum, or put a hash or an id into the key. A key that is too long only with characters of several bytes is a warning.",
}

/// Bytes of a partition key.
const PARTITION: u64 = 2048;
/// Bytes of a sort key.
const SORT: u64 = 1024;
/// Bytes of an e-mail address.
const ADDRESS: u64 = 254;

fn check(context: &Context<'_>, found: &mut Found) {
    for key in context.written_keys() {
        let most = match key.role {
            KeyRole::Partition => PARTITION,
            KeyRole::Sort => SORT,
        };
        let Some(bytes) = longest(context, key).filter(|bytes| *bytes > most) else {
            continue;
        };
        let part = match key.role {
            KeyRole::Partition => "partition key",
            KeyRole::Sort => "sort key",
        };
        let narrow = with_narrow_characters(&key.template.typed);
        let always = narrow.is_none_or(|narrow| narrow > most);
        let when = if always {
            ""
        } else {
            " in characters of several bytes"
        };
        let name = match key.place {
            KeyPlace::Table => context.model.entity(key.entity).name.value.clone(),
            KeyPlace::Index(_) | KeyPlace::Guard(_) => context.name_of(key),
        };
        let mut diagnostic = RULE
            .at(
                key.template.written.content(),
                format!(
                    "the {part} of {} can have {bytes} bytes{when}, and DynamoDB takes {most}: a longer one is refused with its item",
                    name
                ),
            )
            .label("too long when it is filled");
        if !always {
            diagnostic.severity = Severity::Warning;
        }
        let widest = widest_field(context, key);
        if let Some((field, written, own)) = widest {
            diagnostic = diagnostic.related(written, format!("up to {own} bytes of it"));
            diagnostic = diagnostic.help(format!(
                "declare a smaller maximum for `{field}`, or put a hash of it or an id into the key"
            ));
        } else {
            diagnostic = diagnostic.help("write a shorter template");
        }
        found.report(&context.subjects_of(key), diagnostic);
    }
}

/// The most bytes a key can have; none where a field declares no maximum, or the key is a number.
fn longest(context: &Context<'_>, key: &KeyUse<'_>) -> Option<u64> {
    match key.attribute.kind {
        KeyKind::String => {
            let pieces = key.template.typed.pieces.iter().zip(&key.template.parts);
            let lengths = pieces.map(|(piece, field)| {
                let kind = field.map(|field| context.field(key.entity, field).kind());
                match (piece, kind) {
                    // An address has at most 254 bytes, whatever its characters.
                    (TypedPiece::Field { encodings, .. }, Some(FieldType::Email))
                        if encodings.shard.is_none() =>
                    {
                        Some(ADDRESS)
                    }
                    (piece, _) => longest_piece(piece),
                }
            });
            lengths.sum()
        }
        KeyKind::Number | KeyKind::Binary | KeyKind::Refused(_) => None,
    }
}

fn longest_piece(piece: &TypedPiece) -> Option<u64> {
    match piece {
        TypedPiece::Literal(text) => Some(text.len() as u64),
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => tablewright_keys::max_bytes(shape, encodings, *escaped),
    }
}

/// The length of the key when every character takes one byte; none where it has no text.
fn with_narrow_characters(template: &TypedTemplate) -> Option<u64> {
    let mut has_text = false;
    let pieces = template.pieces.iter().map(|piece| match piece {
        TypedPiece::Field {
            shape: Shape::Text { max, .. },
            encodings,
            ..
        } if encodings.shard.is_none() => {
            has_text = true;
            max.map(u64::from)
        }
        piece => longest_piece(piece),
    });
    let sum = pieces.sum::<Option<u64>>();
    sum.filter(|_| has_text)
}

/// The field that takes most of the key.
fn widest_field<'m>(
    context: &Context<'m>,
    key: &KeyUse<'m>,
) -> Option<(&'m str, tablewright_model::Span, u64)> {
    let template: &KeyTemplate = key.template;
    let parts = template.field_parts().filter_map(|(position, id, _)| {
        let field = context.field(key.entity, id);
        let own = match field.kind() {
            FieldType::Email => ADDRESS,
            _ => longest_piece(template.typed.pieces.get(position)?)?,
        };
        Some((field.name.as_str(), field.written.content(), own))
    });
    parts.max_by_key(|(_, _, own)| *own)
}
