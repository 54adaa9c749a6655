//! An e-mail address or a user name in a key, and nothing says what upper and lower case mean.

use std::collections::HashSet;

use tablewright_keys::FieldRef;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, Field, FieldId, IndexId, KeyTemplate, TableId};

use crate::key_space::{editable, is_natural};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyUse};

rule! {
    name: "case-sensitive-key",
    code: "K16",
    severity: Warning,
    group: Keys,
    summary: "an e-mail address or a user name in a key, and nothing says what upper and lower case mean",
    why: "Keys are compared byte by byte: `Ann@example.org` and `ann@example.org` are two keys. A person who signs up with one spelling
and signs in with the other is not found, and a guard of uniqueness lets both in. People and mail programs change the case without
asking.

Put the value into the key in lower case, `{email:lower}`: it is stored as it was written and found in any spelling. Where values
arrive in lower case already, or where case does tell two apart, declare it: `case = { email = \"lower\" }` or `\"exact\"` in the
facts of the entity.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    // A field may stand in both halves of a key; that is one mistake, mended in both.
    let mut known: Option<(EntityId, KeyPlace<'_>, FieldId)> = None;
    // Requests by hand spell the key themselves: what they give would have to change with it.
    let by_hand: HashSet<(TableId, Option<IndexId>)> = context
        .by_hand()
        .map(|(_, _, plan)| (plan.place.table, plan.place.index))
        .collect();
    for key in context.written_keys() {
        let entity = context.model.entity(key.entity);
        for (_, id, part) in key.template.field_parts() {
            let place = (key.entity, key.place, id);
            if entity.has_open_case(id) && is_as_written(part) && known != Some(place) {
                known = Some(place);
                report(
                    context,
                    key,
                    id,
                    by_hand.contains(&place_of(context, key)),
                    found,
                );
            }
        }
    }
}

/// Whether a part holds a value as it is written.
fn is_as_written(part: &FieldRef) -> bool {
    !part.encodings.lower && part.encodings.shard.is_none()
}

fn report(context: &Context<'_>, key: &KeyUse<'_>, id: FieldId, by_hand: bool, found: &mut Found) {
    let entity = context.model.entity(key.entity);
    let field = entity.field(id);
    let parts: Vec<(&KeyTemplate, &FieldRef)> = key
        .key
        .templates()
        .flat_map(|template| template.field_parts().map(move |part| (template, part)))
        .filter(|(_, (_, own, part))| *own == id && is_as_written(part))
        .map(|(template, (_, _, part))| (template, part))
        .collect();
    let Some((template, first)) = parts.first() else {
        return;
    };
    let effect = match key.place {
        KeyPlace::Guard(_) => "two spellings of one value are both let in",
        _ => "one value is found in one spelling only",
    };
    let lowered = |part: &FieldRef| format!("{{{}:lower{}}}", part.name, part.encodings);
    let mut diagnostic = RULE
        .at(
            template.span_of(first),
            format!(
                "{} holds `{}` as people spell it, and a key tells `Ann` from `ann`: {effect}",
                context.name_of(key),
                field.name
            ),
        )
        .label("compared byte by byte")
        .related(field.written.content(), what_it_is(field))
        .help(help(key, field, &lowered(first), by_hand));
    if !is_natural(key, field.name.as_str()) && !by_hand {
        let edits = parts.iter().map(|(template, part)| {
            let place = editable(&template.written, part.span.clone());
            place.map(|span| (span, lowered(part)))
        });
        let edits: Option<Vec<_>> = edits.collect();
        for (span, text) in edits.into_iter().flatten() {
            diagnostic = diagnostic.fix("compare it in lower case", span, text);
        }
    }
    found.report(&context.subjects_of(key), diagnostic);
}

fn what_it_is(field: &Field) -> &'static str {
    match field.kind() {
        FieldType::Email => "an address, in any spelling",
        _ => "text, in any spelling",
    }
}

/// The table or index a key is of; a guard lies in the table.
fn place_of(context: &Context<'_>, key: &KeyUse<'_>) -> (TableId, Option<IndexId>) {
    let index = match key.place {
        KeyPlace::Index(index) => Some(index),
        KeyPlace::Table | KeyPlace::Guard(_) => None,
    };
    (context.model.entity(key.entity).table, index)
}

fn help(key: &KeyUse<'_>, field: &Field, lowered: &str, by_hand_too: bool) -> String {
    let name = &field.name;
    let declare = format!(
        "if every value arrives in lower case, or case tells two apart, say so in the facts: case = {{ {name} = \"lower\" }} or \"exact\""
    );
    if is_natural(key, name.as_str()) {
        return format!("store it in lower case; {declare}");
    }
    let too = if by_hand_too {
        ", and in the values of requests by hand"
    } else {
        ""
    };
    format!("write it in lower case: {lowered}{too}; {declare}")
}
