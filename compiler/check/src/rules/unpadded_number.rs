//! A number in a text key that does not sort as a number.

use tablewright_keys::{FieldRef, Shape, fits_width};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Field, KeyKind};
use tablewright_plan::is_prefix_free;

use crate::key_space::{TextAttributes, editable};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "unpadded-number",
    code: "K05",
    severity: Error,
    group: Keys,
    summary: "a number in a text sort key without a width that keeps its order",
    why: "Text is compared character by character: `10` sorts before `9`, `-1` before `-2`, `10.5` before `9`. Lists come in
the wrong order and ranges leave items out, and it does not show before the numbers get another digit.

Pad whole numbers to the width of the greatest, `{points:06}`; store negative ones with an offset, and fractions as
whole numbers of the smaller unit (cents, milligrams). A sort key that is nothing but the number can be a number itself:
`sort_key = \"points: number\"`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let text = TextAttributes::of(context);
    for key in context.written_keys() {
        // A partition and a guard are only ever compared for equality: there a number must fit its width, if it has one.
        let is_sorted = key.role == KeyRole::Sort && !matches!(key.place, KeyPlace::Guard(_));
        // A number that clashes with text has a rule of its own.
        if key.attribute.kind != KeyKind::String || text.clash_with(context, key) {
            continue;
        }
        for (_, id, part) in key.template.field_parts() {
            let field = context.field(key.entity, id);
            let must_fit = is_sorted || part.encodings.pad.is_some();
            if field.kind().is_number() && part.encodings.shard.is_none() && must_fit {
                report(context, key, is_sorted, field, part, found);
            }
        }
    }
}

fn report(
    context: &Context<'_>,
    key: &KeyUse<'_>,
    is_sorted: bool,
    field: &Field,
    part: &FieldRef,
    found: &mut Found,
) {
    let Some((why, help, width)) = problem(field, part) else {
        return;
    };
    let (why, label) = match is_sorted {
        true => (why, "does not sort as a number"),
        false => (
            "does not fit its width: what is negative or longer cannot be stored",
            "cannot always be written",
        ),
    };
    let mut diagnostic = RULE
        .at(
            key.template.span_of(part),
            format!("`{}` in {} {why}", part.name, context.name_of(key)),
        )
        .label(label)
        .related(field.written.content(), "declared here")
        .help(help);
    if let Some(width) = width {
        let written = &key.template.written;
        let encodings = part.name_span.end..part.span.end.saturating_sub(1);
        let pad = part.encodings.pad.map(|pad| format!(":0{pad}"));
        let old = pad.and_then(|pad| {
            let at = encodings.start + written.value.get(encodings.clone())?.find(&pad)?;
            Some(at..at + pad.len())
        });
        let place = old.unwrap_or(encodings.start..encodings.start);
        // A request by hand spells the old form: what it gives would have to change with the key.
        let by_hand = context.by_hand().any(|(_, access, _)| {
            let values = access.by_hand.iter().flat_map(|by_hand| &by_hand.values);
            let mut names = values.flat_map(|value| value.value.parts.iter().flatten());
            access.verb.entity().id == key.entity
                && names.any(|id| context.field(key.entity, *id).name == field.name)
        });
        if let Some(place) = editable(written, place).filter(|_| !by_hand) {
            diagnostic = diagnostic.fix("pad it", place, format!(":0{width}"));
        }
    }
    found.report(&context.subjects_of(key), diagnostic);
}

/// What is wrong, what to write, and the width that mends it.
fn problem(field: &Field, part: &FieldRef) -> Option<(&'static str, String, Option<usize>)> {
    let name = &field.name;
    let (min, max, enough) = match field.kind() {
        FieldType::Decimal => {
            return Some((
                "has a fraction: as text `10.5` sorts before `9`",
                format!(
                    "keep `{name}` as a whole number of its smallest unit and pad it, or let it be a number key alone: \
                     \"{name}: number\" with \"{{{name}}}\""
                ),
                None,
            ));
        }
        // Ten and thirteen digits last until the year 2286.
        FieldType::EpochSeconds => (Some(0), Some(9_999_999_999), 12),
        FieldType::EpochMillis => (Some(0), Some(9_999_999_999_999), 15),
        FieldType::Int { min, max } => (*min, *max, digits(max.unwrap_or(i64::MAX))),
        _ => return None,
    };
    if min.is_some_and(|min| min < 0) {
        return Some((
            "may be negative: as text `-1` sorts before `-2`, whatever the width",
            format!(
                "store `{name}` with an offset that makes it positive, or let it be a number key alone: \
                 \"{name}: number\" with \"{{{name}}}\""
            ),
            None,
        ));
    }
    let declared = Shape::Integer {
        min: min.unwrap_or(0),
        max: max.unwrap_or(0),
    };
    let width = (min.is_some() && max.is_some()).then_some(enough);
    let write = match width {
        Some(width) => format!("pad it to {width} digits: \"{{{name}:0{width}}}\""),
        None => format!(
            "say how great `{name}` can be, such as `int(0..999999)`, and pad it to that: \"{{{name}:06}}\""
        ),
    };
    match part.encodings.pad {
        // Numbers of one length sort as they are.
        None if width.is_some() && is_prefix_free(&declared, &part.encodings) => None,
        None => Some((
            "is a number without a width: as text `10` sorts before `9`",
            write,
            width,
        )),
        Some(_) if fits_width(&declared, &part.encodings) => None,
        Some(_) => Some((
            "is padded to fewer digits than it can have: longer numbers cannot be written, or sort wrongly",
            write,
            width,
        )),
    }
}

fn digits(number: i64) -> usize {
    number.to_string().len()
}
