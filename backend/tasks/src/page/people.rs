//! People, for admins: who there is, and whether they are active.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Uri};
use tablewright_service::{Claims, Form, NoContent, Path, Problem, Write};

use super::{html, words};
use crate::again::send_again;
use crate::model::{Idempotency, User, UserKey, UserRefined, UserStatus};
use crate::notifier::waits_since;
use crate::people::{find, set_status};
use crate::release::release_address;
use crate::rules::{Subject, user_status};
use crate::state::App;
use crate::waiting::{Waiting, waiting};
use crate::who::{Admin, Known};

/// Who is looked for after something was done, written as a query. It is no part of that: with other words it is the same request.
const LOOKED_FOR: &str = "people-shown";

/// How many people are shown at once.
const SHOWN: u32 = 50;

/// How many mails that did not arrive, and that wait.
const FAILURES: u32 = 10;

#[derive(Template)]
#[template(path = "people.html")]
struct People<'p> {
    known: &'p Known,
    /// Who is looked for.
    who: &'p str,
    people: Vec<Row>,
    next: Option<String>,
    /// Whether more fit what is looked for than are shown.
    more: bool,
    undelivered: Vec<Undelivered>,
    waiting: Vec<Waits>,
}

/// A mail that did not arrive.
struct Undelivered {
    to: String,
    when: String,
    reason: String,
    /// Where it is sent again, if it can be.
    again: Option<String>,
}

/// A mail that waits.
struct Waits {
    to: String,
    since: String,
    next: String,
    answer: Option<String>,
}

struct Row {
    user: User,
    /// Their id, as a part of an address.
    in_path: String,
    groups: String,
    is_active: bool,
    is_me: bool,
}

pub(super) async fn show(
    State(app): State<App>,
    Admin(admin): Admin,
    uri: Uri,
) -> Result<Response, Problem> {
    let said = Form::in_query(&uri);
    people(&app, &admin, &said, said.text("cursor")).await
}

pub(super) async fn change_status(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(Subject(user_id)): Path<Subject>,
    headers: HeaderMap,
    write: Write<Form>,
) -> Result<Response, Problem> {
    let looked_for = looked_for(&headers)?;
    let to = user_status(&write.body.text("status").into())?;
    let (app, admin, user_id) = (&app, &admin, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |_: &User| claims.of(&NoContent);
            let once = set_status(app, admin, user_id, to, claim).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    people(app, admin, &looked_for, None).await
}

pub(super) async fn free_address(
    State(app): State<App>,
    Admin(admin): Admin,
    Path(Subject(user_id)): Path<Subject>,
    headers: HeaderMap,
    write: Write<()>,
) -> Result<Response, Problem> {
    let looked_for = looked_for(&headers)?;
    let (app, admin, user_id) = (&app, &admin, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = |_: &User| claims.of(&NoContent);
            let once = release_address(app, admin, user_id, claim).await?;
            Ok(once.map(|_| NoContent))
        })
        .await?;
    people(app, admin, &looked_for, None).await
}

pub(super) async fn send_mail_again(
    State(app): State<App>,
    Admin(admin): Admin,
    Path((event_id, Subject(user_id))): Path<(String, Subject)>,
    headers: HeaderMap,
    write: Write<()>,
) -> Result<Response, Problem> {
    let looked_for = looked_for(&headers)?;
    let (app, admin, event_id, user_id) = (&app, &admin, &event_id, &user_id);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let claim = claims.of(&NoContent)?;
            let once = send_again(app, admin, event_id, user_id, claim).await?;
            Ok(once.map(|()| NoContent))
        })
        .await?;
    people(app, admin, &looked_for, None).await
}

fn looked_for(headers: &HeaderMap) -> Result<Form, Problem> {
    let said = headers.get(LOOKED_FOR).map(HeaderValue::as_bytes);
    Form::of_text(said.unwrap_or_default())
}

/// The latest mails that did not arrive, by the address they were to.
async fn undelivered(app: &App, admin: &Known) -> Result<Vec<Undelivered>, Problem> {
    let latest = app.tasks.undelivered_mails.undelivered_mails();
    let latest = latest.caller(admin.id()).limit(FAILURES).page().await?;
    let ids = latest.items.iter().map(|one| one.user_id.clone());
    let addresses = addresses(app, ids.collect()).await?;
    let rows = latest.items.into_iter().map(|mail| Undelivered {
        to: addresses
            .get(&mail.user_id)
            .unwrap_or(&mail.user_id)
            .clone(),
        when: words::moment(mail.at),
        again: mail.news.map(|_| {
            let (event, user) = (
                words::in_path(&mail.event_id),
                words::in_path(&mail.user_id),
            );
            format!("/page/mail/{event}/{user}/send")
        }),
        reason: mail.reason,
    });
    Ok(rows.collect())
}

/// The mails that wait and are looked at next.
async fn waits(app: &App, admin: &Known) -> Result<Vec<Waits>, Problem> {
    let (next, _) = waiting(app, admin.id(), FAILURES, None).await?;
    let ids = next.iter().map(|one| one.mail.user_id.clone());
    let addresses = addresses(app, ids.collect()).await?;
    let rows = next.into_iter().map(|Waiting { mail, answer }| Waits {
        to: addresses
            .get(&mail.user_id)
            .unwrap_or(&mail.user_id)
            .clone(),
        since: words::moment(waits_since(&mail)),
        next: words::moment(mail.due_at),
        answer,
    });
    Ok(rows.collect())
}

async fn addresses(app: &App, ids: BTreeSet<String>) -> Result<BTreeMap<String, String>, Problem> {
    let keys: Vec<UserKey> = ids.iter().map(UserKey::new).collect();
    let users = app.tasks.users.users_by_ids(&keys).await?;
    let users = users.into_iter().flatten();
    Ok(users
        .map(|user| (user.user_id.clone(), user.email.clone()))
        .collect())
}

async fn people(
    app: &App,
    admin: &Known,
    said: &Form,
    cursor: Option<&str>,
) -> Result<Response, Problem> {
    let who = said.text("who").unwrap_or_default().trim();
    let (people, next, more) = if who.is_empty() {
        let query = app.tasks.users.users().caller(admin.id()).limit(SHOWN);
        let page = query.after(cursor).page().await?;
        let people: Vec<User> = page.items.into_iter().map(|user| user.data).collect();
        (people, page.next, false)
    } else {
        let (limit, nobody) = (SHOWN as usize, BTreeSet::new());
        let any = UserRefined::default();
        let (people, more) = find(app, who, &any, &nobody, limit).await?;
        (people, None, more)
    };
    let rows = people.into_iter().map(|user| {
        let groups: Vec<&str> = user.groups.iter().map(|group| group.as_str()).collect();
        Row {
            in_path: words::in_path(&user.user_id),
            groups: groups.join(", "),
            is_active: user.user_status == UserStatus::Active,
            is_me: user.user_id == admin.id(),
            user,
        }
    });
    html(&People {
        known: admin,
        who,
        people: rows.collect(),
        next,
        more,
        undelivered: undelivered(app, admin).await?,
        waiting: waits(app, admin).await?,
    })
}
