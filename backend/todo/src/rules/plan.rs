//! Which pattern answers a request for tasks: the best key, and the rest as a filter.

use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Date, Only};

use super::{Due, Wanted};
use crate::model::{TaskPriority, TaskRefined, TaskStatus};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Sort {
    /// By creation; the newest first.
    Created,
    /// By due date, the earliest first; only tasks that have one.
    DueDate,
    /// By priority, the most urgent first; only tasks that have one.
    Priority,
    /// Grouped by status.
    Status,
    /// Grouped by category; only tasks that have one.
    Category,
}

/// Its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Order {
    /// The smallest first.
    Asc,
    /// The greatest first.
    Desc,
}

impl Sort {
    /// The order of a list that was asked for without one.
    pub(super) fn usual(by_day: bool) -> Self {
        match by_day {
            true => Sort::DueDate,
            false => Sort::Created,
        }
    }

    /// The direction of a list that was asked for without one.
    pub(super) fn usual_order(self) -> Order {
        match self {
            Sort::Created | Sort::Priority => Order::Desc,
            Sort::DueDate | Sort::Status | Sort::Category => Order::Asc,
        }
    }
}

/// A pattern of the model, with what it is given besides the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// `tasks`
    Tasks,
    /// `task_titles`
    Titles,
    /// `tasks_refined`
    Refined,
    /// `tasks_by_status`
    ByStatus(TaskStatus),
    /// `tasks_grouped_by_status`
    GroupedByStatus,
    /// `tasks_due_on`
    DueOn(Date),
    /// `tasks_due`
    Due(Date, Date),
    /// `tasks_with_due_date`
    WithDueDate,
    /// `overdue_tasks`
    Overdue(Date),
    /// `tasks_by_urgency`
    ByUrgency,
    /// `tasks_by_priority`
    ByPriority(TaskPriority),
    /// `tasks_grouped_by_category`
    GroupedByCategory,
    /// `tasks_by_category`
    ByCategory(String),
}

/// How a request for tasks is answered.
#[derive(Debug, Clone)]
pub struct Plan {
    /// By this pattern,
    pub pattern: Pattern,
    /// narrowed to these,
    pub refined: TaskRefined,
    /// and from its other end.
    pub reversed: bool,
}

/// How a request is answered; none when no task can fit. `titles` says that what a list of titles shows is enough (S0-42).
pub fn plan(
    wanted: &Wanted,
    sort: Option<Sort>,
    order: Option<Order>,
    titles: bool,
) -> Option<Plan> {
    if wanted.is_nothing() {
        return None;
    }
    let by_day = matches!(wanted.due, Due::Within(..));
    let sort = sort.unwrap_or(Sort::usual(by_day));
    let pattern = match sort {
        Sort::Created => by_creation(wanted, titles),
        Sort::DueDate => by_due_date(wanted)?,
        Sort::Priority => {
            one_of(&wanted.priorities).map_or(Pattern::ByUrgency, Pattern::ByPriority)
        }
        Sort::Status => {
            one_of(&wanted.statuses).map_or(Pattern::GroupedByStatus, Pattern::ByStatus)
        }
        Sort::Category => wanted
            .category
            .clone()
            .map_or(Pattern::GroupedByCategory, Pattern::ByCategory),
    };
    let descends = matches!(
        pattern,
        Pattern::Tasks | Pattern::Titles | Pattern::Refined | Pattern::ByUrgency
    );
    Some(Plan {
        reversed: descends != (order.unwrap_or(sort.usual_order()) == Order::Desc),
        refined: rest(wanted, &pattern),
        pattern,
    })
}

/// The one value that is wanted.
fn one_of<T: Copy>(wanted: &Option<Vec<T>>) -> Option<T> {
    match wanted.as_deref() {
        Some([one]) => Some(*one),
        _ => None,
    }
}

fn one_day(due: Due) -> Option<Date> {
    match due {
        Due::Within(Some(from), Some(to)) if from == to => Some(from),
        _ => None,
    }
}

