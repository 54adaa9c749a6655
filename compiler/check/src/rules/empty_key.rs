//! A part of a key that may be empty.

use std::collections::BTreeMap;
use std::ops::Range;

use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{EntityId, Field, FieldId};

use crate::key_space::{editable, field_span};
use crate::rule::rule;
use crate::{Context, Found, KeyUse};

rule! {
    name: "empty-key",
    code: "K20",
    severity: Error,
    group: Keys,
    summary: "a part of a key that may be the empty string",
    why: "DynamoDB refuses an item whose key attribute is empty, and then the write fails for the one user who left
the box blank. Inside a longer key an empty part is taken: `CATEGORY##…` puts everything without a category under a
category of its own, which every list by category shows.

Declare the least length: `string(1..50)`. What may be missing is optional, `string(1..50)?`, and belongs in an index,
which leaves out items that do not have it.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut fields: BTreeMap<(EntityId, FieldId), Vec<&KeyUse<'_>>> = BTreeMap::new();
    for key in context.written_keys() {
        for (_, id, part) in key.template.field_parts() {
            let kind = context.field(key.entity, id).kind();
            let may_be_empty = matches!(kind, FieldType::String(length) | FieldType::Binary(length) if length.min == 0);
            if may_be_empty && part.encodings.shard.is_none() {
                fields.entry((key.entity, id)).or_default().push(key);
            }
        }
    }
    for ((entity, id), keys) in fields {
        if let Some(first) = keys.first() {
            report(context, context.field(entity, id), id, first, &keys, found);
        }
    }
}

fn report(
    context: &Context<'_>,
    field: &Field,
    id: FieldId,
    first: &KeyUse<'_>,
    keys: &[&KeyUse<'_>],
    found: &mut Found,
) {
    let refused = keys
        .iter()
        .find(|key| key.template.template.pieces.len() == 1);
    let harm = match refused {
        Some(key) => format!(
            "is all of the key `{}`, which DynamoDB refuses when it is empty",
            key.attribute.name
        ),
        None => format!(
            "is part of {}: all items without a value come under one key",
            context.name_of(first)
        ),
    };
    let mut diagnostic = RULE
        .at(
            field.written.content(),
            format!("`{}` may be the empty string and {harm}", field.name),
        )
        .label("allows no character at all");
    for key in keys.iter().take(3) {
        if let Some(span) = field_span(key.template, id) {
            diagnostic = diagnostic.related(span, "in a key");
        }
    }
    let wanted = match field.kind() {
        FieldType::Binary(length) => FieldType::Binary(at_least_one(length)),
        FieldType::String(length) => FieldType::String(at_least_one(length)),
        other => other.clone(),
    }
    .to_string();
    diagnostic = diagnostic.help(format!(
        "write `{wanted}`; what may be missing is optional, and in no primary key"
    ));
    let place = type_text(&field.written.value).and_then(|part| editable(&field.written, part));
    if let Some(place) = place {
        diagnostic = diagnostic.fix("require a character", place, wanted);
    }
    found.report(&context.subjects_of(first), diagnostic);
}

fn at_least_one(length: &Length) -> Length {
    Length {
        min: 1,
        max: length.max,
    }
}

/// The type without what follows it: `string(..50)` of `string(..50)? = x`.
fn type_text(written: &str) -> Option<Range<usize>> {
    let start = written.len() - written.trim_start().len();
    let word = written[start..].find(|c: char| !c.is_ascii_alphabetic());
    let end = word.map_or(written.len(), |word| start + word);
    let rest = &written[end..];
    if rest.trim_start().starts_with('(') {
        return Some(start..end + rest.find(')')? + 1);
    }
    Some(start..end)
}
