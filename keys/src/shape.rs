use crate::{CharSet, Encodings};

/// The domain of a field, as far as a key is concerned: which values it has and how they are spelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Text over some characters, with lengths in characters.
    Text {
        /// The characters it may contain.
        chars: CharSet,
        /// The least number of characters.
        min: u32,
        /// The greatest number of characters, when there is one.
        max: Option<u32>,
    },
    /// One of these spellings, in declared order: an enum, an ordered enum, a boolean.
    OneOf(Vec<String>),
    /// An integer, both bounds included: plain integers, epoch seconds, epoch milliseconds.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// `0000-01-01` to `9999-12-31`, by form: every month has days 01 to 31.
    Date,
    /// ISO-8601 in UTC with a fixed width, such as `2024-01-31T10:00:00.000Z`.
    Timestamp(Precision),
    /// ISO-8601 in UTC with a fraction of 0 to 9 digits: its texts do not sort by time.
    UnevenTimestamp,
    /// 26 upper-case Crockford characters, the first up to `7`.
    Ulid,
    /// Lower-case hexadecimal in groups of 8-4-4-4-12.
    Uuid,
    /// A decimal number, rendered without superfluous zeros: one number, one text.
    Decimal,
}

/// The digits after the second in a fixed-width timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// None: `10:00:00Z`.
    Seconds,
    /// Three: `10:00:00.000Z`.
    Millis,
    /// Six: `10:00:00.000000Z`.
    Micros,
}

impl Shape {
    /// What a value of this shape is called in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Shape::Text { .. } => "text",
            Shape::OneOf(_) => "an enum",
            Shape::Integer { .. } => "an integer",
            Shape::Date => "a date",
            Shape::Timestamp(_) => "a timestamp",
            Shape::UnevenTimestamp => "a timestamp of varying precision",
            Shape::Ulid => "a ULID",
            Shape::Uuid => "a UUID",
            Shape::Decimal => "a decimal number",
        }
    }
}

/// Why `encodings` do not fit `shape`, in words for the author of a model; `None` when they fit.
///
/// Whether the values of an integer fit the width of its padding is another question: [`fits_width`].
///
/// ```
/// use tablewright_keys::{Encodings, Shape, unsupported};
/// let rank = Encodings { rank: true, ..Encodings::default() };
/// assert_eq!(unsupported(&Shape::OneOf(vec!["low".into()]), &rank), None);
/// assert!(unsupported(&Shape::Date, &rank).is_some());
/// ```
pub fn unsupported(shape: &Shape, encodings: &Encodings) -> Option<String> {
    let Encodings {
        pad,
        rank,
        desc,
        lower,
        shard,
        raw,
    } = *encodings;
    let name = shape.name();
    let is_text = matches!(shape, Shape::Text { .. });
    let is_one_of = matches!(shape, Shape::OneOf(_));
    let is_integer = matches!(shape, Shape::Integer { .. });

    if shard.is_some() && (pad.is_some() || rank || desc || raw) {
        return Some(
            "`shard` replaces the value by a number; only `lower` goes with it".to_owned(),
        );
    }
    if pad.is_some() && !is_integer {
        return Some(format!(
            "zero-padding is for integers, and this is {name}; remove the width"
        ));
    }
    if rank && !is_one_of {
        return Some(format!(
            "`rank` is the position in an enum's values, and this is {name}; remove it"
        ));
    }
    if lower && !is_text {
        return Some(format!(
            "`lower` is for text, and this is {name}; remove it"
        ));
    }
    if raw && !is_text && !is_one_of {
        return Some(format!(
            "`raw` leaves text unescaped, and this is {name}, which needs no escape; remove it"
        ));
    }
    if !desc {
        return None;
    }
    let needs_fixed_width = "`desc` complements a form of fixed width";
    match shape {
        Shape::Integer { .. } if pad.is_none() => Some(format!(
            "{needs_fixed_width}; pad the integer too, such as `:012:desc`"
        )),
        Shape::OneOf(_) if !rank => Some(format!("{needs_fixed_width}; write `:rank:desc`")),
        Shape::Text { .. } | Shape::Decimal | Shape::UnevenTimestamp => Some(format!(
            "{needs_fixed_width}, and {name} has none; remove it"
        )),
        _ => None,
    }
}

/// Whether every value of the shape can be padded as asked: no negative one, none with too many digits.
/// `true` when nothing is padded.
pub fn fits_width(shape: &Shape, encodings: &Encodings) -> bool {
    match (shape, encodings.pad) {
        (Shape::Integer { min, max }, Some(width)) => {
            min > max || (*min >= 0 && max.to_string().len() <= usize::from(width))
        }
        _ => true,
    }
}