/// Within one value of a key tasks are in the order of their creation. A day or a category holds fewer tasks than a priority or a status.
fn by_creation(wanted: &Wanted, titles: bool) -> Pattern {
    if let Some(day) = one_day(wanted.due) {
        Pattern::DueOn(day)
    } else if let Some(category) = &wanted.category {
        Pattern::ByCategory(category.clone())
    } else if let Some(priority) = one_of(&wanted.priorities) {
        Pattern::ByPriority(priority)
    } else if let Some(status) = one_of(&wanted.statuses) {
        Pattern::ByStatus(status)
    } else if *wanted != Wanted::default() {
        Pattern::Refined
    } else if titles {
        Pattern::Titles
    } else {
        Pattern::Tasks
    }
}

fn by_due_date(wanted: &Wanted) -> Option<Pattern> {
    Some(match (wanted.due, wanted.overdue_on) {
        (Due::Absent, _) => return None,
        (_, Some(today)) => Pattern::Overdue(today),
        (Due::Any | Due::Within(None, None), _) => Pattern::WithDueDate,
        (due, _) if one_day(due).is_some() => Pattern::DueOn(one_day(due)?),
        (Due::Within(from, to), _) => Pattern::Due(from.unwrap_or(FIRST), to.unwrap_or(LAST)),
    })
}

/// The first day that can be written in a task.
const FIRST: Date = Date::constant(0, 1, 1);
/// The last one.
const LAST: Date = Date::constant(9999, 12, 31);

/// What the key of a pattern leaves to be asked.
fn rest(wanted: &Wanted, pattern: &Pattern) -> TaskRefined {
    fn several<T: Clone>(wanted: &Option<Vec<T>>) -> Only<T> {
        match wanted.as_deref() {
            None => Only::Any,
            Some([one]) => Only::Is(one.clone()),
            Some(several) => Only::OneOf(several.to_vec()),
        }
    }
    let status = match pattern {
        Pattern::ByStatus(_) => Only::Any,
        Pattern::Overdue(_) if wanted.is_all_open() => Only::Any,
        _ => several(&wanted.statuses),
    };
    let priority = match pattern {
        Pattern::ByPriority(_) => Only::Any,
        _ => several(&wanted.priorities),
    };
    let category = match pattern {
        Pattern::ByCategory(_) => Only::Any,
        _ => Only::from(wanted.category.clone()),
    };
    let due_date = match (pattern, wanted.due) {
        (Pattern::DueOn(_) | Pattern::Due(..) | Pattern::WithDueDate | Pattern::Overdue(_), _)
        | (_, Due::Any) => Only::Any,
        (_, Due::Absent) => Only::Absent,
        (_, Due::Within(None, None)) => Only::Present,
        (_, Due::Within(Some(from), None)) => Only::From(from),
        (_, Due::Within(None, Some(to))) => Only::Until(to),
        (_, Due::Within(Some(from), Some(to))) => Only::Between(from, to),
    };
    TaskRefined {
        status,
        priority,
        category,
        due_date,
    }
}

#[cfg(test)]
mod tests {
    use tablewright_service::Kind;

    use super::*;
    use crate::rules::{Day, Filter};

    const NOW: i64 = 1_715_342_400_000;

