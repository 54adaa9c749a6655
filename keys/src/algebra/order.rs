use std::fmt;

use super::automaton::{Automaton, State};
use super::exploration::{Exploration, Pair};
use crate::{CharSet, Encodings, Shape, TypedPiece, TypedTemplate, bounds, lower, shape};

/// The first piece because of which keys do not sort like their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderBroken {
    /// The index of the piece in the template.
    pub piece: usize,
    /// The field it renders.
    pub field: String,
    /// What breaks the order.
    pub why: WhyUnordered,
}

/// What breaks the order of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyUnordered {
    /// Integers without padding: `10` sorts before `9`.
    UnpaddedNumber,
    /// Timestamps of varying precision: `44Z` sorts after `44.5Z`.
    UnevenTimestamp,
    /// Decimal numbers: `10.5` sorts before `9`.
    Decimal,
    /// A shard scatters values on purpose.
    Hash,
    /// Lower-casing gives two values one text.
    Case,
    /// A value is the beginning of a longer one, and what follows it in the key does not sort below the
    /// continuation.
    Continuation {
        /// The key of the smaller values.
        smaller: String,
        /// The key of the greater values, which is not above `smaller`.
        greater: String,
    },
}

/// Whether comparing keys is comparing the values of their pieces, one after the other.
///
/// Text and enums compare by their spelling (enums with `rank` by their declared order), integers by number,
/// dates, timestamps, ULIDs and UUIDs by their text, and pieces with `desc` the other way round. Different
/// values with equal keys break the order, too.
///
/// ```
/// use tablewright_keys::{Shape, Template, algebra};
/// let typed = |text: &str| {
///     let template = Template::parse(text).expect("well formed");
///     template.typed(|_| Some(Shape::Integer { min: 0, max: 99 })).expect("all typed")
/// };
/// assert_eq!(algebra::order(&typed("N#{n:02}")), Ok(()));
/// let broken = algebra::order(&typed("N#{n}")).expect_err("10 sorts before 9");
/// assert_eq!(broken.why, algebra::WhyUnordered::UnpaddedNumber);
/// ```
pub fn order(template: &TypedTemplate) -> Result<(), OrderBroken> {
    order_upto(template, template.pieces.len())
}

/// Like [`order`], but only for keys that differ in one of the first `pieces` pieces.
///
/// The pieces after them still count for what they are: characters that follow in the key.
pub fn order_upto(template: &TypedTemplate, pieces: usize) -> Result<(), OrderBroken> {
    let Some(automaton) = Automaton::of(template) else {
        return Ok(());
    };
    for (index, piece) in template.pieces.iter().enumerate().take(pieces) {
        if let TypedPiece::Field {
            name,
            shape,
            encodings,
            ..
        } = piece
        {
            let why = does_not_sort_itself(shape, encodings)
                .or_else(|| continuation_sorts_wrongly(&automaton, index));
            if let Some(why) = why {
                return Err(OrderBroken {
                    piece: index,
                    field: name.clone(),
                    why,
                });
            }
        }
    }
    Ok(())
}

fn does_not_sort_itself(shape: &Shape, encodings: &Encodings) -> Option<WhyUnordered> {
    if encodings.shard.is_some() {
        return Some(WhyUnordered::Hash);
    }
    match shape {
        Shape::Text { chars, .. } if encodings.lower && lower::changes(chars) => {
            Some(WhyUnordered::Case)
        }
        Shape::Integer { min, max }
            if encodings.pad.is_none() && !shape::plain_integers_sort(*min, *max) =>
        {
            Some(WhyUnordered::UnpaddedNumber)
        }
        Shape::UnevenTimestamp => Some(WhyUnordered::UnevenTimestamp),
        Shape::Decimal => Some(WhyUnordered::Decimal),
        _ => None,
    }
}

/// When the texts of a piece sort like its values, keys that first differ in it can still be out of order
/// in one way: the smaller text `x` begins the greater `xw`, and some rest of a key after `x` is not below
/// `w` and some rest. Searched as a comparison of the two: left reads the rest after `x`, right goes on in
/// the piece (apart: once it has) and then in the rest.
fn continuation_sorts_wrongly(automaton: &Automaton, piece: usize) -> Option<WhyUnordered> {
    let mut comparison = Exploration::new(automaton, automaton);
    let rest = State::start_of(piece + 1);
    for end in automaton.part(piece).extensible_ends() {
        comparison.start(Pair {
            left: rest,
            right: State {
                part: piece,
                spot: end,
            },
            apart: false,
        });
    }
    while let Some((index, pair)) = comparison.next() {
        let witness = |left_end: String, right_end: String| {
            let (origin, _) = comparison.path(index);
            let common = automaton.shortest_to(origin.right) + &comparison.text(index);
            let (smaller, greater) = (format!("{common}{left_end}"), common + &right_end);
            Some(WhyUnordered::Continuation { smaller, greater })
        };
        if pair.apart && automaton.accepts(pair.right) {
            return witness(automaton.shortest_end(pair.left), String::new());
        }
        let mut right_steps = automaton.steps(pair.right);
        right_steps.retain(|(_, right)| pair.apart || right.part == piece);
        let mut equal = Vec::new();
        for (left_on, left) in automaton.steps(pair.left) {
            for &(right_on, right) in &right_steps {
                if let Some((high, low)) = one_above(left_on, right_on) {
                    let left_end = format!("{high}{}", automaton.shortest_end(left));
                    return witness(left_end, format!("{low}{}", automaton.shortest_end(right)));
                }
                if let Some(c) = left_on.intersect(right_on).friendly() {
                    equal.push((
                        c,
                        Pair {
                            left,
                            right,
                            apart: true,
                        },
                    ));
                }
            }
        }
        for (c, to) in equal {
            comparison.step(index, c, to);
        }
    }
    None
}

/// A character of `left` above one of `right`.
fn one_above(left: &CharSet, right: &CharSet) -> Option<(char, char)> {
    let low = right
        .up_to(bounds::previous_char(left.max()?)?)
        .friendly()?;
    Some((left.above(low).friendly()?, low))
}

impl fmt::Display for WhyUnordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnpaddedNumber => f.write_str("integers of different width sort as text: `10` before `9`; pad them"),
            Self::UnevenTimestamp => {
                f.write_str("timestamps of varying precision sort as text: `44.5Z` before `44Z`; fix the precision")
            }
            Self::Decimal => f.write_str("decimal numbers sort as text: `10.5` before `9`; use a padded integer"),
            Self::Hash => f.write_str("a shard scatters values; read every shard and merge"),
            Self::Case => f.write_str("lower-casing gives different values the same text"),
            Self::Continuation { smaller, greater } => write!(
                f,
                "a value can begin a longer one, and `{smaller}` should sort before `{greater}`; \
                 close the value with the delimiter `#`"
            ),
        }
    }
}

impl fmt::Display for OrderBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keys do not sort by `{}`: {}", self.field, self.why)
    }
}

impl std::error::Error for OrderBroken {}
