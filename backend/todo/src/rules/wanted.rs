//! Which tasks are wanted.

use tablewright::Date;
use tablewright_service::{Kind, Problem};

use super::{Day, Faults, LONGEST_CATEGORY, line, normal_category, today};
use crate::model::{Task, TaskPriority, TaskStatus};

/// The statuses of tasks that are still to be done.
const OPEN: [TaskStatus; 2] = [TaskStatus::Pending, TaskStatus::InProgress];

/// What a caller may ask of tasks, as it was said.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// One of these statuses.
    pub status: Option<Vec<TaskStatus>>,
    /// One of these priorities.
    pub priority: Option<Vec<TaskPriority>>,
    /// This category.
    pub category: Option<String>,
    /// Due on this day.
    pub due_on: Option<Day>,
    /// Due on this day or later.
    pub due_from: Option<Day>,
    /// Due on this day or earlier.
    pub due_to: Option<Day>,
    /// Unfinished, and due before today; or not so.
    pub overdue: Option<bool>,
    /// With a due date, or without.
    pub has_due_date: Option<bool>,
    /// Where today is.
    pub tz: Option<String>,
}

/// Which due dates are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Due {
    /// Any, and none.
    #[default]
    Any,
    /// None.
    Absent,
    /// One from the first day to the second, both included; without a day, however early or late.
    Within(Option<Date>, Option<Date>),
}

/// Which tasks are wanted: a filter that makes sense.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Of these statuses; all without.
    pub statuses: Option<Vec<TaskStatus>>,
    /// Of these priorities; all, and none, without.
    pub priorities: Option<Vec<TaskPriority>>,
    /// Of this category.
    pub category: Option<String>,
    /// Due then.
    pub due: Due,
    /// Today, if exactly the overdue tasks of some status are wanted: these have a key of their own.
    pub overdue_on: Option<Date>,
    /// Today, if what is overdue is not wanted and no range of days says that: the tasks are looked at one by one.
    pub not_overdue_on: Option<Date>,
}

impl Filter {
    /// Which tasks are wanted at a moment. `within` is what the filter is a part of, as `filter.`.
    ///
    /// # Errors
    /// A problem of this kind with every value that makes no sense.
    pub fn wanted(&self, now_millis: i64, kind: Kind, within: &str) -> Result<Wanted, Problem> {
        let mut faults = Faults::within(within);
        let category = self.category.as_deref().map(normal_category);
        if let Some(category) = &category {
            faults.note("category", line(category, LONGEST_CATEGORY));
        }
        let today = today(now_millis, self.tz.as_deref());
        if today.is_none() {
            faults.add("tz", "it is the name of a time zone, as Europe/Berlin");
        }
        let asks_for_days = self.due_on.is_some()
            || self.due_from.is_some()
            || self.due_to.is_some()
            || self.overdue == Some(true);
        if self.has_due_date == Some(false) && asks_for_days {
            faults.add("has_due_date", "what has no due date is not due on a day");
        }
        faults.none_of(kind)?;
        let mut wanted = Wanted {
            statuses: self.status.as_deref().map(each_once),
            priorities: self.priority.as_deref().map(each_once),
            category,
            ..Wanted::default()
        };
        wanted.due = match (self.has_due_date, asks_for_days) {
            (Some(false), _) => Due::Absent,
            (Some(true), false) => Due::Within(None, None),
            (None, false) => Due::Any,
            (_, true) => {
                let day = |day: Option<Day>| day.map(|day| day.0);
                Due::Within(
                    day(self.due_from).max(day(self.due_on)),
                    earlier(day(self.due_to), day(self.due_on)),
                )
            }
        };
        match (self.overdue, today) {
            (Some(true), Some(today)) => wanted.narrow_to_overdue(today),
            (Some(false), Some(today)) => wanted.leave_out_overdue(today),
            _ => {}
        }
        Ok(wanted)
    }
}

/// The earlier of two days; one that is not said is later than all.
fn earlier(one: Option<Date>, other: Option<Date>) -> Option<Date> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl Wanted {
    /// C0-5: a cancelled task is not overdue.
    fn narrow_to_overdue(&mut self, today: Date) {
        self.statuses = Some(match self.statuses.take() {
            None => OPEN.to_vec(),
            Some(statuses) => statuses
                .into_iter()
                .filter(|status| OPEN.contains(status))
                .collect(),
        });
        let Due::Within(from, to) = self.due else {
            return;
        };
        let Ok(yesterday) = today.yesterday() else {
            return;
        };
        self.due = Due::Within(from, earlier(to, Some(yesterday)));
        if self.due == Due::Within(None, Some(yesterday)) {
            self.overdue_on = Some(today);
        }
    }

    /// What is done, has no due date, or is due today or later is not overdue. That is no one range of a key, but where only some of these are wanted.
    fn leave_out_overdue(&mut self, today: Date) {
        let has = |open: bool| {
            let mut statuses = self.statuses.iter().flatten();
            self.statuses.is_none() || statuses.any(|status| OPEN.contains(status) == open)
        };
        match self.due {
            _ if !has(true) => {}
            Due::Absent => {}
            Due::Within(Some(from), _) if from >= today => {}
            Due::Within(from, to) if !has(false) => {
                self.due = Due::Within(from.max(Some(today)), to);
            }
            _ => self.not_overdue_on = Some(today),
        }
    }

    /// Whether a task that its key and its values have found is one of them.
    pub fn keeps(&self, task: &Task) -> bool {
        let is_open = OPEN.contains(&task.status);
        let late = |today| is_open && task.due_date.is_some_and(|due| due < today);
        !self.not_overdue_on.is_some_and(late)
    }

    /// Whether exactly these statuses are all that are still to be done.
    pub(super) fn is_all_open(&self) -> bool {
        let statuses = self.statuses.as_deref().unwrap_or_default();
        OPEN.iter().all(|open| statuses.contains(open))
    }

    /// Whether no task can be one of them.
    pub fn is_nothing(&self) -> bool {
        let none = self.statuses.as_ref().is_some_and(Vec::is_empty)
            || self.priorities.as_ref().is_some_and(Vec::is_empty);
        none || matches!(self.due, Due::Within(Some(from), Some(to)) if from > to)
    }

    /// Whether a task is one of them.
    pub fn fits(&self, task: &Task) -> bool {
        let status = self
            .statuses
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&task.status));
        let priority = self.priorities.as_ref().is_none_or(|wanted| {
            task.priority
                .is_some_and(|priority| wanted.contains(&priority))
        });
        let category = self.category.is_none() || self.category == task.category;
        let due = match self.due {
            Due::Any => true,
            Due::Absent => task.due_date.is_none(),
            Due::Within(from, to) => task.due_date.is_some_and(|day| {
                from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to)
            }),
        };
        status && priority && category && due && self.keeps(task)
    }
}

