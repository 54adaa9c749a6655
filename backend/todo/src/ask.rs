//! From a plan to the repository.

use tablewright::{LARGEST_PAGE, Query, Row, Versioned};
use tablewright_service::Problem;

use crate::model::Task;
use crate::rules::{Pattern, Plan, Wanted, plan};
use crate::state::App;

/// The pattern of a plan, for a caller. Titles are a question of their own.
pub(crate) fn query(app: &App, user_id: &str, plan: &Plan) -> Query<Versioned<Task>> {
    let tasks = &app.todo.tasks;
    let query = match &plan.pattern {
        Pattern::Tasks | Pattern::Titles => return tasks.tasks(user_id),
        Pattern::Refined => tasks.tasks_refined(user_id),
        Pattern::ByStatus(status) => tasks.tasks_by_status(user_id, *status),
        Pattern::GroupedByStatus => tasks.tasks_grouped_by_status(user_id),
        Pattern::DueOn(day) => tasks.tasks_due_on(user_id, *day),
        Pattern::Due(from, to) => tasks.tasks_due(user_id, *from, *to),
        Pattern::WithDueDate => tasks.tasks_with_due_date(user_id),
        Pattern::Overdue(today) => tasks.overdue_tasks(user_id, *today),
        Pattern::ByUrgency => tasks.tasks_by_urgency(user_id),
        Pattern::ByPriority(priority) => tasks.tasks_by_priority(user_id, *priority),
        Pattern::GroupedByCategory => tasks.tasks_grouped_by_category(user_id),
        Pattern::ByCategory(category) => tasks.tasks_by_category(user_id, category),
    };
    query.refined(&plan.refined)
}

/// The first tasks that fit, up to so many, and whether there are more.
pub(crate) async fn first_that_fit(
    app: &App,
    user_id: &str,
    wanted: &Wanted,
    most: u32,
) -> Result<(Vec<Versioned<Task>>, bool), Problem> {
    let Some(plan) = plan(wanted, None, None, false) else {
        return Ok((Vec::new(), false));
    };
    let page = query(app, user_id, &plan)
        .limit(most.min(LARGEST_PAGE))
        .page()
        .await?;
    let more = goes_on(query(app, user_id, &plan), page.next.as_deref()).await?;
    Ok((page.items, more))
}

/// Whether something is there after a cursor. A page that ends where the list does has a cursor all the same: only reading on can tell.
pub(crate) async fn goes_on<R: Row>(
    query: Query<R>,
    cursor: Option<&str>,
) -> Result<bool, Problem> {
    match cursor {
        None => Ok(false),
        Some(_) => Ok(!query.limit(1).after(cursor).page().await?.items.is_empty()),
    }
}
