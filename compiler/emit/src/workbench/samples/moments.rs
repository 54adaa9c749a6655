//! When things happen in the samples: on working days of one week, each thing after what it follows.

/// Monday, the 4th of March 2024, nine o'clock.
const BEGIN: i64 = 1_709_542_800;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Seconds since 1970 of a moment of this name.
pub(super) fn seconds(name: &str, turn: usize) -> i64 {
    let name = name.to_lowercase();
    let named = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let later = if named(&["ttl", "purge"]) {
        30 * DAY
    } else if named(&["expire", "until", "deadline"]) {
        DAY
    } else if named(&["eligible", "next"]) {
        4 * HOUR
    } else if named(&[
        "close", "complete", "sent", "revoke", "finish", "end", "notified",
    ]) {
        3 * HOUR
    } else if named(&["update", "change", "modif"]) {
        2 * HOUR
    } else {
        0
    };
    BEGIN + turn as i64 * DAY + later
}

/// The lock token of an item: when it was written last.
pub(in crate::workbench) fn last_write(turn: usize) -> i64 {
    seconds("updated", turn) * 1000
}

/// The day of a name. A week is known by its Monday.
pub(super) fn day(name: &str, turn: usize) -> String {
    let name = name.to_lowercase();
    let moment = if name.contains("week") {
        BEGIN
    } else if name.contains("due") {
        seconds("", turn + 7)
    } else {
        seconds(&name, turn)
    };
    let (year, month, day) = civil(moment.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment in ISO form with these digits of the second.
pub(super) fn iso(seconds: i64, fraction: &str) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let rest = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (rest / HOUR, rest % HOUR / 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Year, month and day of a number of days since 1970, by the calendar of today.
fn civil(days: i64) -> (i64, i64, i64) {
    // Eras of 400 years that begin with a March, so that the leap day is the last of its year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(19_783), (2024, 3, 1));
        assert_eq!(civil(-1), (1969, 12, 31));
        assert_eq!(iso(BEGIN, ".000"), "2024-03-04T09:00:00.000Z");
        assert_eq!(day("points_week", 3), "2024-03-04");
    }

    #[test]
    fn what_follows_comes_later() {
        for turn in 0..4 {
            assert!(seconds("created_at", turn) < seconds("UpdatedAt", turn));
            assert!(seconds("updated_at", turn) < seconds("completed_at", turn));
            assert!(seconds("ClosedAt", turn) < seconds("expires_at", turn));
            assert!(seconds("expires_at", turn) < seconds("ttl", turn));
        }
    }
}
