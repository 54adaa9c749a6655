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
use crate::view::{Listed, UndeliveredView};
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
            post("/mail/undelivered/{event_id}/{user_id}/send", send_mail_again)
                .summary("Send a mail again that was given up")
                .about("For admins. It leaves the list, and is sent as soon as mails before it of the same task to the same person are. What was sent meanwhile, or came back, is not sent again: 409.")
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
struct UndeliveredParams {
    /// How many mails a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before.
    cursor: Option<Cursor>,
}

async fn list_undelivered(
    State(app): State<App>,
    Admin(admin): Admin,
    Params(params): Params<UndeliveredParams>,
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
