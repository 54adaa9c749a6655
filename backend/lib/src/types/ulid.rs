//! Identifiers that sort by time.

use std::fmt;
use std::str::FromStr;

use super::{NotOne, as_text};
use crate::random;

/// The characters of a ULID: no I, L, O and U.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// An identifier of 26 characters that sorts by the time it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

as_text!([] Ulid, schemars::json_schema!({ "type": "string", "pattern": "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }));

impl Ulid {
    /// A new one, of this moment by the machine's clock.
    pub fn new() -> Self {
        Ulid::at(jiff::Timestamp::now().as_millisecond())
    }

    /// A new one, of a moment in milliseconds since 1970.
    pub fn at(millis: i64) -> Self {
        let mut bytes = [0; 16];
        random::fill(&mut bytes[6..]);
        let time = u64::try_from(millis).unwrap_or(0) & 0xffff_ffff_ffff;
        Ulid(u128::from_be_bytes(bytes) | (u128::from(time) << 80))
    }

    /// The moment it was made, in milliseconds since 1970.
    pub fn millis(self) -> i64 {
        i64::try_from(self.0 >> 80).unwrap_or(i64::MAX)
    }
}

impl Default for Ulid {
    fn default() -> Self {
        Ulid::new()
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 26];
        for (place, digit) in digits.iter_mut().rev().enumerate() {
            *digit = CROCKFORD[((self.0 >> (place * 5)) & 31) as usize];
        }
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Ulid {
    type Err = NotOne;

    fn from_str(text: &str) -> Result<Self, NotOne> {
        let wrong = || NotOne {
            text: text.to_owned(),
            of: "ULID",
        };
        // Three bits of the first character would not fit.
        if text.len() != 26 || !matches!(text.as_bytes()[0], b'0'..=b'7') {
            return Err(wrong());
        }
        let mut value = 0_u128;
        for byte in text.bytes() {
            let digit = CROCKFORD.iter().position(|known| *known == byte);
            value = (value << 5) | digit.ok_or_else(wrong)? as u128;
        }
        Ok(Ulid(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulids_sort_by_time_and_read_back() {
        let early = Ulid::at(1);
        let late = Ulid::at(1_700_000_000_000);
        assert!(early < late && early.to_string() < late.to_string());
        assert_eq!(late.millis(), 1_700_000_000_000);
        assert_eq!(late.to_string().parse(), Ok(late));
        assert_ne!(Ulid::at(1), Ulid::at(1));
        for wrong in [
            "",
            "01ARZ3NDEKTSV4RRFFQ69G5FA",
            "81ARZ3NDEKTSV4RRFFQ69G5FAV",
            "01ARZ3NDEKTSV4RRFFQ69G5FAU",
            "01arz3ndektsv4rrffq69g5fav",
        ] {
            assert!(wrong.parse::<Ulid>().is_err(), "{wrong}");
        }
    }
}
