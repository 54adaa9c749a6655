//! The caller themselves.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use tablewright::{Change, Error, Once, Versioned};
use tablewright_service::{
    Answer, Caller, Claims, Created, ETag, IfMatch, Kind, NoContent, Operation, Output, Problem,
    Replayable, Routes, Tagged, ToAnswer, Write, delete, get, put,
};

use super::UNDER;
use crate::begun::{Begun, begin};
use crate::leave::leave;
use crate::model::{Idempotency, UpdateUser, User, UserKey};
use crate::named::of_caller;
use crate::rules::{Faults, address, line};
use crate::state::App;
use crate::view::UserView;

/// The longest name.
const NAME: usize = 100;

pub(super) fn routes() -> Routes<App> {
    Routes::new("Users", "The caller themselves.")
        .route(get("/users/me", read_me).summary("Who the caller is").problem(Kind::NOT_FOUND))
        .route(
            put("/users/me", write_me)
                .summary("Say who the caller is")
                .about("What is not said is taken from what is known, then from the token. An address belongs to one user; it is compared without regard to case.")
                .problem(Kind::TAKEN)
                .problem(Kind::FORBIDDEN)
                .problem(Kind::CONFLICT),
        )
        .route(
            delete("/users/me", delete_me)
                .summary("Forget the caller")
                .about("With all tasks, and with what is remembered of requests, but for the key of this one. A request that broke off can be sent again, and goes on.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
}

/// Who the caller is, as they say.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserInput {
    /// Their address.
    #[schemars(email, length(max = 254))]
    email: Option<String>,
    /// Their name.
    #[schemars(length(min = 1, max = 100))]
    name: Option<String>,
}

/// What became of it.
enum Saved {
    New(Created<UserView>),
    Changed(Tagged<UserView>),
}

impl ToAnswer for Saved {
    fn to_answer(&self) -> Result<Answer, Problem> {
        match self {
            Saved::New(created) => created.to_answer(),
            Saved::Changed(changed) => changed.to_answer(),
        }
    }
}

impl IntoResponse for Saved {
    fn into_response(self) -> Response {
        self.to_answer().into_response()
    }
}

impl Output for Saved {
    fn describe(operation: &mut Operation<'_>) {
        Created::<UserView>::describe(operation);
        Tagged::<UserView>::describe(operation);
    }
}

fn tagged(user: &User) -> Result<Tagged<UserView>, Problem> {
    let body = UserView::from(user);
    Ok(Tagged {
        etag: ETag::of_content(&(&body, user.revision))?,
        body,
    })
}

/// S0-15
async fn read_me(State(app): State<App>, caller: Caller) -> Result<Tagged<UserView>, Problem> {
    let found = app.todo.users.user(&caller.sub).await?;
    let user = found.ok_or_else(|| of_caller(Problem::not_found("user")))?;
    tagged(&user.data)
}

/// S0-10, C0-21
async fn write_me(
    State(app): State<App>,
    caller: Caller,
    meant: IfMatch,
    write: Write<UserInput>,
) -> Result<Replayable<Saved>, Problem> {
    let said = checked(&app, &caller, &write.body)?;
    let (app, caller, meant, said) = (&app, &caller, &meant, &said);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            // Somebody else may make or delete the user in between; then it is tried the other way once more.
            if let Some(once) = there(update(app, caller, meant, said, &claims).await)? {
                return Ok(once);
            }
            meant.check_absent()?;
            if let Some(once) = there(create(app, caller, said, &claims).await)? {
                return Ok(once);
            }
            let once = there(update(app, caller, meant, said, &claims).await)?;
            once.ok_or_else(|| Problem::new(Kind::CONFLICT))
        })
        .await
        .map_err(of_caller)
}

/// What was said, with the address in its one form, if it may be said.
fn checked(app: &App, caller: &Caller, said: &UserInput) -> Result<UserInput, Problem> {
    let mut faults = Faults::new();
    if let Some(name) = &said.name {
        faults.note("name", line(name, NAME));
    }
    let email = said.email.as_deref().map(address);
    if let Some(Err(why)) = &email {
        faults.add("email", why);
    }
    faults.none_of(Kind::INVALID)?;
    let email = email.and_then(Result::ok);
    if let Some(email) = &email {
        may_be_theirs(app, caller, email)?;
    }
    Ok(UserInput {
        email,
        name: said.name.clone(),
    })
}

/// Where only verified addresses are taken, nobody says that another's is theirs.
fn may_be_theirs(app: &App, caller: &Caller, email: &str) -> Result<(), Problem> {
    let verified = caller.email.as_deref().filter(|_| caller.email_verified);
    let verified = verified.and_then(|own| address(own).ok());
    let is_theirs = verified.is_some_and(|own| own.to_lowercase() == email.to_lowercase());
    match is_theirs || !app.verified_addresses {
        true => Ok(()),
        false => Err(Problem::new(Kind::FORBIDDEN)
            .field("email", "it is not the address the issuer has verified")),
    }
}

