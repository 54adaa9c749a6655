//! The parts of the page.

use askama::Template;
use axum::response::Response;
use tablewright::{Date, Page as Rows, Versioned};
use tablewright_service::{Caller, Kind, Problem};

use super::html;
use super::said::Said;
use crate::ask::query;
use crate::model::{Task, TaskPriority, TaskStatus};
use crate::rules::{Wanted, plan, today};
use crate::state::App;
use crate::view::{TaskStatistics, tag_of};

/// How many tasks are shown at once.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "index.html")]
pub(super) struct Shell {
    pub(super) development: bool,
    pub(super) issuer: String,
    pub(super) signs_in: bool,
}

#[derive(Template)]
#[template(path = "list.html")]
struct List {
    counts: TaskStatistics,
    /// HTML of each task.
    rows: Vec<String>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "task.html")]
struct Row<'t> {
    task: &'t Task,
    done: bool,
    late: bool,
}

#[derive(Template)]
#[template(path = "edit.html")]
pub(super) struct EditPage<'t> {
    task: &'t Task,
    version: String,
    description: &'t str,
    category: &'t str,
    due: String,
    statuses: &'static [TaskStatus],
    priorities: &'static [TaskPriority],
}

impl<'t> EditPage<'t> {
    pub(super) fn of(task: &'t Task) -> Result<Self, Problem> {
        Ok(EditPage {
            task,
            version: tag_of(task)?.to_string(),
            description: task.description.as_deref().unwrap_or_default(),
            category: task.category.as_deref().unwrap_or_default(),
            due: task.due_date.map(|day| day.to_string()).unwrap_or_default(),
            statuses: &TaskStatus::ALL,
            priorities: &TaskPriority::ALL,
        })
    }
}

/// Which tasks are to be shown. What writes asks this first: whoever is told of a fault has written nothing.
pub(super) fn shown(app: &App, said: &Said) -> Result<Wanted, Problem> {
    let now = app.store().now_millis();
    said.filter().wanted(now, Kind::MALFORMED, "")
}

/// The tasks a caller wants to see, with the counts of all.
pub(super) async fn list(app: &App, caller: &Caller, said: &Said) -> Result<Response, Problem> {
    let wanted = shown(app, said)?;
    let now = app.store().now_millis();
    let today = today(now, said.text("tz")).unwrap_or_default();
    let page = rows(app, caller, said, &wanted).await?;
    let counts = app.todo.task_counts.task_counts(&caller.sub).await?;
    let rows: Result<Vec<String>, askama::Error> =
        page.items.iter().map(|task| row(task, today)).collect();
    html(&List {
        counts: counts
            .as_ref()
            .map_or(TaskStatistics::NONE, TaskStatistics::from),
        rows: rows.map_err(Problem::internal)?,
        next: page.next,
    })
}

fn row(task: &Task, today: Date) -> Result<String, askama::Error> {
    let is_open = matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress);
    let row = Row {
        task,
        done: task.status == TaskStatus::Completed,
        late: is_open && task.due_date.is_some_and(|day| day < today),
    };
    row.render()
}

/// Tasks with these words that are wanted: as many as are shown at once, however many pages they are scattered over.
async fn found(
    app: &App,
    caller: &Caller,
    words: &str,
    cursor: Option<&str>,
    wanted: &Wanted,
) -> Result<Rows<Versioned<Task>>, Problem> {
    let mut rows = Rows {
        items: Vec::new(),
        next: cursor.map(str::to_owned),
    };
    loop {
        let found = app.todo.tasks.search_tasks(&caller.sub, words).reversed();
        let found = found.caller(&caller.sub).limit(SHOWN);
        let page = found.after(rows.next.as_deref()).page().await?;
        rows.items
            .extend(page.items.into_iter().filter(|task| wanted.fits(task)));
        rows.next = page.next;
        if rows.next.is_none() || rows.items.len() >= SHOWN as usize {
            return Ok(rows);
        }
    }
}

async fn rows(
    app: &App,
    caller: &Caller,
    said: &Said,
    wanted: &Wanted,
) -> Result<Rows<Versioned<Task>>, Problem> {
    let nothing = Rows {
        items: Vec::new(),
        next: None,
    };
    let cursor = said.text("cursor");
    let words = said.text("q");
    if let Some(words) = words.filter(|text| !tablewright::words(text).is_empty()) {
        return found(app, caller, words, cursor, wanted).await;
    }
    let Some(plan) = plan(wanted, Some(said.sort()), None, false) else {
        return Ok(nothing);
    };
    let query = query(app, &caller.sub, &plan);
    let query = if plan.reversed {
        query.reversed()
    } else {
        query
    };
    Ok(query
        .caller(&caller.sub)
        .limit(SHOWN)
        .after(cursor)
        .page()
        .await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_signs_in_by_name_at_the_issuer_or_with_a_token() {
        let shown = |development, signs_in| {
            let issuer = String::from("https://id.example/<pool>");
            let shell = Shell {
                development,
                issuer,
                signs_in,
            };
            let text = shell.render().unwrap();
            assert!(!text.contains("<pool>"), "{text}");
            ["name=\"name\"", "data-at-issuer", "name=\"token\""].map(|part| text.contains(part))
        };
        assert_eq!(shown(true, false), [true, false, false]);
        assert_eq!(shown(false, true), [false, true, false]);
        assert_eq!(shown(false, false), [false, false, true]);
    }
}
