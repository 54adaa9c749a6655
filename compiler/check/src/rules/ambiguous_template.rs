//! Two different values that give one key.

use tablewright_keys::{DELIMITER, Piece, Shape, TypedPiece, TypedTemplate, algebra};
use tablewright_model::model::{KeyKind, KeyTemplate};

use crate::key_space::{delimiter_in_value, editable, has_key_form};
use crate::rule::rule;
use crate::{Context, Found, KeyUse};

rule! {
    name: "ambiguous-template",
    code: "K12",
    severity: Error,
    group: Keys,
    summary: "a template in which two different values give the same key",
    why: "Where one part ends and the next begins is not in the key unless something marks it: `{year}{month}` makes
`2111` of 21 and 11 and of 2 and 111. In a primary key the second item overwrites the first, or is refused as already
there; in an index a query finds the items of another value.

Put the delimiter `#` between the parts. A part of fixed width (a date, a ULID, a padded number) needs none.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for key in context.written_keys() {
        if key.attribute.kind != KeyKind::String || is_plainly_separated(&key.template.typed) {
            continue;
        }
        let all_have_form = key
            .template
            .field_parts()
            .all(|(_, id, _)| has_key_form(context.field(key.entity, id).kind()));
        if !all_have_form || !delimiter_in_value(key).is_empty() {
            continue;
        }
        if let Some(ambiguity) = algebra::ambiguity(&as_if_escaped(&key.template.typed)) {
            report(context, key, &ambiguity, found);
        }
    }
}

fn report(
    context: &Context<'_>,
    key: &KeyUse<'_>,
    ambiguity: &algebra::Ambiguity,
    found: &mut Found,
) {
    let mut diagnostic = RULE
        .at(
            key.template.written.content(),
            format!(
                "two values give one key in {}: {ambiguity}",
                context.name_of(key)
            ),
        )
        .label("where does the first part end?")
        .help("put `#` between the parts: no value contains it");
    let between = first_touching(key.template);
    if let Some(place) = between.and_then(|at| editable(&key.template.written, at..at)) {
        diagnostic = diagnostic.fix("separate the parts", place, "#");
    }
    found.report(&context.subjects_of(key), diagnostic);
}

/// The cheap way out: every two fields are kept apart by text that begins with the delimiter, which no value contains.
fn is_plainly_separated(template: &TypedTemplate) -> bool {
    let fields = template
        .pieces
        .iter()
        .filter(|piece| matches!(piece, TypedPiece::Field { .. }));
    if fields.clone().count() < 2 {
        return true;
    }
    let contains_none = fields.into_iter().all(|piece| match piece {
        TypedPiece::Field {
            shape: Shape::Text { chars, .. },
            escaped,
            ..
        } => *escaped || !chars.contains(DELIMITER),
        TypedPiece::Field {
            shape: Shape::OneOf(words),
            ..
        } => !words.iter().any(|word| word.contains(DELIMITER)),
        _ => true,
    });
    let kept_apart = template.pieces.windows(2).all(|pair| match pair {
        [TypedPiece::Field { .. }, TypedPiece::Literal(text)] => text.starts_with(DELIMITER),
        [TypedPiece::Field { .. }, TypedPiece::Field { .. }] => false,
        _ => true,
    });
    contains_none && kept_apart
}

/// Unescaped text has a rule of its own; what is left is the template's own doing.
fn as_if_escaped(template: &TypedTemplate) -> TypedTemplate {
    let mut template = template.clone();
    for piece in &mut template.pieces {
        if let TypedPiece::Field {
            shape: Shape::Text { .. },
            escaped,
            encodings,
            ..
        } = piece
        {
            *escaped = true;
            encodings.raw = false;
        }
    }
    template
}

/// Where the first two fields meet that have nothing between them.
fn first_touching(template: &KeyTemplate) -> Option<usize> {
    template
        .template
        .pieces
        .windows(2)
        .find_map(|pair| match pair {
            [Piece::Field(first), Piece::Field(_)] => Some(first.span.end),
            _ => None,
        })
}