/// The address the token says, in its one form.
fn own_address(caller: &Caller) -> Result<String, Problem> {
    let Some(own) = &caller.email else {
        let why = "it is missing, and the token has none";
        return Err(Problem::invalid("email", why));
    };
    address(own).map_err(|why| {
        Problem::invalid("email", format!("it is missing, and of the token's {why}"))
    })
}

/// Why the user was not written.
enum Missed {
    /// It is not there to be updated, or is there already when it is to be created.
    NotThere,
    /// It is what it is to become.
    AsItWas(Box<Tagged<UserView>>),
    Problem(Problem),
}

/// What became of it; nothing where it has to be tried the other way.
fn there(
    written: Result<Once<Saved, Idempotency>, Missed>,
) -> Result<Option<Once<Saved, Idempotency>>, Problem> {
    match written {
        Ok(once) => Ok(Some(once)),
        Err(Missed::NotThere) => Ok(None),
        Err(Missed::AsItWas(tagged)) => Ok(Some(Once::Done(Saved::Changed(*tagged)))),
        Err(Missed::Problem(problem)) => Err(problem),
    }
}

impl From<Error> for Missed {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } | Error::Exists { .. } => Missed::NotThere,
            error => Missed::Problem(error.into()),
        }
    }
}

impl From<Problem> for Missed {
    fn from(problem: Problem) -> Self {
        Missed::Problem(problem)
    }
}

async fn update(
    app: &App,
    caller: &Caller,
    meant: &IfMatch,
    said: &UserInput,
    claims: &Claims<Idempotency>,
) -> Result<Once<Saved, Idempotency>, Missed> {
    let mut answer = None;
    let once = app
        .todo
        .users
        .update_user(
            &UserKey::new(&caller.sub),
            |user: &Versioned<User>| -> Result<_, Missed> {
                meant.check_tag(tagged(user)?.etag)?;
                let mut after = user.data.clone();
                after.email = said.email.clone().unwrap_or(after.email);
                after.name = said.name.clone().unwrap_or(after.name);
                if after != user.data {
                    after.updated_at = app.now().max(user.updated_at);
                    after.revision = user.revision.saturating_add(1);
                }
                let tagged = tagged(&after)?;
                let claim = claims.of(&tagged)?;
                if claim.is_none() && after == user.data {
                    return Err(Missed::AsItWas(Box::new(tagged)));
                }
                answer = Some(tagged);
                let update = UpdateUser {
                    email: Change::Set(after.email),
                    name: Change::Set(after.name),
                    updated_at: Change::Set(after.updated_at),
                    revision: Change::Set(after.revision),
                };
                Ok((update, claim))
            },
        )
        .await?;
    let answer =
        answer.ok_or_else(|| Problem::internal("a change was made that nobody asked for"))?;
    Ok(once.map(|_| Saved::Changed(answer)))
}

async fn create(
    app: &App,
    caller: &Caller,
    said: &UserInput,
    claims: &Claims<Idempotency>,
) -> Result<Once<Saved, Idempotency>, Missed> {
    let email = match &said.email {
        Some(email) => email.clone(),
        None => own_address(caller)?,
    };
    may_be_theirs(app, caller, &email)?;
    let name = said
        .name
        .clone()
        .or_else(|| caller.name.clone().filter(|name| line(name, NAME).is_ok()));
    let now = app.now();
    let user = User {
        user_id: caller.sub.clone(),
        name: name.unwrap_or_else(|| email.chars().take(NAME).collect()),
        email,
        created_at: now,
        updated_at: now,
        revision: 1,
    };
    let Tagged { body, etag } = tagged(&user)?;
    let created = Created::new(body, format!("{UNDER}/users/me")).etag(etag);
    let claim = claims.of(&created)?;
    let once = app.todo.users.create_user(user, claim).await?;
    Ok(once.map(|_| Saved::New(created)))
}

/// C0-22
async fn delete_me(
    State(app): State<App>,
    caller: Caller,
    meant: IfMatch,
    write: Write<()>,
) -> Result<Replayable<NoContent>, Problem> {
    let (app, caller, meant) = (&app, &caller, &meant);
    write
        .once(app.store(), |claims: Claims<Idempotency>| async move {
            let begun = match begin(app, &claims).await? {
                Once::Done(begun) => begun,
                Once::Before(record) => return Ok(Once::Before(record)),
            };
            if let Err(refused) = is_meant(app, caller, meant, &begun).await {
                begun.give_up().await?;
                return Err(refused);
            }
            // What was taken up may be done already.
            let leaving = begun.in_time(leave(app, &caller.sub));
            let was_there = begun.work(leaving).await?;
            if !was_there && !begun.is_taken_up() {
                begun.give_up().await?;
                return Err(Problem::not_found("user"));
            }
            begun.end(NoContent).await
        })
        .await
        .map_err(of_caller)
}

async fn is_meant(
    app: &App,
    caller: &Caller,
    meant: &IfMatch,
    begun: &Begun<'_>,
) -> Result<(), Problem> {
    if !meant.is_given() {
        return Ok(());
    }
    match app.todo.users.user(&caller.sub).await? {
        Some(user) => meant.check_tag(tagged(&user)?.etag),
        None if begun.is_taken_up() => Ok(()),
        None => meant.check_absent(),
    }
}
