//! `begins_with` not closed by the delimiter.

use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::Alignment;
use tablewright_plan::is_prefix_free;

use crate::key_space::editable;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "open-prefix",
    code: "K02",
    severity: Error,
    group: Keys,
    summary: "`begins_with` that is not closed by the delimiter: `USER#1` also finds `USER#10`",
    why: "A prefix that ends in a value finds every value that begins with the same text. With user ids `1` and `10` the
second user's items are given to the first: it shows only once ids grow long enough, and then it is a leak.

Close the prefix with the delimiter that follows the value in the key. A value of fixed width (a date, a ULID, a padded number)
closes itself.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let Some(sort) = &plan.sort else {
            continue;
        };
        let KeyTest::BeginsWith(_) = sort.test else {
            continue;
        };
        for operand in &sort.values {
            let Alignment::Prefix {
                closed: false,
                last_field: Some(field),
                rest_of_literal,
                ..
            } = &operand.alignment
            else {
                continue;
            };
            let part = operand.value.field_parts().find(|(_, id, _)| id == field);
            let Some((piece, _, reference)) = part else {
                continue;
            };
            if let Some(tablewright_keys::TypedPiece::Field {
                shape, encodings, ..
            }) = operand.value.typed.pieces.get(piece)
                && is_prefix_free(shape, encodings)
            {
                continue;
            }
            let value = &operand.value.written;
            let end = value.value.len();
            let mut diagnostic = RULE
                .at(
                    operand.value.span_of(reference),
                    format!(
                        "the prefix of `{}` ends in `{}` and is not closed: it also finds values that only begin with it",
                        access.name, reference.name
                    ),
                )
                .label("other values begin with this one")
                .related(operand.stored.written.content(), "what is stored")
                .help(format!("close it: \"{value}{rest_of_literal}\""));
            if let Some(end) = editable(value, end..end) {
                diagnostic = diagnostic.fix("close the prefix", end, rest_of_literal.clone());
            }
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}
