//! Moments.

use std::fmt;
use std::str::FromStr;

use super::{NotOne, as_text};

/// A moment, written in ISO-8601 and UTC with so many digits of the second: always of one width, so that text order is time order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment<const DIGITS: u8>(jiff::Timestamp);

/// A moment to the millisecond: `2024-01-31T10:00:00.000Z`.
pub type Timestamp = Moment<3>;

/// A moment to the second: `2024-01-31T10:00:00Z`.
pub type TimestampSeconds = Moment<0>;

/// A moment to the microsecond: `2024-01-31T10:00:00.000000Z`.
pub type TimestampMicros = Moment<6>;

as_text!([const DIGITS: u8] Moment<DIGITS>, schemars::json_schema!({ "type": "string", "format": "date-time" }));

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
}
