//! The parts of the page.

use askama::Template;
use axum::response::Response;
use tablewright::{Date, Page as Rows, Query, Versioned};
use tablewright_service::{Caller, Kind, Problem};

use super::html;
use super::said::Said;
use crate::ask::query;
use crate::model::{Task, TaskPriority, TaskStatus};
use crate::rules::{Sort, Wanted, plan, today};
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
    /// Whether there is a lake to tell of all tasks together.
    pub(super) insights: bool,
}

#[derive(Template)]
#[template(path = "list.html")]
struct List {
    counts: TaskStatistics,
    by_status: [Count; 4],
    /// The status that alone is shown, if one is.
    chosen: Option<TaskStatus>,
    /// The title of what was added and is not among what is shown.
    hidden: Option<String>,
    /// Whether the place that was asked for is none, so that this is the first page.
    anew: bool,
    /// What tasks in this order have, where those without it are left out.
    only_with: Option<&'static str>,
    /// HTML of each task.
    rows: Vec<String>,
    /// Whether a page comes before this one.
    follows: bool,
    next: Option<String>,
}

struct Count {
    status: TaskStatus,
    many: i64,
    /// Whether these alone are shown.
    chosen: bool,
}

fn by_status(counts: &TaskStatistics, chosen: Option<TaskStatus>) -> [Count; 4] {
    let by = &counts.by_status;
    TaskStatus::ALL.map(|status| Count {
        status,
        chosen: chosen == Some(status),
        many: match status {
            TaskStatus::Pending => by.pending,
            TaskStatus::InProgress => by.in_progress,
            TaskStatus::Completed => by.completed,
            TaskStatus::Cancelled => by.cancelled,
        },
    })
}

#[derive(Template)]
#[template(path = "task.html")]
struct Row<'t> {
    task: &'t Task,
    done: bool,
    under_way: bool,
    cancelled: bool,
    late: bool,
    /// The day it is due, as people say it.
    due: Option<String>,
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

#[derive(Template)]
#[template(path = "now.html")]
pub(super) struct NowPage<'t> {
    task: &'t Task,
    version: String,
}

impl<'t> NowPage<'t> {
    pub(super) fn of(task: &'t Task) -> Result<Self, Problem> {
        let version = tag_of(task)?.to_string();
        Ok(NowPage { task, version })
    }
}

/// Which tasks are to be shown, in which order, and from where on.
pub(super) struct Shown<'s> {
    wanted: Wanted,
    sort: Sort,
    words: Option<&'s str>,
    cursor: Option<&'s str>,
    today: Date,
}

/// Which tasks are to be shown. What writes asks this first: whoever is told of a fault has written nothing.
pub(super) fn shown<'s>(app: &App, said: &'s Said) -> Result<Shown<'s>, Problem> {
    let now = app.store().now_millis();
    Ok(Shown {
        wanted: said.filter()?.wanted(now, Kind::MALFORMED, "")?,
        sort: said.sort()?,
        words: said.words()?,
        cursor: said.text("cursor"),
        today: today(now, said.text("tz")).unwrap_or_default(),
    })
}

/// The tasks a caller wants to see, with the counts of all. What was added and is not among them is told.
pub(super) async fn list(
    app: &App,
    caller: &Caller,
    shown: &Shown<'_>,
    added: Option<&Task>,
) -> Result<Response, Problem> {
    let mut anew = false;
    let page = match rows(app, caller, shown, shown.cursor).await {
        // A place in another list, or of a process that is no more: what was asked for is done, and the list begins anew.
        Err(problem) if problem.kind() == Kind::BAD_CURSOR => {
            anew = true;
            rows(app, caller, shown, None).await?
        }
        page => page?,
    };
    let counts = app.todo.task_counts.task_counts(&caller.sub).await?;
    let rows: Result<Vec<String>, askama::Error> = page
        .items
        .iter()
        .map(|task| row(task, shown.today))
        .collect();
    let counts = counts.as_ref();
    let counts = counts.map_or(TaskStatistics::NONE, TaskStatistics::from);
    let chosen = match shown.wanted.statuses.as_deref() {
        Some([one]) => Some(*one),
        _ => None,
    };
    let is_there = |added: &&Task| page.items.iter().any(|task| task.task_id == added.task_id);
    html(&List {
        by_status: by_status(&counts, chosen),
        counts,
        chosen,
        hidden: added
            .filter(|added| !is_there(added))
            .map(|added| added.title.clone()),
        anew,
        only_with: only_with(shown.sort),
        rows: rows.map_err(Problem::internal)?,
        follows: shown.cursor.is_some() && !anew,
        next: page.next,
    })
}

