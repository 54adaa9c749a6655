//! What became of mails.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{
    Claims, Cursor, Json, Kind, Limit, NoContent, Params, Path, Problem, Replayable, Routes, Write,
    get, post,
};

use crate::again::send_again;
use crate::model::Idempotency;
use crate::rules::Subject;
use crate::state::App;
use crate::view::{Listed, UndeliveredView, WaitingView};
use crate::waiting::waiting;
use crate::who::Admin;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Mail", "What became of mails.")
        .route(
            get("/mail/undelivered", list_undelivered)
                .summary("Mails that did not arrive, the latest first")
                .about("For admins: those a server refused, those that were given up, and those that came back, for 30 days.")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            get("/mail/waiting", list_waiting)
                .summary("Mails that wait, the next to be tried first")
                .about("For admins: mails that a server did not take yet or is slow with, and those that wait behind such a one, to the same person about the same task. What nobody takes for four weeks is given up, and is among those that did not arrive.")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            post("/mail/undelivered/{event_id}/{user_id}/send", send_mail_again)
                .summary("Send a mail again that was given up")
                .about("For admins. It leaves the list, and is sent as soon as mails before it of the same task to the same person are: by whoever follows changes, who looks every second on one's own machine and every ten on AWS; under AWS Lambda by `tasks-waiting-mails`, which a schedule calls every minute. A 409 says why it is not: it is being sent, was sent meanwhile, or came back; or nobody would get it, since the task is gone, or whom it is to is not active or does not work on it any more: then it stays in the list.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
}

/// C1-20
async fn send_mail_again(
    State(app): State<App>,
    Admin(admin): Admin,
    Path((event_id, Subject(user_id))): Path<(String, Subject)>,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let (app, admin, event_id, user_id) = (&app, &admin, &event_id, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = send_again(app, admin, event_id, user_id, claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListParams {
    /// How many mails a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before.
    cursor: Option<Cursor>,
}

async fn list_undelivered(
    State(app): State<App>,
    Admin(admin): Admin,
    Params(params): Params<ListParams>,
) -> Result<Json<Listed<UndeliveredView>>, Problem> {
    let query = app.tasks.undelivered_mails.undelivered_mails();
    let page = query
        .caller(admin.id())
        .limit(params.limit.unwrap_or_default().get())
        .after(params.cursor.as_ref().map(Cursor::as_str))
        .page()
        .await?;
    Ok(Json(Listed {
        items: page.items.iter().map(UndeliveredView::from).collect(),
        next_cursor: page.next,
    }))
}

async fn list_waiting(
    State(app): State<App>,
    Admin(admin): Admin,
    Params(params): Params<ListParams>,
) -> Result<Json<Listed<WaitingView>>, Problem> {
    let limit = params.limit.unwrap_or_default().get();
    let cursor = params.cursor.as_ref().map(Cursor::as_str);
    let (waiting, next_cursor) = waiting(&app, admin.id(), limit, cursor).await?;
    Ok(Json(Listed {
        items: waiting.into_iter().map(WaitingView::from).collect(),
        next_cursor,
    }))
}
