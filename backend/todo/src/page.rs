//! The page at `/`: tasks as a list, in a browser. The server writes the HTML, htmx puts it in place.

mod assets;
mod charts;
mod said;
mod view;

use std::sync::OnceLock;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use http::{HeaderMap, Uri, header};
use tablewright::{Ulid, Versioned};
use tablewright_service::{
    Caller, Claims, Form, IssuerError, Kind, NoContent, PageSignIn, Path, Problem, Settings, Write,
    page_of_html, page_routes,
};

use self::charts::Charts;
use self::said::Said;
use self::view::{EditPage, NowPage, Shell, list, shown};
use crate::model::{Idempotency, Task, TaskKey};
use crate::named::of_task;
use crate::routes;
use crate::rules::Edit;
use crate::state::App;
use crate::tasks;
use crate::view::tag_of;

/// What answers at an address of the page.
type Answers = fn() -> MethodRouter<Page>;

/// Where the page begins, and where one is led to its charts: all that is not under `/page/`. A gateway before the service has it from
/// `infrastructure/models/todo.pages.json`.
const OUTSIDE: [(&str, Answers); 2] = [
    ("/", || get(shell)),
    ("/insights", || get(insights_of_whom)),
];

/// Why a form is not saved.
const CHANGED: &str =
    "it was changed since you opened it: look at what it is now, and save over it or leave it";

/// What the page is made of.
#[derive(Clone)]
pub(crate) struct Page {
    app: App,
    sign_in: PageSignIn,
}

pub(crate) fn routes(app: &App, settings: &Settings) -> Result<Router, IssuerError> {
    let page = Page {
        app: app.clone(),
        sign_in: PageSignIn::of(settings),
    };
    let outside = OUTSIDE
        .into_iter()
        .fold(Router::new(), |router, (path, answer)| {
            router.route(path, answer())
        });
    let parts = Router::new()
        .route("/insights", get(insights))
        .route("/tasks", get(show).post(add))
        .route("/tasks/{task_id}", post(save).delete(remove))
        .route("/tasks/{task_id}/edit", get(edit))
        .route("/tasks/{task_id}/now", get(now))
        .route("/tasks/{task_id}/tick", post(tick));
    Ok(outside
        .nest("/page", parts)
        .with_state(page)
        .merge(page_routes(settings, "example.org")?)
        .merge(assets::routes()))
}

fn html(template: &impl Template) -> Result<Response, Problem> {
    let text = template.render().map_err(Problem::internal)?;
    Ok(page_of_html(text))
}

async fn shell(State(page): State<Page>) -> Result<Response, Problem> {
    let PageSignIn {
        development,
        issuer,
        signs_in,
        ..
    } = page.sign_in;
    html(&Shell {
        development,
        issuer,
        signs_in,
        insights: page.app.lake.is_some(),
    })
}

/// A person finds the charts of the page; whoever leaves out where the API is, finds it.
async fn insights_of_whom(headers: HeaderMap) -> impl IntoResponse {
    let accepted = headers.get(header::ACCEPT);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    let to = match accepted.is_some_and(|accepted| accepted.contains("text/html")) {
        true => "/#charts",
        false => "/api/v1/insights",
    };
    ([(header::VARY, "Accept")], Redirect::temporary(to))
}

async fn insights(State(page): State<Page>, caller: Caller) -> Result<Response, Problem> {
    let insights = routes::insights::shown(&page.app, &caller).await?;
    html(&Charts::of(&insights))
}

async fn show(State(page): State<Page>, caller: Caller, uri: Uri) -> Result<Response, Problem> {
    let said = Said::in_query(&uri)?;
    let shown = shown(&page.app, &said)?;
    list(&page.app, &caller, &shown, None).await
}