    fn of(filter: Filter, sort: Option<Sort>) -> Pattern {
        let wanted = filter.wanted(NOW, Kind::MALFORMED, "").unwrap();
        plan(&wanted, sort, None, false).unwrap().pattern
    }

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// S0-17 … S0-30: each question of the document is answered by the key made for it.
    #[test]
    fn the_best_key_answers() {
        use TaskStatus::{Completed, Pending};
        let none = Filter::default;
        let day = Day::of("2024-05-03");
        let one = Some(vec![Pending]);
        assert_eq!(of(none(), None), Pattern::Tasks); // S0-17
        assert_eq!(of(none(), Some(Sort::Status)), Pattern::GroupedByStatus); // S0-18
        assert_eq!(
            of(
                Filter {
                    status: one.clone(),
                    ..none()
                },
                None
            ),
            Pattern::ByStatus(Pending)
        ); // S0-19
        assert_eq!(of(none(), Some(Sort::DueDate)), Pattern::WithDueDate); // S0-20
        assert_eq!(
            of(
                Filter {
                    due_on: day,
                    ..none()
                },
                None
            ),
            Pattern::DueOn(date("2024-05-03"))
        ); // S0-21
        let range = Filter {
            due_from: day,
            due_to: Day::of("2024-05-09"),
            ..none()
        };
        assert_eq!(
            of(range, None),
            Pattern::Due(date("2024-05-03"), date("2024-05-09"))
        ); // S0-22
        assert_eq!(of(none(), Some(Sort::Priority)), Pattern::ByUrgency); // S0-24
        let urgent = Filter {
            priority: Some(vec![TaskPriority::Urgent]),
            ..none()
        };
        assert_eq!(of(urgent, None), Pattern::ByPriority(TaskPriority::Urgent)); // S0-25
        assert_eq!(of(none(), Some(Sort::Category)), Pattern::GroupedByCategory); // S0-26
        let home = Filter {
            category: Some("home".into()),
            ..none()
        };
        assert_eq!(of(home.clone(), None), Pattern::ByCategory("home".into())); // S0-27
        assert_eq!(
            of(
                Filter {
                    status: Some(vec![Completed]),
                    ..none()
                },
                None
            ),
            Pattern::ByStatus(Completed)
        ); // S0-28
        assert_eq!(
            of(
                Filter {
                    overdue: Some(true),
                    ..none()
                },
                None
            ),
            Pattern::Overdue(date("2024-05-10"))
        ); // S0-29
        assert_eq!(
            of(
                Filter {
                    has_due_date: Some(true),
                    ..none()
                },
                None
            ),
            Pattern::WithDueDate
        ); // S0-30
        // Several at once: the smaller set by key, the other by filter.
        assert_eq!(
            of(
                Filter {
                    status: one,
                    ..home
                },
                None
            ),
            Pattern::ByCategory("home".into())
        );
        assert_eq!(
            of(
                Filter {
                    has_due_date: Some(false),
                    ..none()
                },
                None
            ),
            Pattern::Refined
        );
        assert_eq!(
            of(
                Filter {
                    due_from: day,
                    ..none()
                },
                None
            ),
            Pattern::Due(date("2024-05-03"), LAST)
        );
    }

    /// S0-42
    #[test]
    fn titles_are_enough_only_for_the_plain_list() {
        let asked = |wanted: &Wanted, sort| plan(wanted, sort, None, true).unwrap().pattern;
        assert_eq!(asked(&Wanted::default(), None), Pattern::Titles);
        assert_eq!(
            asked(&Wanted::default(), Some(Sort::Status)),
            Pattern::GroupedByStatus
        );
    }

    #[test]
    fn the_direction_is_the_one_that_was_asked_for() {
        let pending = Wanted {
            statuses: Some(vec![TaskStatus::Pending]),
            ..Wanted::default()
        };
        let reversed =
            |wanted: &Wanted, sort, order| plan(wanted, sort, order, false).unwrap().reversed;
        // The newest first, unless said otherwise; the keys of the indexes ascend.
        assert!(!reversed(&Wanted::default(), None, None));
        assert!(reversed(&Wanted::default(), None, Some(Order::Asc)));
        assert!(reversed(&pending, None, None));
        assert!(!reversed(&pending, None, Some(Order::Asc)));
        assert!(!reversed(&Wanted::default(), Some(Sort::Priority), None));
        assert!(!reversed(&Wanted::default(), Some(Sort::DueDate), None));
        assert!(reversed(
            &Wanted::default(),
            Some(Sort::DueDate),
            Some(Order::Desc)
        ));
    }

    #[test]
    fn what_cannot_be_is_not_asked() {
        let undated = Wanted {
            due: Due::Absent,
            ..Wanted::default()
        };
        assert!(plan(&undated, Some(Sort::DueDate), None, false).is_none());
        let nobody = Wanted {
            statuses: Some(Vec::new()),
            ..Wanted::default()
        };
        assert!(plan(&nobody, None, None, false).is_none());
    }
}
