//! From a plan to the repository.

use tablewright::{LARGEST_PAGE, Page, Query, Row, Versioned};
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

/// How many tasks are looked at at once where some of them are left out one by one.
const LOOKED_AT: u32 = 100;

/// A page of the tasks that fit, full unless it is the last. What no key and no value leaves out is left out here, and the page goes on until it is full.
pub(crate) async fn page_that_fits(
    app: &App,
    user_id: &str,
    (wanted, plan): (&Wanted, &Plan),
    limit: u32,
    cursor: Option<&str>,
) -> Result<Page<Versioned<Task>>, Problem> {
    // A cursor is of one question, and of its day.
    let whose = match wanted.not_overdue_on {
        Some(today) => format!("{user_id} not overdue on {today}"),
        None => user_id.to_owned(),
    };
    let read = async |limit: u32, cursor: Option<&str>| {
        let mut query = query(app, user_id, plan);
        if plan.reversed {
            query = query.reversed();
        }
        query.caller(&whose).limit(limit).after(cursor).page().await
    };
    if wanted.not_overdue_on.is_none() {
        return Ok(read(limit, cursor).await?);
    }
    let keeps = |task: &Versioned<Task>| wanted.keeps(task);
    let mut items = Vec::new();
    let mut next = cursor.map(str::to_owned);
    loop {
        let lacks = limit - u32::try_from(items.len()).unwrap_or(limit);
        let mut page = read(lacks.max(LOOKED_AT), next.as_deref()).await?;
        let last = page
            .items
            .iter()
            .enumerate()
            .filter(|(_, task)| keeps(task));
        let last = last.map(|(at, _)| at).nth(lacks.saturating_sub(1) as usize);
        if let Some(at) = last.filter(|at| at + 1 < page.items.len()) {
            // Only so far, so that the cursor is there as well.
            let so_far = u32::try_from(at + 1).unwrap_or(lacks);
            page = read(so_far, next.as_deref()).await?;
            if page.items.iter().filter(|task| keeps(task)).count() > lacks as usize {
                // Somebody has changed tasks meanwhile: of so few there are not too many.
                page = read(lacks, next.as_deref()).await?;
            }
        }
        items.extend(page.items.into_iter().filter(keeps));
        next = page.next;
        if items.len() >= limit as usize || next.is_none() {
            return Ok(Page { items, next });
        }
    }
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
    let asked = (wanted, &plan);
    let page = page_that_fits(app, user_id, asked, most.min(LARGEST_PAGE), None).await?;
    let more = match page.next.as_deref() {
        None => false,
        cursor => {
            let rest = page_that_fits(app, user_id, asked, 1, cursor).await?;
            !rest.items.is_empty()
        }
    };
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