/// A form that is sent twice is done once, by its key; what is shown is what there is then.
async fn add(
    State(page): State<Page>,
    caller: Caller,
    headers: HeaderMap,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let (app, seen) = (&page.app, Said::in_header(&headers)?);
    let shown = shown(app, &seen)?;
    let said = Said::of(&write);
    let edit = said.new_task()?.checked()?;
    let added = OnceLock::new();
    let (written, user_id) = (&added, &caller.sub);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |_: &Task| claims.of(&NoContent);
            let once = tasks::write_down(app, user_id, edit, claim).await?;
            Ok(once.map(|task| {
                written.get_or_init(|| task);
                NoContent
            }))
        })
        .await?;
    list(app, &caller, &shown, added.get()).await
}

async fn edit(
    State(page): State<Page>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
) -> Result<Response, Problem> {
    let task = found(&page.app, &caller, task_id).await?;
    html(&EditPage::of(&task)?)
}

/// What a task is, to who edits what it was.
async fn now(
    State(page): State<Page>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
) -> Result<Response, Problem> {
    let task = found(&page.app, &caller, task_id).await?;
    html(&NowPage::of(&task)?)
}

async fn found(app: &App, caller: &Caller, task_id: Ulid) -> Result<Versioned<Task>, Problem> {
    let found = app.todo.tasks.task(&caller.sub, task_id).await?;
    found.ok_or_else(|| of_task(Problem::not_found("task")))
}

async fn save(
    State(page): State<Page>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    headers: HeaderMap,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let seen = Said::in_header(&headers)?;
    let shown = shown(&page.app, &seen)?;
    let said = Said::of(&write);
    let edit = said.whole_task()?.checked()?;
    // Somebody may have changed it since the form was opened.
    let edit = |task: &Task| match said.text("version") {
        Some(version) if version != tag_of(task)?.to_string() => {
            Err(Problem::new(Kind::PRECONDITION_FAILED).field("version", CHANGED))
        }
        _ => Ok(edit.clone()),
    };
    change(&page.app, &caller, task_id, &write, edit).await?;
    list(&page.app, &caller, &shown, None).await
}

async fn change(
    app: &App,
    caller: &Caller,
    task_id: Ulid,
    write: &Write<Form>,
    edit: impl FnMut(&Task) -> Result<Edit, Problem>,
) -> Result<(), Problem> {
    let key = &TaskKey::new(&caller.sub, task_id);
    let done = write.once(app.store(), |claims: Claims<Idempotency>| async move {
        let claim = |_: &Task| claims.of(&NoContent);
        let once = tasks::change(app, key, edit, claim).await?;
        Ok(once.map(|_| NoContent))
    });
    done.await.map(drop).map_err(of_task)
}

/// What the button says is done, whatever the task has become since it was shown.
async fn tick(
    State(page): State<Page>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    uri: Uri,
    headers: HeaderMap,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let edit = Edit::of_status(Said::in_query(&uri)?.to()?);
    let seen = Said::in_header(&headers)?;
    let shown = shown(&page.app, &seen)?;
    change(&page.app, &caller, task_id, &write, |_| Ok(edit.clone())).await?;
    list(&page.app, &caller, &shown, None).await
}

async fn remove(
    State(page): State<Page>,
    caller: Caller,
    Path(task_id): Path<Ulid>,
    headers: HeaderMap,
    write: Write<()>,
) -> Result<Response, Problem> {
    let seen = Said::in_header(&headers)?;
    let shown = shown(&page.app, &seen)?;
    let (app, key) = (&page.app, &TaskKey::new(&caller.sub, task_id));
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let once = tasks::delete(app, key, claims.of(&NoContent)?).await?;
            Ok(once.map(|()| NoContent))
        })
        .await
        .map_err(of_task)?;
    list(&page.app, &caller, &shown, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever reloads a page finds it behind a gateway as well.
    #[test]
    fn the_gateway_knows_where_pages_begin() {
        let list = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../infrastructure/models/todo.pages.json");
        let paths = OUTSIDE.map(|(path, _)| path);
        let text = serde_json::to_string_pretty(&paths).unwrap() + "\n";
        if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
            std::fs::write(&list, &text).unwrap();
        }
        let known = std::fs::read_to_string(&list).unwrap_or_default();
        assert_eq!(known, text, "bless with TABLEWRIGHT_BLESS=1");
    }
}
