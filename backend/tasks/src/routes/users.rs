//! People.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tablewright::Only;
use tablewright_service::{
    Claims, Cursor, Json, Kind, Limit, Params, Path, Problem, Replayable, Routes, Write, delete,
    get, put,
};

use crate::model::{Idempotency, User, UserRefined, UserStatus};
use crate::people::set_status;
use crate::release::release_address;
use crate::rules::{Subject, user_status};
use crate::state::App;
use crate::view::{Listed, UserView};
use crate::who::{Admin, Known};

pub(super) fn routes() -> Routes<App> {
    Routes::new("Users", "People.")
        .route(get("/users/me", read_me).summary("Who the caller is").about("Their profile is made when they come for the first time."))
        .route(
            get("/users", list_users)
                .summary("Whom tasks can be assigned to, by address")
                .about("For admins. By status, where few have it, a page may be short or empty and have a next.")
                .problem(Kind::BAD_CURSOR),
        )
        .route(
            put("/users/{user_id}/status", change_user_status)
                .summary("Deactivate somebody, or activate them again")
                .about("For admins. It holds from the next request on, whatever tokens are still good. Nobody deactivates themselves.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
        .route(
            delete("/users/{user_id}/email", free_address)
                .summary("Free the address of somebody who is deactivated")
                .about("For admins. Who was made anew at the issuer has another subject and the same address, and is refused as long as it is another's. The user stays deactivated.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::REFUSED)
                .problem(Kind::CONFLICT),
        )
}

/// S1-13
async fn read_me(known: Known) -> Result<Json<UserView>, Problem> {
    Ok(Json(UserView::from(&known.user)))
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserParams {
    /// `ACTIVE` or `DEACTIVATED`; both unless said.
    status: Option<UserStatus>,
    /// How many users a page has.
    limit: Option<Limit>,
    /// Where the page begins: the `nextCursor` of the page before.
    cursor: Option<Cursor>,
}

/// C1-12
async fn list_users(
    State(app): State<App>,
    Admin(admin): Admin,
    Params(params): Params<UserParams>,
) -> Result<Json<Listed<UserView>>, Problem> {
    let refined = UserRefined {
        user_status: params.status.map_or(Only::Any, Only::Is),
    };
    let query = app.tasks.users.users().refined(&refined);
    let page = query
        .caller(admin.id())
        .limit(params.limit.unwrap_or_default().get())
        .after(params.cursor.as_ref().map(Cursor::as_str))
        .page()
        .await?;
    Ok(Json(Listed {
        items: page
            .items
            .iter()
            .map(|user| UserView::from(&user.data))
            .collect(),
        next_cursor: page.next,
    }))
}

/// What a user becomes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewUserStatus {
    /// `ACTIVE` or `DEACTIVATED`.
    #[schemars(with = "String", extend("enum" = ["ACTIVE", "DEACTIVATED"]))]
    status: Value,
}

/// C1-12, C1-17
async fn change_user_status(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(Subject(user_id)): Path<Subject>,
    write: Write<NewUserStatus>,
) -> Result<Replayable<Json<UserView>>, Problem> {
    let (app, admin, user_id) = (&app, &admin, &user_id);
    let to = user_status(&write.body.status)?;
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |user: &User| claims.of(&Json(UserView::from(user)));
            let once = set_status(app, admin, user_id, to, claim).await?;
            Ok(once.map(|user| Json(UserView::from(&user))))
        })
        .await
}

async fn free_address(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(Subject(user_id)): Path<Subject>,
    write: Write<()>,
) -> Result<Replayable<Json<UserView>>, Problem> {
    let (app, admin, user_id) = (&app, &admin, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |user: &User| claims.of(&Json(UserView::from(user)));
            let once = release_address(app, admin, user_id, claim).await?;
            Ok(once.map(|user| Json(UserView::from(&user))))
        })
        .await
}
