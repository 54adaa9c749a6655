//! What is added up of tasks.

use std::collections::BTreeMap;

use jiff::civil::Date;
use tablewright_lake::GoldTable;

use super::facts::Facts;
use super::{COMPLETION, PER_DAY, USER};

/// What happened on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) created: i64,
    pub(super) completed: i64,
    /// From creation to completion, of all that were completed.
    pub(super) seconds: i64,
}

/// How far tasks are that were ever created, each as it is now, or was when it was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Those that are not cancelled.
    pub(super) tasks: i64,
    pub(super) completed: i64,
    pub(super) seconds: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) days: BTreeMap<(String, Date), Day>,
    pub(super) categories: BTreeMap<(String, Option<String>), Progress>,
}

impl Sums {
    /// Counts a step of a task, from what it was to what it is. From nothing, it was created.
    pub(super) fn count(&mut self, user: &str, from: Option<&Facts>, to: &Facts) {
        self.add(user, from, to, 1);
    }

    /// As if such a step had never been counted.
    pub(super) fn take_back(&mut self, user: &str, from: Option<&Facts>, to: &Facts) {
        self.add(user, from, to, -1);
    }

    fn add(&mut self, user: &str, from: Option<&Facts>, to: &Facts, times: i64) {
        if from.is_none() {
            self.day(user, super::day(to.created_at)).created += times;
        }
        if from.and_then(|from| from.completed_at) != to.completed_at {
            if let Some((day, seconds)) = from.and_then(|from| to.takes_back(from)) {
                let day = self.day(user, day);
                day.completed -= times;
                day.seconds -= times * seconds;
            }
            if let Some((day, seconds)) = to.completed() {
                let day = self.day(user, day);
                day.completed += times;
                day.seconds += times * seconds;
            }
        }
        if let Some(from) = from {
            self.progress(user, from, -times);
        }
        self.progress(user, to, times);
    }

    fn day(&mut self, user: &str, day: Date) -> &mut Day {
        self.days.entry((user.to_owned(), day)).or_default()
    }

    fn progress(&mut self, user: &str, facts: &Facts, times: i64) {
        if facts.is_cancelled {
            return;
        }
        let place = (user.to_owned(), facts.category.clone());
        let progress = self.categories.entry(place).or_default();
        progress.tasks += times;
        if let Some((_, seconds)) = facts.completed() {
            progress.completed += times;
            progress.seconds += times * seconds;
        }
    }

    /// Without what has come to nothing.
    pub(super) fn tidy(&mut self) {
        self.days.retain(|_, day| *day != Day::default());
        self.categories
            .retain(|_, progress| *progress != Progress::default());
    }

    /// A piece of each table.
    pub(super) fn tables(&self, piece: &str) -> [GoldTable; 2] {
        let days = || self.days.iter();
        let categories = || self.categories.iter();
        let share = |part: i64, of: i64| (of > 0).then(|| part as f64 / of as f64);
        let per_day = GoldTable::new(PER_DAY)
            .piece(piece)
            .texts(USER, days().map(|((user, _), _)| Some(user.as_str())))
            .days("day", days().map(|((_, day), _)| *day))
            .counts("created", days().map(|(_, day)| day.created))
            .counts("completed", days().map(|(_, day)| day.completed))
            .numbers(
                "seconds_to_complete",
                days().map(|(_, day)| share(day.seconds, day.completed)),
            );
        let completion = GoldTable::new(COMPLETION)
            .piece(piece)
            .texts(USER, categories().map(|((user, _), _)| Some(user.as_str())))
            .texts(
                "category",
                categories().map(|((_, category), _)| category.as_deref()),
            )
            .counts("tasks", categories().map(|(_, sum)| sum.tasks))
            .counts("completed", categories().map(|(_, sum)| sum.completed))
            .numbers(
                "rate",
                categories().map(|(_, sum)| share(sum.completed, sum.tasks)),
            )
            .numbers(
                "seconds_to_complete",
                categories().map(|(_, sum)| share(sum.seconds, sum.completed)),
            );
        [per_day, completion]
    }
}
