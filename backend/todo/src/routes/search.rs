//! Tasks by their words.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{
    Caller, Cursor, Json, Kind, Limit, Listing, Params, Problem, Routes, get,
};

use crate::rules::{LONGEST_SEARCH, block};
use crate::state::App;
use crate::view::TaskView;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Search", "Tasks by their words.").route(
        get("/tasks/search", search_tasks)
            .summary("Tasks in whose title or description all words occur")
            .about("Case and accents do not count. It reads the caller's tasks, the newest first, until a page is full.")
            .problem(Kind::BAD_CURSOR),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchParams {
    /// The words.
    #[schemars(length(min = 1, max = 200), extend("examples" = ["guide"]))]
    q: String,
    /// How many tasks a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `next_cursor` of the page before.
    cursor: Option<Cursor>,
}

/// S0-35, C0-12
async fn search_tasks(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<SearchParams>,
) -> Result<Json<Listing<TaskView>>, Problem> {
    let refused = |why: String| Problem::new(Kind::MALFORMED).field("q", why);
    block(&params.q, LONGEST_SEARCH).map_err(refused)?;
    if tablewright::words(&params.q).is_empty() {
        return Err(refused(String::from("it has no words")));
    }
    let found = app
        .todo
        .tasks
        .search_tasks(&caller.sub, &params.q)
        .reversed();
    let found = found
        .caller(&caller.sub)
        .limit(params.limit.unwrap_or_default().get());
    let page = found
        .after(params.cursor.as_ref().map(Cursor::as_str))
        .page()
        .await?;
    Ok(Json(Listing::of(page, |task| TaskView::from(&task.data))))
}
