//! `=` on a beginning of a composite key.

use tablewright_model::model::{ByHand, Request};
use tablewright_plan::expression::{KeyTest, parse_key_condition};
use tablewright_plan::hand::{Alignment, HandOperand, HandTest};

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
            let term = name_as_written(by_hand, test)
                .filter(|_| of_sort && plan.request == Request::Query)
                .map(|name| format!("begins_with({name}, {})", operand.name));
            diagnostic = match term {
                Some(term) => {
                    let help = format!(
                        "write `{term}`, where {} = \"{}{missing}\"",
                        operand.name, operand.value
                    );
                    let diagnostic = diagnostic.help(help).fix("ask for the beginning", test.span, term);
                    close(diagnostic, operand, missing)
                }
                None => diagnostic.help(format!("give the whole key: {} = \"{}\"", operand.name, operand.stored)),
            };
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

/// The attribute as the condition names it: by itself or by an alias.
fn name_as_written(by_hand: &ByHand, test: &HandTest) -> Option<String> {
    let condition = parse_key_condition(by_hand.condition.as_ref()?.as_str()).ok()?;
    let term = condition.terms.into_iter().find(|term| term.test == test.test)?;
    Some(term.attribute.text)
}

/// A prefix that ends in a value is closed as well.
fn close(
    diagnostic: tablewright_model::Diagnostic,
    operand: &HandOperand,
    missing: &str,
) -> tablewright_model::Diagnostic {
    if missing.is_empty() {
        return diagnostic;
    }
    let value = &operand.value.written;
    let end = value.at(value.value.len()..value.value.len());
    diagnostic.fix("", end, missing)
}
