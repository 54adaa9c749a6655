//! Days in a row with an answer (C2-17).

use tablewright::Date;

/// So many days in a row, the last of which is this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streak {
    /// How many days.
    pub days: i64,
    /// The last of them, where the person is.
    pub last: Date,
}

impl Streak {
    /// The first answer ever.
    pub fn begins(day: Date) -> Self {
        Streak { days: 1, last: day }
    }

    /// With an answer on a day. A day counts once, a gap begins anew, and an answer of an earlier day, which came late or from another
    /// time zone, changes nothing.
    #[must_use]
    pub fn with(self, day: Date) -> Self {
        if day <= self.last {
            return self;
        }
        let days = match self.last.tomorrow().ok() == Some(day) {
            true => self.days + 1,
            false => 1,
        };
        Streak { days, last: day }
    }

    /// What it is on a day: yesterday's holds until today is over.
    pub fn on(self, today: Date) -> i64 {
        match self.last >= today || self.last.tomorrow().ok() == Some(today) {
            true => self.days,
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i8) -> Date {
        Date::constant(2026, 2, 1 + number)
    }

    /// C2-17
    #[test]
    fn a_day_counts_once_and_a_gap_begins_anew() {
        let streak = Streak {
            days: 5,
            last: day(10),
        };
        for (answered, days, last) in [(10, 5, 10), (11, 6, 11), (12, 1, 12), (25, 1, 25)] {
            let with = streak.with(day(answered));
            assert_eq!(
                with,
                Streak {
                    days,
                    last: day(last)
                },
                "{answered}"
            );
        }
        assert_eq!(Streak::begins(day(1)).with(day(1)).days, 1);
    }

    /// C2-17: what comes late does not move the date back.
    #[test]
    fn an_older_answer_changes_nothing() {
        let streak = Streak {
            days: 5,
            last: day(10),
        };
        assert_eq!(streak.with(day(9)), streak);
        assert_eq!(streak.with(day(0)), streak);
    }

    /// C2-17: the stored number stays, what is read does not.
    #[test]
    fn it_is_judged_when_it_is_read() {
        let streak = Streak {
            days: 5,
            last: day(10),
        };
        for (today, days) in [(9, 5), (10, 5), (11, 5), (12, 0), (27, 0)] {
            assert_eq!(streak.on(day(today)), days, "{today}");
        }
        let end = Streak {
            days: 2,
            last: Date::MAX,
        };
        assert_eq!((end.on(Date::MAX), end.with(Date::MAX)), (2, end));
    }
}
