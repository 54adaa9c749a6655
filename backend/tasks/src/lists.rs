//! Tasks as lists, in pages.

use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::Query;
use tablewright::Versioned;
use tablewright_service::Problem;

use crate::model::{Task, TaskKey, TaskPriority, TaskStatus};
use crate::state::App;

/// How often more is asked for while a page is not full.
const ROUNDS: usize = 20;

/// Which tasks are wanted; all that is said holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) status: Option<TaskStatus>,
    pub(crate) priority: Option<TaskPriority>,
    pub(crate) created_by: Option<String>,
}

/// In which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Order {
    /// The oldest first.
    Asc,
    /// The newest first.
    Desc,
}

/// Of whom.
pub(crate) enum Whose<'a> {
    /// All there are.
    All,
    /// Those that are assigned to somebody.
    AssignedTo(&'a str),
}

/// Which page of them.
pub(crate) struct Part<'a> {
    /// Who asks: a cursor is good for nobody else.
    pub(crate) caller: &'a str,
    pub(crate) order: Option<Order>,
    pub(crate) limit: u32,
    pub(crate) cursor: Option<&'a str>,
}

impl Wanted {
    fn fits(&self, task: &Task) -> bool {
        self.status.is_none_or(|status| task.status == status)
            && self
                .priority
                .is_none_or(|priority| task.priority == priority)
            && self
                .created_by
                .as_ref()
                .is_none_or(|id| task.created_by == *id)
    }
}

/// A page of tasks, and where the next begins. It is full unless it is the last, or what fits is so rare that twenty requests did not fill it.
pub(crate) async fn page(
    app: &App,
    whose: &Whose<'_>,
    wanted: &Wanted,
    part: &Part<'_>,
) -> Result<(Vec<Task>, Option<String>), Problem> {
    let mut tasks = Vec::new();
    let mut cursor = part.cursor.map(str::to_owned);
    for _ in 0..ROUNDS {
        let missing = part
            .limit
            .saturating_sub(u32::try_from(tasks.len()).unwrap_or(u32::MAX));
        let (found, next) = match whose {
            Whose::All => all(app, wanted, part, missing, cursor.as_deref()).await?,
            Whose::AssignedTo(user_id) => {
                assigned(app, user_id, part, missing, cursor.as_deref()).await?
            }
        };
        tasks.extend(found.into_iter().filter(|task| wanted.fits(task)));
        cursor = next;
        if cursor.is_none() || tasks.len() >= part.limit as usize {
            break;
        }
    }
    Ok((tasks, cursor))
}

/// S1-16, C1-11, C1-12: the index that says most of what is wanted answers, from all its shards in order; the rest is looked through.
async fn all(
    app: &App,
    wanted: &Wanted,
    part: &Part<'_>,
    many: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Task>, Option<String>), Problem> {
    let tasks = &app.tasks.tasks;
    let query = match (wanted.status, &wanted.created_by, wanted.priority) {
        (Some(status), _, _) => match part.order {
            Some(Order::Desc) => tasks.newest_tasks_by_status(status),
            _ => tasks.tasks_by_status(status),
        },
        (None, Some(id), _) => turned(tasks.tasks_by_creator(id), part.order),
        (None, None, Some(priority)) => turned(tasks.tasks_by_priority(priority), part.order),
        (None, None, None) => turned(tasks.all_tasks(), part.order),
    };
    let page = query
        .caller(part.caller)
        .limit(many)
        .after(cursor)
        .page()
        .await?;
    let tasks = page.items.into_iter().map(|task| task.data);
    Ok((tasks.collect(), page.next))
}

/// These lists have the newest first.
fn turned(query: Query<Versioned<Task>>, order: Option<Order>) -> Query<Versioned<Task>> {
    match order {
        Some(Order::Asc) => query.reversed(),
        _ => query,
    }
}

/// S1-15, C1-13: the assignments of a page in one request, and their tasks in another. What was deleted is not shown. The ids of tasks
/// sort by creation.
async fn assigned(
    app: &App,
    user_id: &str,
    part: &Part<'_>,
    many: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Task>, Option<String>), Problem> {
    let query = app.tasks.assignments.assignments_of_user(user_id);
    let query = match part.order {
        Some(Order::Desc) => query.reversed(),
        _ => query,
    };
    let page = query
        .caller(part.caller)
        .limit(many)
        .after(cursor)
        .page()
        .await?;
    let keys = page.items.iter().map(|one| TaskKey::new(one.task_id));
    let keys: Vec<TaskKey> = keys.collect();
    if keys.is_empty() {
        return Ok((Vec::new(), page.next));
    }
    let found = app.tasks.tasks.tasks_by_ids(&keys).await?;
    let tasks = found.into_iter().flatten().map(|task| task.data);
    Ok((tasks.collect(), page.next))
}
