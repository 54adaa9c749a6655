//! Tasks that are at hand, in the order a list would have.

use serde::{Deserialize, Serialize};
use tablewright::{Ulid, Versioned};

use super::{Due, Order, Sort, Wanted};
use crate::model::{Task, TaskPriority};

/// Where a task is in an order: it stays there, whatever becomes of the task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// What it is ordered by, as a text that has the same order.
    value: String,
    task_id: Ulid,
}

/// An order of tasks.
#[derive(Debug, Clone, Copy)]
pub enum Ordering<'o> {
    /// In which they were named.
    Named(&'o [Ulid]),
    /// Of the list with this sort and direction.
    By(Sort, Order),
}

impl<'o> Ordering<'o> {
    /// The order that was asked for; the one of the names where none was.
    pub fn of(
        named: &'o [Ulid],
        wanted: &Wanted,
        sort: Option<Sort>,
        order: Option<Order>,
    ) -> Self {
        if sort.is_none() && order.is_none() {
            return Ordering::Named(named);
        }
        let by_day = matches!(wanted.due, Due::Within(..));
        let sort = sort.unwrap_or(Sort::usual(by_day));
        Ordering::By(sort, order.unwrap_or(sort.usual_order()))
    }

    /// These tasks in this order, without those the list would not have; where a place is said, those that come after it.
    pub fn apply(
        self,
        tasks: Vec<Versioned<Task>>,
        after: Option<&Place>,
    ) -> Vec<(Place, Versioned<Task>)> {
        let is_reversed = matches!(self, Ordering::By(_, Order::Desc));
        let placed = tasks.into_iter().filter_map(|task| {
            let place = self.place(&task)?;
            Some((place, task))
        });
        let mut placed: Vec<_> = placed
            .filter(|(place, _)| {
                after.is_none_or(|after| match is_reversed {
                    true => place < after,
                    false => place > after,
                })
            })
            .collect();
        placed.sort_by(|(one, _), (other, _)| one.cmp(other));
        if is_reversed {
            placed.reverse();
        }
        placed
    }

    fn place(self, task: &Task) -> Option<Place> {
        let value = match self {
            // As many digits for all, so that texts are ordered as numbers.
            Ordering::Named(ids) => {
                let at = ids.iter().position(|id| *id == task.task_id)?;
                format!("{at:08}")
            }
            Ordering::By(Sort::Created, _) => String::new(),
            Ordering::By(Sort::DueDate, _) => task.due_date?.to_string(),
            Ordering::By(Sort::Priority, _) => urgency(task.priority?).to_string(),
            Ordering::By(Sort::Status, _) => task.status.as_str().to_owned(),
            Ordering::By(Sort::Category, _) => task.category.clone()?,
        };
        Some(Place {
            value,
            task_id: task.task_id,
        })
    }
}

fn urgency(priority: TaskPriority) -> usize {
    let mut all = TaskPriority::ALL.iter();
    all.position(|one| *one == priority).unwrap_or_default()
}
