//! Which texts a piece can have, encodings included: the same set that rendering gives.

use std::collections::HashMap;

use super::graph::Graph;
use super::part::{Count, Part};
use crate::encode::rank_width;
use crate::{CharSet, Encodings, Shape, TypedPiece, escape, form, lower, shard, unsupported};

pub(crate) fn part_of(piece: &TypedPiece) -> Part {
    match piece {
        TypedPiece::Literal(text) => words(&[text]),
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => field(shape, encodings, *escaped),
    }
}

fn field(shape: &Shape, encodings: &Encodings, escaped: bool) -> Part {
    if unsupported(shape, encodings).is_some() || has_no_value(shape) {
        return Part::nothing();
    }
    if let Some(shards) = encodings.shard {
        let width = shard::width_of(shards);
        return number(
            &"0".repeat(width),
            &format!("{:0width$}", shards.saturating_sub(1)),
        );
    }
    match shape {
        Shape::Text { chars, min, max } => {
            let chars = if encodings.lower {
                lower::lowered(chars)
            } else {
                chars.clone()
            };
            text(
                &chars,
                Count {
                    min: *min,
                    max: *max,
                },
                escaped,
            )
        }
        Shape::OneOf(spellings) if encodings.rank => {
            // The opposites of all ranks are all ranks, so `desc` makes no difference to the set.
            let width = rank_width(spellings.len());
            number(
                &"0".repeat(width),
                &format!("{:0width$}", spellings.len() - 1),
            )
        }
        Shape::OneOf(spellings) if escaped => {
            let escaped: Vec<_> = spellings.iter().map(|spelling| escape(spelling)).collect();
            words(&escaped)
        }
        Shape::OneOf(spellings) => words(spellings),
        Shape::Integer { min, max } => match encodings.pad {
            Some(width) => padded_integers(*min, *max, usize::from(width), encodings.desc),
            None => plain_integers(*min, *max),
        },
        Shape::UnevenTimestamp => uneven_timestamps(),
        Shape::Decimal => decimals(),
        Shape::Date | Shape::Timestamp(_) | Shape::Ulid | Shape::Uuid => {
            let mut graph = Graph::default();
            let start = graph.node();
            let form = form::fixed_form(shape).unwrap_or_default();
            let end = graph.form(start, &form, encodings.desc);
            graph.accept(end)
        }
    }
}

fn has_no_value(shape: &Shape) -> bool {
    match shape {
        Shape::Text { chars, min, max } => {
            max.is_some_and(|max| *min > max) || (chars.is_empty() && *min > 0)
        }
        Shape::OneOf(spellings) => spellings.is_empty(),
        Shape::Integer { min, max } => min > max,
        _ => false,
    }
}

/// A trie, so that words that share a beginning share its states.
fn words(words: &[impl AsRef<str>]) -> Part {
    let mut graph = Graph::default();
    graph.node();
    let mut children: HashMap<(u32, char), u32> = HashMap::new();
    for word in words {
        let mut at = 0;
        for c in word.as_ref().chars() {
            at = match children.get(&(at, c)) {
                Some(&child) => child,
                None => {
                    let child = graph.node();
                    graph.edge(at, CharSet::single(c), child);
                    children.insert((at, c), child);
                    child
                }
            };
        }
        graph.mark_accepting(at);
    }
    graph.part()
}

fn text(chars: &CharSet, count: Count, escaped: bool) -> Part {
    let mut graph = Graph::default();
    let between = graph.node();
    if escaped {
        graph.escaped_character(between, chars);
    } else {
        graph.edge(between, chars.clone(), between);
    }
    graph.counted(count)
}

/// Padded integers are those texts of the width that lie between the padded bounds.
fn padded_integers(min: i64, max: i64, width: usize, desc: bool) -> Part {
    let low = min.max(0).to_string();
    if max < 0 || low.len() > width {
        return Part::nothing();
    }
    let low = format!("{low:0>width$}");
    let high = max.to_string();
    let high = if high.len() > width {
        "9".repeat(width)
    } else {
        format!("{high:0>width$}")
    };
    if desc {
        number(
            &form::complement_digits(&high),
            &form::complement_digits(&low),
        )
    } else {
        number(&low, &high)
    }
}

/// The numbers between two of the same width, padded to it.
fn number(low: &str, high: &str) -> Part {
    let mut graph = Graph::default();
    let start = graph.node();
    let end = graph.number(start, low, high);
    graph.accept(end)
}

fn plain_integers(min: i64, max: i64) -> Part {
    let mut graph = Graph::default();
    let start = graph.node();
    if max >= 0 {
        graph.plain_numbers(start, min.max(0).unsigned_abs(), max.unsigned_abs());
    }
    if min < 0 {
        let minus = graph.node();
        graph.edge(start, CharSet::single('-'), minus);
        graph.plain_numbers(minus, max.min(-1).unsigned_abs(), min.unsigned_abs());
    }
    graph.part()
}

fn uneven_timestamps() -> Part {
    let mut graph = Graph::default();
    let start = graph.node();
    let seconds = graph.form(start, &form::date_and_time(), false);
    let end = graph.node();
    graph.edge(seconds, CharSet::single('Z'), end);
    let mut at = graph.node();
    graph.edge(seconds, CharSet::single('.'), at);
    for _ in 1..=9 {
        let digit = graph.node();
        graph.edge(at, digits('0', '9'), digit);
        graph.edge(digit, CharSet::single('Z'), end);
        at = digit;
    }
    graph.accept(end)
}

/// `-0` is no number, and neither is a fraction that ends in zero.
fn decimals() -> Part {
    let mut graph = Graph::default();
    let [start, minus, zero, minus_zero, whole, zeros, fraction] = [(); 7].map(|()| graph.node());
    graph.edge(start, CharSet::single('-'), minus);
    graph.edge(start, CharSet::single('0'), zero);
    graph.edge(minus, CharSet::single('0'), minus_zero);
    for before_whole in [start, minus] {
        graph.edge(before_whole, digits('1', '9'), whole);
    }
    graph.edge(whole, digits('0', '9'), whole);
    for before_point in [zero, minus_zero, whole] {
        graph.edge(before_point, CharSet::single('.'), zeros);
    }
    for in_fraction in [zeros, fraction] {
        graph.edge(in_fraction, CharSet::single('0'), zeros);
        graph.edge(in_fraction, digits('1', '9'), fraction);
    }
    for end in [zero, whole, fraction] {
        graph.mark_accepting(end);
    }
    graph.part()
}

fn digits(low: char, high: char) -> CharSet {
    CharSet::ranges([low..=high])
}
