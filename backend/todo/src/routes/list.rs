//! Tasks as a list, in pages.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Page, Query, Row, Ulid};
use tablewright_service::{
    Caller, Cursor, Json, Kind, Limit, Listing, Params, Problem, Routes, get,
};

use super::several::Several;
use crate::ask::query;
use crate::model::{TaskKey, TaskPriority, TaskStatus};
use crate::rules::{Day, Faults, Filter, Order, Pattern, Plan, Sort, Wanted, plan};
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
    /// `true`: due before today, and pending or in progress.
    #[schemars(extend("const" = true))]
    overdue: Option<bool>,
    /// Whether there is a due date.
    has_due_date: Option<bool>,
    /// Up to 100 ids: these tasks, in this order, without those that are not there. Not together with `sort`, `order`, `limit` and `cursor`.
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
        Pattern::Titles => {
            let page = page(
                app.todo.tasks.task_titles(&caller.sub),
                &plan,
                &caller,
                &params,
            )
            .await?;
            Listing::of(page, |row| {
                ListedTask::of_titles(&row, fields.unwrap_or_default())
            })
        }
        _ => {
            let page = page(query(&app, &caller.sub, &plan), &plan, &caller, &params).await?;
            Listing::of(page, |task| ListedTask::of(&task, fields))
        }
    };
    Ok(Json(listing))
}

async fn page<R: Row>(
    query: Query<R>,
    plan: &Plan,
    caller: &Caller,
    params: &ListParams,
) -> Result<Page<R>, Problem> {
    let query = if plan.reversed {
        query.reversed()
    } else {
        query
    };
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let limit = params.limit.unwrap_or_default().get();
    Ok(query
        .caller(&caller.sub)
        .limit(limit)
        .after(cursor)
        .page()
        .await?)
}

/// S0-43
async fn by_ids(
    app: &App,
    caller: &Caller,
    params: &ListParams,
    ids: &[Ulid],
    wanted: &Wanted,
) -> Result<Listing<ListedTask>, Problem> {
    let mut faults = Faults::new();
    let given = [
        ("sort", params.sort.is_some()),
        ("order", params.order.is_some()),
        ("limit", params.limit.is_some()),
        ("cursor", params.cursor.is_some()),
    ];
    for (name, _) in given.into_iter().filter(|(_, given)| *given) {
        faults.add(
            name,
            "tasks that are named by their ids come all at once, in the order of the ids",
        );
    }
    faults.none_of(Kind::MALFORMED)?;
    let keys: Vec<TaskKey> = ids
        .iter()
        .map(|id| TaskKey::new(&caller.sub, *id))
        .collect();
    let found = app.todo.tasks.tasks_by_ids(&keys).await?;
    let found = found.into_iter().flatten().filter(|task| wanted.fits(task));
    Ok(Listing {
        items: found
            .map(|task| ListedTask::of(&task, params.fields()))
            .collect(),
        next_cursor: None,
    })
}
