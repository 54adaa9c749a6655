//! An upper bound that stops before what is stored under it.

use tablewright_keys::{TypedPiece, algebra};
use tablewright_model::model::{Access, Ends};
use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::{Alignment, HandOperand};
use tablewright_plan::is_prefix_free;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "range-end-lost",
    code: "K09",
    severity: Error,
    group: Keys,
    summary: "an upper bound coarser than what is stored: the last day or second is dropped",
    why: "A longer text sorts after its own beginning: `DUE#2024-01-31#task-1` is greater than `DUE#2024-01-31#`. A range up to
`DUE#2024-01-31#` ends before the first item of that day, so the end the caller asked for is never there. The other days are, which
is why tests with one day in the middle pass.

Bound the range above everything that begins with the end value. The planner does: leave `condition` out and let it write the range.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let Some(sort) = plan.sort.as_ref().filter(|_| includes_its_end(access)) else {
            continue;
        };
        let upper = match sort.test {
            KeyTest::Between(..) => sort.values.get(1),
            KeyTest::LessOrEqual(_) => sort.values.first(),
            _ => None,
        };
        let Some(operand) = upper.filter(|operand| is_end_value(operand)) else {
            continue;
        };
        let ends = match sort.test {
            KeyTest::Between(..) => Ends::Both,
            _ => Ends::Until,
        };
        let help = context.planned_range(access, operand, ends).unwrap_or_else(|| {
            format!(
                "bound it above every key that begins with `{}`, or below the value after the end",
                operand.value
            )
        });
        let diagnostic = RULE
            .at(
                operand.value.written.content(),
                format!(
                    "the range of `{}` drops its end: every key stored under `{}` is longer, and sorts above it",
                    access.name, operand.value
                ),
            )
            .label("ends before the first key of the end value")
            .related(operand.stored.written.content(), "what is stored")
            .related(sort.span, "the range")
            .help(help);
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn includes_its_end(access: &Access) -> bool {
    let ends = access.range.as_ref().map(|range| range.ends);
    matches!(ends, None | Some(Ends::Both | Ends::Until))
}

/// Whether the bound is the beginning of keys that belong to the range. A fixed text past every value, such as `DUE#~`, is not.
fn is_end_value(operand: &HandOperand) -> bool {
    let Alignment::Prefix {
        last_field: Some(field),
        ..
    } = operand.alignment
    else {
        return false;
    };
    if operand.value.has(field) {
        return true;
    }
    let position = operand
        .stored
        .parts
        .iter()
        .position(|part| *part == Some(field));
    let piece = position.and_then(|position| operand.stored.typed.pieces.get(position));
    let one_width = matches!(
        piece,
        Some(TypedPiece::Field { shape, encodings, .. }) if is_prefix_free(shape, encodings)
    );
    one_width && algebra::prefix_can_match(&operand.value.typed, &operand.stored.typed)
}
