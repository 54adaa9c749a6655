//! The types of fields that Rust itself has not: days, moments, ids, decimals and bytes. Each is stored as the text, the number or the
//! bytes a person would expect to see.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use jiff::civil::Date;
pub use uuid::Uuid;

use crate::random;

/// Why a text is no value of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOne {
    text: String,
    of: &'static str,
}

impl fmt::Display for NotOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no {}", self.text, self.of)
    }
}

impl std::error::Error for NotOne {}

/// Writes a type as its text, and reads it back.
macro_rules! as_text {
    ([$($parameters:tt)*] $name:ty, $schema:expr) => {
        impl<$($parameters)*> Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de, $($parameters)*> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }

        impl<$($parameters)*> JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// A moment, written in ISO-8601 and UTC with so many digits of the second: always of one width, so that text order is time order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment<const DIGITS: u8>(jiff::Timestamp);

/// A moment to the millisecond: `2024-01-31T10:00:00.000Z`.
pub type Timestamp = Moment<3>;

/// A moment to the second: `2024-01-31T10:00:00Z`.
pub type TimestampSeconds = Moment<0>;

/// A moment to the microsecond: `2024-01-31T10:00:00.000000Z`.
pub type TimestampMicros = Moment<6>;

as_text!([const DIGITS: u8] Moment<DIGITS>, json_schema!({ "type": "string", "format": "date-time" }));

impl<const DIGITS: u8> Moment<DIGITS> {
    /// This moment by the machine's clock.
    pub fn now() -> Self {
        Moment::cut(jiff::Timestamp::now())
    }

    /// A moment in milliseconds since 1970; none outside the years 0 to 9999.
    pub fn from_millis(millis: i64) -> Option<Self> {
        let moment = jiff::Timestamp::from_millisecond(millis).ok()?;
        Some(Moment::cut(moment)).filter(|moment| moment.to_string().len() == Self::width())
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }

    fn width() -> usize {
        20 + usize::from(DIGITS) + usize::from(DIGITS > 0)
    }

    /// Without what is not written.
    fn cut(moment: jiff::Timestamp) -> Self {
        let unit = 10_i128.pow(9 - u32::from(DIGITS));
        let nanos = moment.as_nanosecond().div_euclid(unit) * unit;
        Moment(jiff::Timestamp::from_nanosecond(nanos).unwrap_or(moment))
    }
}

impl<const DIGITS: u8> fmt::Display for Moment<DIGITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", usize::from(DIGITS), self.0)
    }
}

impl<const DIGITS: u8> FromStr for Moment<DIGITS> {
    type Err = NotOne;

    fn from_str(text: &str) -> Result<Self, NotOne> {
        let moment = text.parse().ok().map(Moment::<DIGITS>::cut);
        // Read what is written in this form, and in no other.
        moment
            .filter(|moment| moment.to_string() == text)
            .ok_or_else(|| NotOne {
                text: text.to_owned(),
                of: "moment of this form",
            })
    }
}

impl<const DIGITS: u8> From<jiff::Timestamp> for Moment<DIGITS> {
    fn from(moment: jiff::Timestamp) -> Self {
        Moment::cut(moment)
    }
}

/// The characters of a ULID: no I, L, O and U.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// An identifier of 26 characters that sorts by the time it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

as_text!([] Ulid, json_schema!({ "type": "string", "pattern": "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }));

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

/// A number with a fraction, kept as it was written; up to 38 digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Decimal {
    type Err = NotOne;

    fn from_str(text: &str) -> Result<Self, NotOne> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if all_digits(whole) && all_digits(fraction) && whole.len() + fraction.len() <= 38 {
            return Ok(Decimal(text.to_owned()));
        }
        Err(NotOne {
            text: text.to_owned(),
            of: "decimal number of up to 38 digits",
        })
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal number, or the text of one")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Decimal, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Decimal, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Decimal, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(Number)
    }
}

impl JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?$" })
    }
}

/// Bytes: stored as such, in JSON a list of numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Octets;

        impl<'de> Visitor<'de> for Octets {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut octets: A,
            ) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(octet) = octets.next_element()? {
                    bytes.push(octet);
                }
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_byte_buf(Octets)
    }
}

impl JsonSchema for Bytes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_of_one_width_and_reads_no_other_form() {
        let moment = Timestamp::from_millis(1_706_695_200_000).unwrap();
        assert_eq!(moment.to_string(), "2024-01-31T10:00:00.000Z");
        assert_eq!("2024-01-31T10:00:00.000Z".parse(), Ok(moment));
        assert_eq!(
            TimestampSeconds::from(moment.0).to_string(),
            "2024-01-31T10:00:00Z"
        );
        assert_eq!(
            TimestampMicros::from(moment.0).to_string(),
            "2024-01-31T10:00:00.000000Z"
        );
        for other in [
            "2024-01-31T10:00:00Z",
            "2024-01-31T11:00:00.000+01:00",
            "2024-01-31",
            "",
            "now",
        ] {
            assert!(other.parse::<Timestamp>().is_err(), "{other}");
        }
        assert!(Timestamp::from_millis(i64::MAX).is_none());
    }

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

    #[test]
    fn decimals_keep_their_digits() {
        for good in ["0", "-1.50", "12345678901234567890.123456789012345678"] {
            assert_eq!(good.parse::<Decimal>().unwrap().as_str(), good);
        }
        for wrong in [
            "",
            ".",
            "1.",
            "1e5",
            "NaN",
            "--1",
            "1234567890123456789012345678901234567890",
        ] {
            assert!(wrong.parse::<Decimal>().is_err(), "{wrong}");
        }
    }
}
