//! Tasks as lists, in pages.

use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Query, Versioned};
use tablewright_service::Problem;

use crate::model::{Task, TaskKey, TaskPriority, TaskStatus};
use crate::state::App;

/// How many are looked at together while what fits is looked for.
const AT_ONCE: u32 = 100;

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

/// A page of tasks, and where the next begins. It is full unless it is the last.
pub(crate) async fn page(
    app: &App,
    whose: &Whose<'_>,
    wanted: &Wanted,
    part: &Part<'_>,
) -> Result<(Vec<Task>, Option<String>), Problem> {
    let limit = part.limit as usize;
    let mut tasks: Vec<Task> = Vec::new();
    let mut cursor = part.cursor.map(str::to_owned);
    // At first as many as the page has; where much does not fit, much is looked at together.
    let mut many = part.limit;
    loop {
        let (found, next) = some(app, whose, wanted, part, many, cursor.as_deref()).await?;
        let (mut looked_at, all) = (0, found.len());
        for task in found {
            looked_at += 1;
            tasks.extend(task.filter(|task| wanted.fits(task)));
            if tasks.len() == limit {
                break;
            }
        }
        if tasks.len() == limit && looked_at < all {
            // The next page begins after the last that is shown.
            let until = u32::try_from(looked_at).unwrap_or(u32::MAX);
            let (_, next) = some(app, whose, wanted, part, until, cursor.as_deref()).await?;
            return Ok((tasks, next));
        }
        cursor = next;
        if cursor.is_none() || tasks.len() == limit {
            return Ok((tasks, cursor));
        }
        many = many.max(AT_ONCE);
    }
}

/// So many of them from a place on, and the place after. Nothing stands for a task that was deleted.
async fn some(
    app: &App,
    whose: &Whose<'_>,
    wanted: &Wanted,
    part: &Part<'_>,
    many: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Option<Task>>, Option<String>), Problem> {
    match whose {
        Whose::All => all(app, wanted, part, many, cursor).await,
        Whose::AssignedTo(user_id) => assigned(app, user_id, part, many, cursor).await,
    }
}

/// S1-16, C1-11, C1-12: the index that says most of what is wanted answers, from all its shards in order; the rest is looked through.
async fn all(
    app: &App,
    wanted: &Wanted,
    part: &Part<'_>,
    many: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Option<Task>>, Option<String>), Problem> {
    let tasks = &app.tasks.tasks;
    // Those of a status come in the order of their creation.
    let order = part.order.or(wanted.status.map(|_| Order::Asc));
    let query = match (wanted.status, &wanted.created_by, wanted.priority) {
        (_, Some(id), _) => turned(tasks.tasks_by_creator(id), order),
        (Some(status), None, _) => match order {
            Some(Order::Desc) => tasks.newest_tasks_by_status(status),
            _ => tasks.tasks_by_status(status),
        },
        (None, None, Some(priority)) => turned(tasks.tasks_by_priority(priority), order),
        (None, None, None) => turned(tasks.all_tasks(), order),
    };
    let query = query.caller(part.caller).limit(many).after(cursor);
    let page = query.page().await?;
    let tasks = page.items.into_iter().map(|task| Some(task.data));
    Ok((tasks.collect(), page.next))
}

/// These lists have the newest first.
fn turned(query: Query<Versioned<Task>>, order: Option<Order>) -> Query<Versioned<Task>> {
    match order {
        Some(Order::Asc) => query.reversed(),
        _ => query,
    }
}

/// S1-15, C1-13: assignments in one request, and their tasks in another, each at the place of its assignment. The ids of tasks sort by
/// creation.
async fn assigned(
    app: &App,
    user_id: &str,
    part: &Part<'_>,
    many: u32,
    cursor: Option<&str>,
) -> Result<(Vec<Option<Task>>, Option<String>), Problem> {
    let query = app.tasks.assignments.assignments_of_user(user_id);
    let query = match part.order {
        Some(Order::Desc) => query.reversed(),
        _ => query,
    };
    let query = query.caller(part.caller).limit(many).after(cursor);
    let page = query.page().await?;
    let keys = page.items.iter().map(|one| TaskKey::new(one.task_id));
    let keys: Vec<TaskKey> = keys.collect();
    if keys.is_empty() {
        return Ok((Vec::new(), page.next));
    }
    let found = app.tasks.tasks.tasks_by_ids(&keys).await?;
    let tasks = found.into_iter().map(|task| task.map(|task| task.data));
    Ok((tasks.collect(), page.next))
}
