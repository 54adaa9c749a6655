//! What several rules ask about keys that lie side by side.

use std::collections::HashSet;
use std::ops::Range;

use tablewright_keys::{DELIMITER, Shape, TypedPiece};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{FieldId, KeyKind, KeyTemplate, TableId};
use tablewright_model::{Span, Text};

use crate::{Context, KeyRole, KeyUse};

/// Whether two leading literals allow a common key: one is the beginning of the other.
pub(crate) fn may_meet(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Positions of the text parts in which an unescaped delimiter could be taken for the template's own.
pub(crate) fn delimiter_in_value(key: &KeyUse<'_>) -> Vec<usize> {
    if key.attribute.kind != KeyKind::String {
        return Vec::new();
    }
    let pieces = &key.template.typed.pieces;
    let has_delimiter =
        |piece: &TypedPiece| matches!(piece, TypedPiece::Literal(text) if text.contains(DELIMITER));
    let mut found = Vec::new();
    for (position, piece) in pieces.iter().enumerate() {
        let TypedPiece::Field {
            shape: Shape::Text { chars, .. },
            encodings,
            escaped: false,
            ..
        } = piece
        else {
            continue;
        };
        let goes_on = position + 1 < pieces.len();
        let behind = key.role == KeyRole::Sort && pieces.iter().take(position).any(has_delimiter);
        if encodings.shard.is_none() && chars.contains(DELIMITER) && (goes_on || behind) {
            found.push(position);
        }
    }
    found
}

/// Whether a field of this type can be written into a key template at all.
pub(crate) fn has_key_form(kind: &FieldType) -> bool {
    kind.shape().is_some()
}

/// The key attributes some template fills with text.
pub(crate) struct TextAttributes<'m>(HashSet<(TableId, &'m str)>);

impl<'m> TextAttributes<'m> {
    pub(crate) fn of(context: &Context<'m>) -> Self {
        let text = context.keys().filter(|key| !is_bare_number(context, key));
        TextAttributes(text.map(|key| attribute_of(context, key)).collect())
    }

    /// Whether a bare number stands in a text attribute that it shares with text, or that is the field itself.
    pub(crate) fn clash_with(&self, context: &Context<'m>, key: &KeyUse<'m>) -> bool {
        let shared = self.0.contains(&attribute_of(context, key));
        let entity = context.model.entity(key.entity);
        key.attribute.kind == KeyKind::String
            && is_bare_number(context, key)
            && (shared || entity.field_named(&key.attribute.name).is_some())
    }
}

fn attribute_of<'m>(context: &Context<'m>, key: &KeyUse<'m>) -> (TableId, &'m str) {
    let table = context.model.entity(key.entity).table;
    (table, key.attribute.name.as_str())
}

fn is_bare_number(context: &Context<'_>, key: &KeyUse<'_>) -> bool {
    let bare = key.template.bare_field();
    bare.is_some_and(|field| context.field(key.entity, field).kind().is_number())
}

/// Whether the field itself is the key attribute.
pub(crate) fn is_natural(key: &KeyUse<'_>, field: &str) -> bool {
    key.template.bare_field().is_some() && key.attribute.name == field
}

/// Whether DynamoDB refuses the attribute as a key: of a type it does not take, or a Boolean that is a field.
pub(crate) fn is_refused(context: &Context<'_>, key: &KeyUse<'_>) -> bool {
    let flag = |field| {
        let field = context.field(key.entity, field);
        *field.kind() == FieldType::Bool && is_natural(key, field.name.as_str())
    };
    matches!(key.attribute.kind, KeyKind::Refused(_)) || key.template.bare_field().is_some_and(flag)
}

/// Where a field stands in a template.
pub(crate) fn field_span(template: &KeyTemplate, field: FieldId) -> Option<Span> {
    let mut parts = template.field_parts();
    let (_, _, part) = parts.find(|(_, id, _)| *id == field)?;
    Some(template.span_of(part))
}

/// The place of a part of a text, for an edit: none when the source spells the text with escapes.
pub(crate) fn editable(text: &Text, part: Range<usize>) -> Option<Span> {
    let length = part.len();
    Some(text.at(part)).filter(|span| span.end - span.start == length)
}

/// Names as people list them: `A`, `A and B`, `A, B and C`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}
