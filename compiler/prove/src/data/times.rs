//! Days and moments as text.

use tablewright_keys::Precision;

/// The moment every proof takes place, in milliseconds: noon of 31 January 2050, in UTC. Far enough away that no engine deletes by its
/// own clock what the proof stored as still alive or as just over.
pub(crate) const NOW: i64 = 2_527_243_200_000;

pub(crate) const DAY: i64 = 86_400;

/// Year, month and day of a day since 1970 (Howard Hinnant's civil_from_days).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// `2050-01-31`
pub(crate) fn date(days: i64) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// ISO-8601 in UTC.
pub(crate) fn moment(micros: i64, precision: Precision) -> String {
    let seconds = micros.div_euclid(1_000_000);
    let fraction = micros.rem_euclid(1_000_000);
    let (day, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let begin = format!("{}T{hour:02}:{minute:02}:{second:02}", date(day));
    match precision {
        Precision::Seconds => format!("{begin}Z"),
        Precision::Millis => format!("{begin}.{:03}Z", fraction / 1000),
        Precision::Micros => format!("{begin}.{fraction:06}Z"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(NOW / 1000 / DAY), "2050-01-31");
        assert_eq!(date(28_548), "2048-02-29");
        assert_eq!(date(2_932_896), "9999-12-31");
        assert_eq!(
            moment(NOW * 1000, Precision::Millis),
            "2050-01-31T12:00:00.000Z"
        );
        assert_eq!(
            moment(NOW * 1000 + 61_000_007, Precision::Micros),
            "2050-01-31T12:01:01.000007Z"
        );
        assert_eq!(
            moment(1_500_000, Precision::Seconds),
            "1970-01-01T00:00:01Z"
        );
    }
}
