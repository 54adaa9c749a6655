//! `=` on a beginning of a composite key.

use tablewright_model::Span;
use tablewright_model::model::{ByHand, Request};
use tablewright_plan::expression::{KeyTerm, KeyTest, parse_key_condition};
use tablewright_plan::hand::{Alignment, HandOperand, HandTest};

use crate::key_space::editable;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "equality-on-prefix",
    code: "K01",
    severity: Error,
    group: Keys,
    summary: "`=` on a beginning of a composite key, which matches nothing",
    why: "`=` compares the whole key. `STATUS#open#` is only the beginning of `STATUS#open#task-1`, so the query gives an empty
list, never an error: it looks as if there were no data, and a test on an empty table passes.

Ask for the beginning with `begins_with`, closed by the delimiter, or give the whole key.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let Some(by_hand) = &access.by_hand else {
            continue;
        };
        let sort = plan.sort.iter().map(|test| (test, true));
        let tests = sort.chain(plan.partition.iter().map(|test| (test, false)));
        for (test, of_sort) in tests {
            let KeyTest::Equals(_) = test.test else {
                continue;
            };
            let Some(operand) = test.values.first() else {
                continue;
            };
            let Alignment::Prefix {
                closed,
                rest_of_literal,
                ..
            } = &operand.alignment
            else {
                continue;
            };
            let missing = if *closed { "" } else { rest_of_literal };
            let mut diagnostic = RULE
                .at(
                    test.span,
                    format!(
                        "`{}` matches nothing: `{}` is only the beginning of what `{}` holds",
                        access.name, operand.value, test.attribute
                    ),
                )
                .label("compares the whole key")
                .related(operand.value.written.content(), "a beginning")
                .related(operand.stored.written.content(), "what is stored");
            // Only a query can ask for the beginning of a sort key.
            let term = term_of(by_hand, test).filter(|_| of_sort && plan.request == Request::Query);
            diagnostic = match term {
                Some(term) => {
                    let begins = format!("begins_with({}, {})", term.attribute.text, operand.name);
                    let help = format!(
                        "write `{begins}`, where {} = \"{}{missing}\"",
                        operand.name, operand.value
                    );
                    let diagnostic = diagnostic.help(help);
                    match places(by_hand, &term, operand) {
                        Some((place, _)) if missing.is_empty() => {
                            diagnostic.fix("ask for the beginning", place, begins)
                        }
                        Some((place, end)) => diagnostic
                            .fix("ask for the beginning", place, begins)
                            .fix("", end, missing),
                        None => diagnostic,
                    }
                }
                None => diagnostic.help(format!(
                    "give the whole key: {} = \"{}\"",
                    operand.name, operand.stored
                )),
            };
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

/// The test as the condition has it, with its attribute by name or by alias.
fn term_of(by_hand: &ByHand, test: &HandTest) -> Option<KeyTerm> {
    let condition = parse_key_condition(by_hand.condition.as_ref()?.as_str()).ok()?;
    condition
        .terms
        .into_iter()
        .find(|term| term.test == test.test)
}

/// Where the test stands and where its value ends, if both can be edited.
fn places(by_hand: &ByHand, term: &KeyTerm, operand: &HandOperand) -> Option<(Span, Span)> {
    let value = &operand.value.written;
    let end = value.value.len();
    let place = editable(by_hand.condition.as_ref()?, term.span.clone())?;
    Some((place, editable(value, end..end)?))
}
