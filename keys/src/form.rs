//! The fixed-width forms (dates, timestamps, ULIDs, UUIDs), written once for the encoder, the decoder and
//! the algebra, so that they cannot disagree about which texts belong to a shape.

use crate::{Precision, Shape};

pub(crate) const DIGITS: &str = "0123456789";
const CROCKFORD: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HEX: &str = "0123456789abcdef";

/// One place of a fixed-width form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// This character; `desc` leaves it alone.
    Mark(char),
    /// A decimal number, zero-padded to the width of its bounds.
    Number(&'static str, &'static str),
    /// One symbol of an alphabet in ascending order, among its first so many.
    Symbol(&'static str, usize),
}

use Slot::{Mark, Number, Symbol};

impl Slot {
    /// How many characters it takes, all of them ASCII.
    pub(crate) fn width(&self) -> usize {
        match self {
            Mark(_) | Symbol(..) => 1,
            Number(low, _) => low.len(),
        }
    }
}

const SIXTY: Slot = Number("00", "59");

const DATE: [Slot; 5] = [
    Number("0000", "9999"),
    Mark('-'),
    Number("01", "12"),
    Mark('-'),
    Number("01", "31"),
];

/// A date and a time to the second, without what may follow.
pub(crate) const DATE_AND_TIME: [Slot; 11] = joined(
    DATE,
    [
        Mark('T'),
        Number("00", "23"),
        Mark(':'),
        SIXTY,
        Mark(':'),
        SIXTY,
    ],
);

const SECONDS: [Slot; 12] = joined(DATE_AND_TIME, [Mark('Z')]);
const MILLIS: [Slot; 14] = joined(DATE_AND_TIME, [Mark('.'), Number("000", "999"), Mark('Z')]);
const MICROS: [Slot; 14] = joined(
    DATE_AND_TIME,
    [Mark('.'), Number("000000", "999999"), Mark('Z')],
);

/// 26 symbols of 5 bits hold 130 bits; the 128 of a ULID leave the first symbol below 8.
const ULID: [Slot; 26] = joined([Symbol(CROCKFORD, 8)], [Symbol(CROCKFORD, 32); 25]);

const UUID: [Slot; 36] = {
    let mut form = [Symbol(HEX, 16); 36];
    let dash = Mark('-');
    (form[8], form[13], form[18], form[23]) = (dash, dash, dash, dash);
    form
};

/// One form and then another.
const fn joined<const A: usize, const B: usize, const BOTH: usize>(
    first: [Slot; A],
    second: [Slot; B],
) -> [Slot; BOTH] {
    assert!(A + B == BOTH, "a form is as long as its parts");
    let mut both = [Mark('-'); BOTH];
    let mut place = 0;
    while place < BOTH {
        both[place] = if place < A {
            first[place]
        } else {
            second[place - A]
        };
        place += 1;
    }
    both
}

/// The form of the shapes that have a fixed width of their own.
pub(crate) fn fixed_form(shape: &Shape) -> Option<&'static [Slot]> {
    match shape {
        Shape::Date => Some(&DATE),
        Shape::Timestamp(Precision::Seconds) => Some(&SECONDS),
        Shape::Timestamp(Precision::Millis) => Some(&MILLIS),
        Shape::Timestamp(Precision::Micros) => Some(&MICROS),
        Shape::Ulid => Some(&ULID),
        Shape::Uuid => Some(&UUID),
        _ => None,
    }
}

/// What is left of `text` after the form, or `None` when it does not start with it.
pub(crate) fn strip<'t>(form: &[Slot], text: &'t str) -> Option<&'t str> {
    form.iter().try_fold(text, |rest, slot| match slot {
        Mark(mark) => rest.strip_prefix(*mark),
        Number(low, high) => {
            let (number, rest) = rest.split_at_checked(low.len())?;
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            (digits && (*low..=*high).contains(&number)).then_some(rest)
        }
        Symbol(alphabet, count) => {
            let symbols = &alphabet.as_bytes()[..*count];
            let first = rest.as_bytes().first()?;
            // Symbols are ASCII: what follows one is the beginning of a character.
            symbols.contains(first).then(|| &rest[1..])
        }
    })
}

