//! The board: tasks by status, the newest first. Admins see all, members their own.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use tablewright_service::{Claims, Form, NoContent, Path, Problem, Write};

use super::{html, words};
use crate::lists::{Order, Part, Wanted, Whose, page};
use crate::model::{Idempotency, Task, TaskPriority, TaskStatus};
use crate::rules::NewTask;
use crate::state::App;
use crate::tasks;
use crate::who::{Admin, Known};

/// How many tasks of a column are shown at once.
const SHOWN: u32 = 20;

/// How many tasks of a member are put on the board at once.
const OWN: u32 = 100;

#[derive(Template)]
#[template(path = "board.html")]
struct Board<'b> {
    known: &'b Known,
    columns: Vec<Column>,
    priorities: [TaskPriority; 3],
    /// The next of a member's tasks.
    next: Option<String>,
}

struct Column {
    name: &'static str,
    status: TaskStatus,
    /// How many are shown; with more behind them, that there are.
    shown: String,
    /// HTML of its cards.
    cards: String,
}

#[derive(Template)]
#[template(path = "cards.html")]
struct Cards<'c> {
    known: &'c Known,
    status: TaskStatus,
    tasks: &'c [Task],
    next: Option<String>,
}

impl Cards<'_> {
    fn moves(&self, task: &Task) -> Vec<(&'static str, &'static str)> {
        words::moves(task, self.known.role)
    }
}

pub(super) async fn show(
    State(app): State<App>,
    known: Known,
    uri: Uri,
) -> Result<Response, Problem> {
    board(&app, &known, Form::in_query(&uri).text("cursor")).await
}

/// More of a column.
pub(super) async fn more(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(status): Path<TaskStatus>,
    uri: Uri,
) -> Result<Response, Problem> {
    let cursor = Form::in_query(&uri);
    let (tasks, next) = column(&app, &admin, status, cursor.text("cursor")).await?;
    html(&Cards {
        known: &admin,
        status,
        tasks: &tasks,
        next,
    })
}

/// A form that is sent twice is done once, by its key.
pub(super) async fn add(
    State(app): State<App>,
    Admin(admin): Admin,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, admin) = (&app, &admin);
    let edit = new_task(&write.body).checked()?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let once = tasks::create(app, admin, edit, |_| claims.of(&NoContent)).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    board(app, admin, None).await
}

/// The task a form says.
pub(super) fn new_task(said: &Form) -> NewTask {
    let priorities = TaskPriority::ALL.into_iter();
    let mut said_one = priorities.filter(|one| said.text("priority") == Some(one.as_str()));
    NewTask {
        title: said.text("title").unwrap_or_default().to_owned(),
        // A form sends line breaks as two characters.
        description: said
            .text("description")
            .map(|text| text.replace("\r\n", "\n")),
        priority: said_one.next().unwrap_or_default(),
    }
}

/// The newest of a status, and where the next begin.
async fn column(
    app: &App,
    known: &Known,
    status: TaskStatus,
    cursor: Option<&str>,
) -> Result<(Vec<Task>, Option<String>), Problem> {
    let wanted = Wanted {
        status: Some(status),
        ..Wanted::default()
    };
    let part = Part {
        caller: known.id(),
        order: Some(Order::Desc),
        limit: SHOWN,
        cursor,
    };
    page(app, &Whose::All, &wanted, &part).await
}

pub(super) async fn board(
    app: &App,
    known: &Known,
    cursor: Option<&str>,
) -> Result<Response, Problem> {
    let mut columns = Vec::new();
    let mut add = |status, tasks: &[Task], next: Option<String>| -> Result<(), Problem> {
        let more = if next.is_some() { "+" } else { "" };
        let cards = Cards {
            known,
            status,
            tasks,
            next,
        };
        columns.push(Column {
            shown: format!("{}{more}", tasks.len()),
            name: words::status(status),
            status,
            cards: cards.render().map_err(Problem::internal)?,
        });
        Ok(())
    };
    let mut more = None;
    if known.is_admin() {
        for status in TaskStatus::ALL {
            let (tasks, next) = column(app, known, status, None).await?;
            add(status, &tasks, next)?;
        }
    } else {
        let part = Part {
            caller: known.id(),
            order: Some(Order::Desc),
            limit: OWN,
            cursor,
        };
        let whose = Whose::AssignedTo(known.id());
        let (tasks, next) = page(app, &whose, &Wanted::default(), &part).await?;
        for status in TaskStatus::ALL {
            let of_status = tasks.iter().filter(|task| task.status == status);
            let of_status: Vec<Task> = of_status.cloned().collect();
            add(status, &of_status, None)?;
        }
        more = next;
    }
    html(&Board {
        known,
        columns,
        priorities: TaskPriority::ALL,
        next: more,
    })
}
