//! Tasks that are at hand, in the order a list would have.

use tablewright::Versioned;

use super::{Due, Order, Sort, Wanted};
use crate::model::{Task, TaskPriority};

/// Puts tasks in the order of the list with this sort and direction, without those the list would not have.
pub fn in_order(
    mut tasks: Vec<Versioned<Task>>,
    wanted: &Wanted,
    sort: Option<Sort>,
    order: Option<Order>,
) -> Vec<Versioned<Task>> {
    let by_day = matches!(wanted.due, Due::Within(..));
    let sort = sort.unwrap_or(Sort::usual(by_day));
    tasks.retain(|task| match sort {
        Sort::Created | Sort::Status => true,
        Sort::DueDate => task.due_date.is_some(),
        Sort::Priority => task.priority.is_some(),
        Sort::Category => task.category.is_some(),
    });
    tasks.sort_by(|one, other| {
        let by_value = match sort {
            Sort::Created => std::cmp::Ordering::Equal,
            Sort::DueDate => one.due_date.cmp(&other.due_date),
            Sort::Priority => urgency(one).cmp(&urgency(other)),
            Sort::Status => one.status.as_str().cmp(other.status.as_str()),
            Sort::Category => one.category.cmp(&other.category),
        };
        by_value.then_with(|| one.task_id.cmp(&other.task_id))
    });
    if order.unwrap_or(sort.usual_order()) == Order::Desc {
        tasks.reverse();
    }
    tasks
}

fn urgency(task: &Task) -> Option<usize> {
    let priority = task.priority?;
    TaskPriority::ALL.iter().position(|one| *one == priority)
}
