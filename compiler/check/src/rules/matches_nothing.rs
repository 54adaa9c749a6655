//! A key condition whose value is no stored key.

use std::cmp::Ordering;

use tablewright_keys::{Piece, algebra};
use tablewright_model::model::{Access, KeyTemplate};
use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::{Alignment, HandOperand, HandPlan, HandTest};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "matches-nothing",
    code: "K28",
    severity: Error,
    group: Keys,
    summary: "a key condition whose value is never stored: another prefix, a misspelt one, or more than the key has",
    why: "DynamoDB compares texts and knows no templates. A query for `USER#42` in a table that stores `CUSTOMER#42` is correct, gives an
empty list and never an error: the page says that there are no orders, and a test that expects none passes.

Write the value as the key is written, with its prefix and its parts in their order. Leave `condition` and `values` out and the planner
writes them from the key itself.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        if !plan.faults.is_empty() {
            continue;
        }
        for test in plan.partition.iter().chain(&plan.sort) {
            let never = test
                .values
                .first()
                .filter(|operand| is_never(&test.test, operand))
                .or_else(|| bound_beyond(test));
            if let Some(operand) = never {
                report(context, (position, access), plan, (test, operand), found);
            }
        }
    }
}

/// Whether no stored key is the value, or begins with it. A bound of a range may be any text, and a value that is only the
/// beginning of a key has a rule of its own.
fn is_never(test: &KeyTest, operand: &HandOperand) -> bool {
    if operand.fits_another {
        return false;
    }
    // Whatever it looks like, the texts decide: another field may give the same, and a word in a field's place none of its own.
    let (value, stored) = (&operand.value.typed, &operand.stored.typed);
    match (test, &operand.alignment) {
        (KeyTest::Equals(_), Alignment::Prefix { .. }) => false,
        (_, Alignment::Skips { .. } | Alignment::OtherForm { .. }) => false,
        (KeyTest::Equals(_), _) => algebra::can_be_equal(value, stored).is_none(),
        (KeyTest::BeginsWith(_), _) => !algebra::prefix_can_match(value, stored),
        _ => false,
    }
}

/// The bound of a range that lies beyond everything stored: its fixed beginning is another one than the stored keys'.
fn bound_beyond(test: &HandTest) -> Option<&HandOperand> {
    let side = |operand: &HandOperand| {
        let (value, stored) = (operand.value.prefix(), operand.stored.prefix());
        let unlike = value
            .chars()
            .zip(stored.chars())
            .find(|(mine, theirs)| mine != theirs);
        unlike.map(|(mine, theirs)| mine.cmp(&theirs))
    };
    let beyond = |operand: &&HandOperand, which: Ordering| {
        !operand.fits_another && side(operand) == Some(which)
    };
    let (first, last) = (test.values.first()?, test.values.last()?);
    match test.test {
        KeyTest::Greater(_) | KeyTest::GreaterOrEqual(_) => {
            Some(first).filter(|it| beyond(it, Ordering::Greater))
        }
        KeyTest::Less(_) | KeyTest::LessOrEqual(_) => {
            Some(first).filter(|it| beyond(it, Ordering::Less))
        }
        KeyTest::Between(..) => Some(first)
            .filter(|it| beyond(it, Ordering::Greater))
            .or_else(|| Some(last).filter(|it| beyond(it, Ordering::Less))),
        KeyTest::Equals(_) | KeyTest::BeginsWith(_) => None,
    }
}

fn report(
    context: &Context<'_>,
    (position, access): (usize, &Access),
    plan: &HandPlan,
    (test, operand): (&HandTest, &HandOperand),
    found: &mut Found,
) {
    let names: Vec<&str> = plan
        .entities
        .iter()
        .map(|id| context.model.entity(*id).name.as_str())
        .collect();
    let begins = matches!(test.test, KeyTest::BeginsWith(_));
    let is_low = test
        .values
        .first()
        .is_some_and(|first| first.name == operand.name);
    let is = match test.test {
        KeyTest::BeginsWith(_) => "begins with",
        KeyTest::Equals(_) => "is",
        KeyTest::Less(_) | KeyTest::LessOrEqual(_) => "lies below",
        KeyTest::Between(..) if !is_low => "lies below",
        _ => "lies above",
    };
    let (label, instead) = match operand.alignment {
        Alignment::Longer => ("goes on where the key has ended", None),
        _ => (
            "never stored",
            begins.then(|| beginning(access, &operand.stored)),
        ),
    };
    let instead = instead.unwrap_or_else(|| operand.stored.to_string());
    let diagnostic = RULE
        .at(
            operand.value.written.content(),
            format!(
                "`{}` matches nothing: no `{}` of {} {is} `{}`",
                access.name,
                test.attribute,
                names.join(" or "),
                operand.value
            ),
        )
        .label(label)
        .related(test.span, "asked here")
        .related(operand.stored.written.content(), "what is stored")
        .help(match test.test {
            KeyTest::Equals(_) | KeyTest::BeginsWith(_) => {
                format!("write {} = \"{instead}\"", operand.name)
            }
            _ => format!(
                "begin {} as the keys do, with \"{}\"",
                operand.name,
                operand.stored.prefix()
            ),
        });
    found.report(&[Subject::Access(position)], diagnostic);
}

/// The beginning of the stored key that the caller knows, up to the first field it does not.
fn beginning(access: &Access, stored: &KeyTemplate) -> String {
    let known = |part: Option<_>| part.is_none_or(|id| access.by.iter().any(|by| by.id == id));
    let pieces = stored.template.pieces.iter().zip(&stored.parts);
    pieces
        .take_while(|(_, part)| known(**part))
        .map(|(piece, _)| match piece {
            Piece::Literal { text, .. } => text.clone(),
            Piece::Field(field) => format!("{{{}{}}}", field.name, field.encodings),
        })
        .collect()
}