/// What a task must have to be in an order.
fn only_with(sort: Sort) -> Option<&'static str> {
    match sort {
        Sort::Created | Sort::Status => None,
        Sort::DueDate => Some("due date"),
        Sort::Priority => Some("priority"),
        Sort::Category => Some("category"),
    }
}

fn row(task: &Task, today: Date) -> Result<String, askama::Error> {
    let is_open = matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress);
    let row = Row {
        task,
        done: task.status == TaskStatus::Completed,
        under_way: task.status == TaskStatus::InProgress,
        cancelled: task.status == TaskStatus::Cancelled,
        late: is_open && task.due_date.is_some_and(|day| day < today),
        due: task.due_date.map(|day| named(day, today)),
    };
    row.render()
}

/// A day as people say it.
fn named(day: Date, today: Date) -> String {
    let near = [
        (today.yesterday().ok(), "yesterday"),
        (Some(today), "today"),
        (today.tomorrow().ok(), "tomorrow"),
    ];
    let near = near.into_iter().find(|(near, _)| *near == Some(day));
    match near {
        Some((_, name)) => format!("due {name}"),
        None => day.strftime("due %-d %b %Y").to_string(),
    }
}

/// What is shown of a list: at least as many as are shown at once, however many pages those that fit are scattered over. Nobody is led to a
/// page with nothing on it.
async fn fitting(
    list: impl Fn() -> Query<Versioned<Task>>,
    fits: impl Fn(&Task) -> bool,
    cursor: Option<&str>,
) -> Result<Rows<Versioned<Task>>, Problem> {
    let mut rows = Rows {
        items: Vec::new(),
        next: cursor.map(str::to_owned),
    };
    loop {
        let page = list().limit(SHOWN).after(rows.next.as_deref());
        let page = page.page().await?;
        let fitting = page.items.into_iter().filter(|task| fits(task));
        rows.items.extend(fitting);
        rows.next = page.next;
        if rows.next.is_none() {
            return Ok(rows);
        }
        if rows.items.len() >= SHOWN as usize {
            break;
        }
    }
    let (mut next, mut ahead) = (rows.next.clone(), 1);
    while next.is_some() {
        let page = list().limit(ahead).after(next.as_deref()).page().await?;
        if page.items.iter().any(|task| fits(task)) {
            return Ok(rows);
        }
        (next, ahead) = (page.next, SHOWN);
    }
    rows.next = None;
    Ok(rows)
}

/// Whether a search for these words finds a task.
fn has_words(task: &Task, words: &[String]) -> bool {
    let texts = [Some(&task.title), task.description.as_ref()];
    let texts = texts.into_iter().flatten();
    let texts: Vec<String> = texts.flat_map(|text| tablewright::words(text)).collect();
    words
        .iter()
        .all(|word| texts.iter().any(|text| text.contains(word)))
}

async fn rows(
    app: &App,
    caller: &Caller,
    shown: &Shown<'_>,
    cursor: Option<&str>,
) -> Result<Rows<Versioned<Task>>, Problem> {
    let wanted = &shown.wanted;
    let user_id = &caller.sub;
    if let (Some(words), Sort::Created) = (shown.words, shown.sort) {
        let found = || app.todo.tasks.search_tasks(user_id, words).reversed();
        return fitting(|| found().caller(user_id), |task| wanted.fits(task), cursor).await;
    }
    let Some(plan) = plan(wanted, Some(shown.sort), None, false) else {
        return Ok(Rows {
            items: Vec::new(),
            next: None,
        });
    };
    let query = || {
        let query = query(app, user_id, &plan).caller(user_id);
        match plan.reversed {
            true => query.reversed(),
            false => query,
        }
    };
    // In another order than that of creation the list is read, and not the search: it has the order.
    let words = tablewright::words(shown.words.unwrap_or_default());
    fitting(query, |task| has_words(task, &words), cursor).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_as_people_say_it() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let today = day("2024-03-01");
        for (due, told) in [
            ("2024-02-29", "due yesterday"),
            ("2024-03-01", "due today"),
            ("2024-03-02", "due tomorrow"),
            ("2020-01-31", "due 31 Jan 2020"),
        ] {
            assert_eq!(named(day(due), today), told);
        }
    }

    #[test]
    fn one_signs_in_by_name_at_the_issuer_or_with_a_token() {
        let shown = |development, signs_in| {
            let issuer = String::from("https://id.example/<pool>");
            let shell = Shell {
                development,
                issuer,
                signs_in,
                insights: false,
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
