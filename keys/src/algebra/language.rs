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
            let end = graph.form(start, form, encodings.desc);
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
    let seconds = graph.form(start, &form::DATE_AND_TIME, false);
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

#[cfg(test)]
mod tests {
    use super::super::part::Spot;
    use super::*;
    use crate::{Precision, Template};

    fn part(template: &str, shape: Shape) -> Part {
        let typed = Template::parse(template)
            .unwrap()
            .typed(|_| Some(shape.clone()))
            .unwrap();
        part_of(&typed.pieces[0])
    }

    fn accepts(part: &Part, text: &str) -> bool {
        let step = |at: Spot, c| {
            part.steps(at)
                .find(|(on, _)| on.contains(c))
                .map(|(_, to)| to)
        };
        text.chars()
            .try_fold(Part::START, step)
            .is_some_and(|end| part.accepts(end))
    }

    /// All texts of a part up to a length.
    fn texts(part: &Part, up_to: usize) -> Vec<String> {
        let mut all = Vec::new();
        let mut here = vec![(String::new(), Part::START)];
        for _ in 0..=up_to {
            all.extend(
                here.iter()
                    .filter(|(_, at)| part.accepts(*at))
                    .map(|(text, _)| text.clone()),
            );
            let longer = here.iter().flat_map(|(text, at)| {
                let steps = part.steps(*at);
                steps.flat_map(move |(on, to)| {
                    on.as_ranges()
                        .flatten()
                        .map(move |c| (format!("{text}{c}"), to))
                })
            });
            here = longer.collect();
        }
        all
    }

    #[test]
    fn integers_are_exactly_those_of_the_range() {
        let integer = |min, max| Shape::Integer { min, max };
        assert_eq!(
            texts(&part("{n}", integer(-1, 2)), 5),
            ["0", "1", "2", "-1"]
        );
        assert_eq!(
            texts(&part("{n}", integer(8, 11)), 5),
            ["8", "9", "10", "11"]
        );
        assert_eq!(
            texts(&part("{n:03}", integer(8, 11)), 5),
            ["008", "009", "010", "011"]
        );
        assert_eq!(
            texts(&part("{n:02:desc}", integer(0, 2)), 5),
            ["97", "98", "99"]
        );
        assert_eq!(texts(&part("{n:01}", integer(-5, 100)), 5).len(), 10);
        assert!(part("{n:01}", integer(10, 100)).has_no_text());
        let all = part("{n}", integer(i64::MIN, i64::MAX));
        assert!(accepts(&all, "-9223372036854775808") && accepts(&all, "9223372036854775807"));
        assert!(!accepts(&all, "-9223372036854775809") && !accepts(&all, "9223372036854775808"));
    }

    #[test]
    fn ranks_and_shards_are_numbers_below_their_count() {
        let three = Shape::OneOf(["a", "b", "c"].map(str::to_owned).to_vec());
        assert_eq!(texts(&part("{p:rank}", three.clone()), 5), ["0", "1", "2"]);
        assert_eq!(
            texts(&part("{p:rank:desc}", three.clone()), 5),
            ["0", "1", "2"]
        );
        assert_eq!(texts(&part("{p:shard(11)}", three), 5).len(), 11);
    }

    #[test]
    fn escapes_are_those_of_the_characters() {
        let shape = Shape::Text {
            chars: CharSet::from_chars("\t#$a"),
            min: 1,
            max: Some(1),
        };
        let mut escaped = texts(&part("{t}", shape.clone()), 5);
        escaped.sort();
        assert_eq!(escaped, ["$09", "$23", "$24", "a"]);
        assert_eq!(texts(&part("{t:raw}", shape), 5), ["\t", "#", "$", "a"]);
    }

    #[test]
    fn words_are_in_it_once() {
        let shape = Shape::OneOf(["", "ab", "a", "ab"].map(str::to_owned).to_vec());
        assert_eq!(texts(&part("{w}", shape), 5), ["", "a", "ab"]);
    }

    #[test]
    fn what_cannot_be_rendered_has_no_text() {
        let text = |min, max| Shape::Text {
            chars: CharSet::empty(),
            min,
            max,
        };
        assert!(part("{t}", text(1, None)).has_no_text());
        assert!(part("{t}", text(2, Some(1))).has_no_text());
        assert_eq!(texts(&part("{t}", text(0, None)), 5), [""]);
        assert!(part("{t:rank}", Shape::Date).has_no_text());
        assert!(part("{t}", Shape::OneOf(Vec::new())).has_no_text());
        assert!(part("{t}", Shape::Integer { min: 1, max: 0 }).has_no_text());
    }

    #[test]
    fn forms_hold_their_example() {
        for (shape, text) in [
            (
                Shape::Timestamp(Precision::Micros),
                "2024-01-31T10:00:00.000000Z",
            ),
            (Shape::UnevenTimestamp, "2024-01-31T10:00:00.5Z"),
            (Shape::Decimal, "-0.05"),
            (Shape::Ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ] {
            assert!(accepts(&part("{f}", shape), text), "{text}");
        }
        let decimal = part("{f}", Shape::Decimal);
        for wrong in ["-0", "-0.0", "1.50", "01", ".5", "1.", "-"] {
            assert!(!accepts(&decimal, wrong), "{wrong}");
        }
    }
}
