//! How far a query reaches in its partition.

use tablewright_keys::{TypedPiece, TypedTemplate};
use tablewright_plan::SortTest;
use tablewright_plan::expression::KeyTest;

use crate::Context;
use crate::asked::{Asked, Origin};
use crate::neighbours::leading_literal;

/// What a query can find in a partition.
pub(super) enum Reach {
    All,
    One(TypedTemplate),
    BeginningWith(TypedTemplate),
}

/// The partition and what is found in it.
pub(super) fn reach(context: &Context<'_>, asked: &Asked<'_>) -> Option<(TypedTemplate, Reach)> {
    match &asked.origin {
        Origin::Planned(plan) => {
            let reach = match &plan.sort {
                SortTest::Equals(text) => Reach::One(text.typed()),
                SortTest::BeginsWith(text) => Reach::BeginningWith(text.typed()),
                SortTest::Between(low, high) if !plan.sort_is_number => {
                    between(&low.typed(), &high.typed())
                }
                _ => Reach::All,
            };
            Some((plan.partition.typed(), reach))
        }
        Origin::ByHand(plan) => {
            let partition = plan.partition.as_ref()?.values.first()?.value.typed.clone();
            let Some(sort) = &plan.sort else {
                return Some((partition, Reach::All));
            };
            let first = &sort.values.first()?.value.typed;
            let reach = match &sort.test {
                _ if !context.sorts_text(asked.place) => Reach::All,
                KeyTest::Equals(_) => Reach::One(first.clone()),
                KeyTest::BeginsWith(_) => Reach::BeginningWith(first.clone()),
                KeyTest::Between(..) => between(first, &sort.values.get(1)?.value.typed),
                // What lies beyond the prefix on the open side is for `range-sweeps` to tell.
                _ => between(first, first),
            };
            Some((partition, reach))
        }
    }
}

/// A range finds what begins as both its ends do.
fn between(low: &TypedTemplate, high: &TypedTemplate) -> Reach {
    let (low, high) = (leading_literal(low), leading_literal(high));
    let shared: String = low
        .chars()
        .zip(high.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a)
        .collect();
    match shared.is_empty() {
        true => Reach::All,
        false => Reach::BeginningWith(TypedTemplate {
            pieces: vec![TypedPiece::Literal(shared)],
        }),
    }
}
