//! Numbers with a fraction.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::NotOne;

/// A number with a fraction, of up to 38 digits that count.
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
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if all_digits(whole) && all_digits(fraction) {
            // As DynamoDB gives it back: without zeros that say nothing.
            let whole = whole.trim_start_matches('0');
            let fraction = fraction.trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "." };
            let before = if whole.is_empty() { "0" } else { whole };
            let sign = if whole.is_empty() && fraction.is_empty() {
                ""
            } else {
                sign
            };
            if whole.len() + fraction.len() <= 38 {
                return Ok(Decimal(format!("{sign}{before}{point}{fraction}")));
            }
        }
        Err(NotOne {
            text: text.to_owned(),
            of: "decimal number of up to 38 digits",
        })
    }
}

impl Ord for Decimal {
    /// By size, to the last digit.
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.0.as_str(), other.0.as_str());
        match (a.strip_prefix('-'), b.strip_prefix('-')) {
            (Some(a), Some(b)) => by_digits(b, a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => by_digits(a, b),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of two numbers without sign, and without zeros that say nothing.
fn by_digits(a: &str, b: &str) -> Ordering {
    let (a, a_fraction) = a.split_once('.').unwrap_or((a, ""));
    let (b, b_fraction) = b.split_once('.').unwrap_or((b, ""));
    let whole = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    whole.then_with(|| a_fraction.cmp(b_fraction))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_sort_by_size_to_the_last_digit() {
        let sorted = [
            "-12345678901234567890123456789012345678",
            "-2",
            "-1.5",
            "-1.25",
            "0",
            "0.05",
            "0.5",
            "1.25",
            "1.5",
            "9",
            "10",
            "12345678901234567890123456789012345677",
            "12345678901234567890123456789012345678",
        ];
        let sorted = sorted.map(|text| text.parse::<Decimal>().unwrap());
        assert!(sorted.is_sorted_by(|a, b| a < b), "{sorted:?}");
    }

    #[test]
    fn decimals_keep_their_digits() {
        let most = "9".repeat(38);
        for good in [
            "0",
            "-1.5",
            "12345678901234567890.123456789012345678",
            "0.001",
            &most,
        ] {
            assert_eq!(good.parse::<Decimal>().unwrap().as_str(), good);
        }
        for (same, as_stored) in [
            ("-1.50", "-1.5"),
            ("007", "7"),
            ("-0.0", "0"),
            ("10.00", "10"),
        ] {
            assert_eq!(same.parse::<Decimal>().unwrap().as_str(), as_stored);
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