/// Whether the texts of an enum sort in its declared order: by `rank` always, by spelling only when the
/// spellings happen to be declared in their order. `true` for every other shape.
pub fn keeps_declared_order(shape: &Shape, encodings: &Encodings) -> bool {
    match shape {
        Shape::OneOf(spellings) if encodings.shard.is_some() => spellings.len() < 2,
        Shape::OneOf(spellings) => encodings.rank || spellings.is_sorted_by(|a, b| a < b),
        _ => true,
    }
}

/// Whether the plain decimal texts of a range of integers sort like the integers, exactly.
///
/// Neighbours decide: only `9…9` before `10…0` breaks the order from zero on, and below zero every pair of
/// neighbours breaks it but `-10…0` before `-9…9`.
pub(crate) fn plain_integers_sort(min: i64, max: i64) -> bool {
    let digits = |n: i64| n.to_string().len();
    let upward = max < 0 || digits(min.max(0)) == digits(max);
    let negative_pairs = i128::from(max.min(-1)) - i128::from(min);
    let downward = match negative_pairs {
        ..=0 => true,
        1 => min
            .to_string()
            .trim_start_matches("-1")
            .bytes()
            .all(|byte| byte == b'0'),
        _ => false,
    };
    min >= max || (upward && downward)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encodings(text: &str) -> Encodings {
        let template = crate::Template::parse(&format!("{{f{text}}}")).unwrap();
        template.fields().next().unwrap().encodings
    }

    #[test]
    fn each_encoding_fits_its_shapes_only() {
        let text = Shape::Text {
            chars: CharSet::any(),
            min: 0,
            max: None,
        };
        let one_of = Shape::OneOf(vec!["a".into()]);
        let integer = Shape::Integer { min: 0, max: 9 };
        let stamp = Shape::Timestamp(Precision::Millis);
        let all = [
            &text,
            &one_of,
            &integer,
            &Shape::Date,
            &stamp,
            &Shape::UnevenTimestamp,
        ]
        .into_iter()
        .chain([&Shape::Ulid, &Shape::Uuid, &Shape::Decimal]);
        let fits: Vec<(&str, Vec<&Shape>)> = vec![
            (":08", vec![&integer]),
            (":08:desc", vec![&integer]),
            (":rank", vec![&one_of]),
            (":rank:desc", vec![&one_of]),
            (":lower", vec![&text]),
            (":lower:shard(4)", vec![&text]),
            (":raw", vec![&text, &one_of]),
            (
                ":desc",
                vec![&Shape::Date, &stamp, &Shape::Ulid, &Shape::Uuid],
            ),
        ];
        for shape in all {
            assert_eq!(unsupported(shape, &Encodings::default()), None);
            assert_eq!(unsupported(shape, &encodings(":shard(4)")), None);
            for (written, good) in &fits {
                let refused = unsupported(shape, &encodings(written));
                assert_eq!(
                    refused.is_none(),
                    good.contains(&shape),
                    "{shape:?}{written}: {refused:?}"
                );
            }
        }
        let hand_made = Encodings {
            rank: true,
            shard: Some(4),
            ..Encodings::default()
        };
        assert!(unsupported(&one_of, &hand_made).is_some());
    }

    #[test]
    fn a_width_must_hold_every_value() {
        let padded = encodings(":03");
        assert!(fits_width(&Shape::Integer { min: 0, max: 999 }, &padded));
        assert!(!fits_width(&Shape::Integer { min: 0, max: 1000 }, &padded));
        assert!(!fits_width(&Shape::Integer { min: -1, max: 9 }, &padded));
        assert!(fits_width(
            &Shape::Integer { min: -1, max: 9999 },
            &Encodings::default()
        ));
    }

    #[test]
    fn declared_order_needs_rank_unless_the_spelling_agrees() {
        let one_of = |words: &[&str]| Shape::OneOf(words.iter().map(|&word| word.into()).collect());
        let none = Encodings::default();
        assert!(keeps_declared_order(&one_of(&["a", "b"]), &none));
        assert!(!keeps_declared_order(&one_of(&["low", "high"]), &none));
        assert!(keeps_declared_order(
            &one_of(&["low", "high"]),
            &encodings(":rank")
        ));
        assert!(!keeps_declared_order(
            &one_of(&["a", "b"]),
            &encodings(":shard(4)")
        ));
        assert!(keeps_declared_order(&Shape::Decimal, &none));
    }

    #[test]
    fn plain_integers_sort_exactly_when_every_neighbour_does() {
        for min in -120..120_i64 {
            for max in min..130 {
                let sorted = (min..max).all(|n| n.to_string() < (n + 1).to_string());
                assert_eq!(plain_integers_sort(min, max), sorted, "{min}..={max}");
            }
        }
        assert!(!plain_integers_sort(i64::MIN, i64::MAX));
    }
}
