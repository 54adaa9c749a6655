//! Tasks as a list, in pages.

mod by_ids;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Page, Ulid, Versioned};
use tablewright_service::{
    Caller, Cursor, Json, Kind, Limit, Listing, Params, Problem, Routes, get,
};

use self::by_ids::by_ids;
use super::several::Several;
use crate::ask::page_that_fits;
use crate::model::{Task, TaskKey, TaskPriority, TaskStatus, TaskTitles};
use crate::rules::{Day, Filter, Order, Pattern, Plan, Sort, Wanted, plan};
use crate::state::App;
use crate::view::{ListedTask, TaskField};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Lists", "Tasks as lists, in pages.").route(
        get("/tasks", list_tasks)
            .summary("Tasks, by what they are")
            .about(
                "All parameters can be combined: the best key answers, the rest filters, and a page is full unless it is the last. Lists by due date, priority and category have the tasks that have \
                 one. Lists are eventually consistent.",
            )
            .problem(Kind::BAD_CURSOR),
    )
}

/// What can be asked of a list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListParams {
    /// One status or several: `pending`, `in_progress`, `completed`, `cancelled`.
    status: Option<Several<TaskStatus>>,
    /// One priority or several: `low`, `medium`, `high`, `urgent`.
    priority: Option<Several<TaskPriority>>,
    /// The category, exactly.
    #[schemars(length(min = 1, max = 50))]
    category: Option<String>,
    /// Due on this day.
    due_on: Option<Day>,
    /// Due on this day or later.
    due_from: Option<Day>,
    /// Due on this day or earlier.
    due_to: Option<Day>,
    /// `true`: due before today, and pending or in progress. `false`: all others.
    overdue: Option<bool>,
    /// Whether there is a due date.
    has_due_date: Option<bool>,
    /// Up to 100 ids: these tasks, without those that are not there. All at once and in this order, unless `limit`, `sort` or `order` say otherwise.
    ids: Option<Several<Ulid>>,
    /// The order; by due date when days are asked for, else by creation.
    sort: Option<Sort>,
    /// Its direction; the newest, the most urgent, the earliest due first unless said.
    order: Option<Order>,
    /// How many tasks a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
    /// What to show of each task; `task_id` always is.
    fields: Option<Several<TaskField>>,
    /// Where today is: a time zone as `Europe/Berlin`; UTC unless said.
    #[schemars(length(min = 1, max = 50), extend("examples" = ["Europe/Berlin"]))]
    tz: Option<String>,
}

impl ListParams {
    fn filter(&self) -> Filter {
        Filter {
            status: self.status.clone().map(|several| several.0),
            priority: self.priority.clone().map(|several| several.0),
            category: self.category.clone(),
            due_on: self.due_on,
            due_from: self.due_from,
            due_to: self.due_to,
            overdue: self.overdue,
            has_due_date: self.has_due_date,
            tz: self.tz.clone(),
        }
    }

    /// The order that was asked for, in words.
    fn ordered(&self) -> String {
        format!("{:?} {:?}", self.sort, self.order)
    }

    fn limit(&self) -> u32 {
        self.limit.unwrap_or_default().get()
    }

    fn after(&self) -> Option<&str> {
        self.cursor.as_ref().map(Cursor::as_str)
    }

    fn fields(&self) -> Option<&[TaskField]> {
        self.fields.as_ref().map(|several| several.0.as_slice())
    }
}

/// S0-17 … S0-30, S0-42, S0-43
async fn list_tasks(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<ListedTask>>, Problem> {
    let wanted = params
        .filter()
        .wanted(app.store().now_millis(), Kind::MALFORMED, "")?;
    if let Some(Several(ids)) = &params.ids {
        return by_ids(&app, &caller, &params, ids, &wanted).await.map(Json);
    }
    let fields = params.fields();
    let titles = fields.is_some_and(|fields| fields.iter().all(|field| field.is_in_titles()));
    let Some(plan) = plan(&wanted, params.sort, params.order, titles) else {
        // What no task can be has no pages, and none of our cursors.
        return match params.cursor {
            Some(_) => Err(tablewright::Error::BadCursor.into()),
            None => Ok(Json(Listing {
                items: Vec::new(),
                next_cursor: None,
            })),
        };
    };
    let listing = match plan.pattern {
        Pattern::Titles => match titles_of(&app, &caller, &plan, &params).await {
            // The page before was of whole tasks: so is this one.
            Err(problem) if problem.kind() == Kind::BAD_CURSOR => {
                let plan = Plan {
                    pattern: Pattern::Tasks,
                    ..plan
                };
                let asked = (&wanted, &plan);
                let page = page_that_fits(&app, &caller.sub, asked, params.limit(), params.after());
                Listing::of(page.await?, |task| ListedTask::of(&task, fields))
            }
            page => Listing::of(page?, |row| {
                ListedTask::of_titles(&row, fields.unwrap_or_default())
            }),
        },
        _ => {
            let page = whole_tasks(&app, &caller, (&wanted, &plan), &params).await?;
            Listing::of(page, |task| ListedTask::of(&task, fields))
        }
    };
    Ok(Json(listing))
}

async fn titles_of(
    app: &App,
    caller: &Caller,
    plan: &Plan,
    params: &ListParams,
) -> Result<Page<TaskTitles>, Problem> {
    let mut query = app.todo.tasks.task_titles(&caller.sub);
    if plan.reversed {
        query = query.reversed();
    }
    let query = query.caller(&caller.sub).limit(params.limit());
    Ok(query.after(params.after()).page().await?)
}

async fn whole_tasks(
    app: &App,
    caller: &Caller,
    (wanted, plan): (&Wanted, &Plan),
    params: &ListParams,
) -> Result<Page<Versioned<Task>>, Problem> {
    let asked = (wanted, plan);
    let page = page_that_fits(app, &caller.sub, asked, params.limit(), params.after());
    match page.await {
        // The page before was of titles: this one goes on from there.
        Err(problem) if plan.pattern == Pattern::Tasks && problem.kind() == Kind::BAD_CURSOR => {
            let titles = titles_of(app, caller, plan, params).await?;
            let keys = titles.items.iter();
            let keys: Vec<TaskKey> = keys
                .map(|row| TaskKey::new(&caller.sub, row.task_id))
                .collect();
            let found = app.todo.tasks.tasks_by_ids(&keys).await?;
            Ok(Page {
                items: found.into_iter().flatten().collect(),
                next: titles.next,
            })
        }
        page => page,
    }
}
