//! What became of mails.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright_service::{Cursor, Json, Kind, Limit, Params, Problem, Routes, get};

use crate::state::App;
use crate::view::{Listed, UndeliveredView};
use crate::who::Admin;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Mail", "What became of mails.").route(
        get("/mail/undelivered", list_undelivered)
            .summary("Mails that did not arrive, the latest first")
            .about("For admins: those a server refused, those that were given up, and those that came back, for 30 days.")
            .problem(Kind::BAD_CURSOR),
    )
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