/// What is said twice is meant once. A condition has room for so many values.
fn each_once<T: Copy + PartialEq>(said: &[T]) -> Vec<T> {
    let mut once = Vec::new();
    for value in said {
        if !once.contains(value) {
            once.push(*value);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-05-10, noon in UTC.
    const NOW: i64 = 1_715_342_400_000;

    fn day(text: &str) -> Option<Day> {
        Day::of(text)
    }

    fn wanted(filter: Filter) -> Wanted {
        filter.wanted(NOW, Kind::MALFORMED, "").unwrap()
    }

    /// S0-29, C0-5
    #[test]
    fn overdue_is_what_is_open_and_was_due_before_today() {
        let overdue = Filter {
            overdue: Some(true),
            ..Filter::default()
        };
        let today = wanted(overdue.clone());
        assert_eq!(today.statuses.as_deref(), Some(&OPEN[..]));
        assert_eq!(
            today.due,
            Due::Within(None, Some("2024-05-09".parse().unwrap()))
        );
        assert_eq!(today.overdue_on, Some("2024-05-10".parse().unwrap()));
        let there = wanted(Filter {
            tz: Some("Pacific/Kiritimati".into()),
            ..overdue.clone()
        });
        assert_eq!(there.overdue_on, Some("2024-05-11".parse().unwrap()));
        // What is done is not overdue.
        let done = wanted(Filter {
            status: Some(vec![TaskStatus::Completed]),
            ..overdue.clone()
        });
        assert!(done.is_nothing());
        // A narrower range is no longer all of them.
        let some = wanted(Filter {
            due_from: day("2024-05-01"),
            ..overdue
        });
        assert_eq!(some.overdue_on, None);
    }

    /// S0-29
    #[test]
    fn what_is_not_overdue_is_a_range_where_it_can_be() {
        use TaskStatus::{Cancelled, Completed, InProgress, Pending};
        let today: Date = "2024-05-10".parse().unwrap();
        let of = |status: &[TaskStatus], has_due_date, due_from| {
            let found = wanted(Filter {
                overdue: Some(false),
                status: (!status.is_empty()).then(|| status.to_vec()),
                has_due_date,
                due_from,
                ..Filter::default()
            });
            (found.due, found.not_overdue_on)
        };
        let from_today = Due::Within(Some(today), None);
        assert_eq!(of(&[], None, None), (Due::Any, Some(today)));
        assert_eq!(of(&[Pending], None, None), (Due::Any, Some(today)));
        assert_eq!(of(&[Completed, Cancelled], None, None), (Due::Any, None));
        assert_eq!(of(&[], Some(false), None), (Due::Absent, None));
        assert_eq!(
            of(&[Pending, InProgress], Some(true), None),
            (from_today, None)
        );
        assert_eq!(of(&[Pending], None, day("2024-05-01")), (from_today, None));
        assert_eq!(of(&[], None, day("2024-05-10")), (from_today, None));
        let all = Due::Within(None, None);
        assert_eq!(of(&[], Some(true), None), (all, Some(today)));
    }

    #[test]
    fn days_that_are_asked_for_together_are_those_of_all() {
        let both = wanted(Filter {
            due_on: day("2024-05-03"),
            due_from: day("2024-05-01"),
            due_to: day("2024-05-31"),
            ..Filter::default()
        });
        let third = Some("2024-05-03".parse().unwrap());
        assert_eq!(both.due, Due::Within(third, third));
        let never = wanted(Filter {
            due_on: day("2024-05-03"),
            due_from: day("2024-05-04"),
            ..Filter::default()
        });
        assert!(never.is_nothing());
    }

    /// S0-48
    #[test]
    fn what_makes_no_sense_is_refused_by_its_name() {
        let refused = |filter: Filter| {
            let problem = filter.wanted(NOW, Kind::MALFORMED, "").unwrap_err();
            problem
                .body()
                .errors
                .into_iter()
                .map(|error| error.field)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            refused(Filter {
                tz: Some("Mars".into()),
                category: Some(String::new()),
                ..Filter::default()
            }),
            ["category", "tz"]
        );
        assert_eq!(
            refused(Filter {
                has_due_date: Some(false),
                due_on: day("2024-05-03"),
                ..Filter::default()
            }),
            ["has_due_date"]
        );
    }
}