/// Whether `text` has exactly the form.
pub(crate) fn matches(form: &[Slot], text: &str) -> bool {
    strip(form, text) == Some("")
}

/// Replaces each symbol by its opposite in its alphabet, which reverses the order; its own inverse.
///
/// `text` is as long as the form; a character outside its alphabet stays as it is.
pub(crate) fn complement(form: &[Slot], text: &str) -> String {
    let mut alphabets = form.iter().flat_map(|slot| match slot {
        Mark(_) => vec![""],
        Number(low, _) => vec![DIGITS; low.len()],
        Symbol(alphabet, _) => vec![*alphabet],
    });
    text.chars()
        .map(|c| opposite(alphabets.next().unwrap_or_default(), c))
        .collect()
}

/// The digit-wise complement of a padded number.
pub(crate) fn complement_digits(number: &str) -> String {
    number.chars().map(|c| opposite(DIGITS, c)).collect()
}

/// The symbol as far from the end of `alphabet` as `c` is from its start. Alphabets are ASCII.
pub(crate) fn opposite(alphabet: &str, c: char) -> char {
    match alphabet.find(c) {
        Some(index) => char::from(alphabet.as_bytes()[alphabet.len() - 1 - index]),
        None => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(shape: &Shape, text: &str) -> bool {
        matches(fixed_form(shape).unwrap(), text)
    }

    #[test]
    fn dates_are_valid_by_form() {
        assert!(is(&Shape::Date, "0000-01-01") && is(&Shape::Date, "9999-12-31"));
        assert!(
            is(&Shape::Date, "2023-02-31"),
            "the calendar is not consulted"
        );
        for wrong in [
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-01-32",
            "2024-1-01",
            "2024-01-01 ",
            "２024-01-01",
            "",
        ] {
            assert!(!is(&Shape::Date, wrong), "{wrong}");
        }
    }

    #[test]
    fn timestamps_have_one_width_per_precision() {
        assert!(is(
            &Shape::Timestamp(Precision::Seconds),
            "2024-01-31T23:59:59Z"
        ));
        assert!(is(
            &Shape::Timestamp(Precision::Millis),
            "2024-01-31T10:00:00.000Z"
        ));
        assert!(is(
            &Shape::Timestamp(Precision::Micros),
            "2024-01-31T10:00:00.000001Z"
        ));
        for wrong in [
            "2024-01-31T24:00:00Z",
            "2024-01-31T10:60:00Z",
            "2024-01-31T10:00:60Z",
            "2024-01-31T10:00:00.0Z",
        ] {
            assert!(!is(&Shape::Timestamp(Precision::Seconds), wrong), "{wrong}");
        }
    }

    #[test]
    fn ulids_and_uuids_have_one_spelling() {
        assert!(is(&Shape::Ulid, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
        assert!(!is(&Shape::Ulid, "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
        assert!(!is(&Shape::Ulid, "7zzzzzzzzzzzzzzzzzzzzzzzzz"));
        assert!(is(&Shape::Uuid, "0190b6d0-0000-7abc-8def-0123456789ab"));
        assert!(!is(&Shape::Uuid, "0190B6D0-0000-7abc-8def-0123456789ab"));
    }

    #[test]
    fn the_complement_reverses_the_order_and_itself() {
        let form = fixed_form(&Shape::Date).unwrap();
        assert_eq!(complement(form, "2024-01-31"), "7975-98-68");
        let ulid = fixed_form(&Shape::Ulid).unwrap();
        let (low, high) = ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW");
        assert!(complement(ulid, low) > complement(ulid, high));
        assert_eq!(complement(ulid, &complement(ulid, low)), low);
        assert_eq!(complement_digits("0042"), "9957");
    }
}
