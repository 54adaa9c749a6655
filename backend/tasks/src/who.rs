//! Who asks: a person with a profile, who has not been deactivated. Handlers take them as an argument.

use axum::extract::FromRequestParts;
use http::request::Parts;
use tablewright::{Change, Error, Versioned};
use tablewright_service::{Caller, Input, Kind, Operation, Problem, line};

use crate::kinds::{ADDRESS_REFUSED, DEACTIVATED};
use crate::model::{UpdateUser, User, UserKey, UserStatus};
use crate::rules::{Role, address_of, groups_of, role_of};
use crate::state::App;

/// The longest name.
const NAME: usize = 100;

/// Somebody who is known and active, in the role their token gives them.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) user: User,
    pub(crate) role: Role,
}

/// Somebody who is known, active and an admin (S1-20, S1-27).
#[derive(Debug, Clone)]
pub(crate) struct Admin(pub(crate) Known);

impl Known {
    /// The subject of their token (S1-37).
    pub(crate) fn id(&self) -> &str {
        &self.user.user_id
    }

    pub(crate) fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

impl FromRequestParts<App> for Known {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let caller = <Caller as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        known(app, &caller).await
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let known = Known::from_request_parts(parts, app).await?;
        match known.role {
            Role::Admin => Ok(Admin(known)),
            Role::Member => Err(Problem::new(Kind::FORBIDDEN).detail("only an admin may do this")),
        }
    }
}

impl Input for Known {
    fn describe(operation: &mut Operation<'_>) {
        operation.signed_in(true);
        for kind in [Kind::FORBIDDEN, DEACTIVATED, ADDRESS_REFUSED, Kind::TAKEN] {
            operation.problem(&kind);
        }
    }
}

impl Input for Admin {
    fn describe(operation: &mut Operation<'_>) {
        Known::describe(operation);
    }
}

/// The person of a token. The profile is read strongly for each request: a deactivation holds from the next one on, whatever tokens are still
/// good (C1-17).
pub(crate) async fn known(app: &App, caller: &Caller) -> Result<Known, Problem> {
    let found = app.tasks.users.recipient(&caller.sub).await?;
    let user = match found {
        Some(user) => user,
        None => first_seen(app, caller).await?,
    };
    if user.user_status == UserStatus::Deactivated {
        return Err(Problem::new(DEACTIVATED));
    }
    Ok(Known {
        user: as_the_token_says(app, caller, user).await?.data,
        role: role_of(&caller.groups),
    })
}

/// S1-8: a profile is made when somebody comes for the first time.
async fn first_seen(app: &App, caller: &Caller) -> Result<Versioned<User>, Problem> {
    let address = address_of(caller, &app.domains)
        .map_err(|why| Problem::new(ADDRESS_REFUSED).detail(why.to_string()))?;
    let now = app.now();
    let user = User {
        user_id: caller.sub.clone(),
        email: address.to_owned(),
        name: name_of(caller),
        user_status: UserStatus::Active,
        groups: groups_of(&caller.groups),
        created_at: now,
        updated_at: now,
    };
    match app.tasks.users.create_user(user).await {
        Ok(user) => Ok(user),
        // Another request of theirs was faster, or somebody else has the address.
        Err(error @ (Error::Exists { .. } | Error::Taken { .. })) => {
            match app.tasks.users.recipient(&caller.sub).await? {
                Some(user) => Ok(user),
                None if matches!(error, Error::Exists { .. }) => Err(error.into()),
                None => Err(Problem::new(Kind::TAKEN)
                    .detail("somebody else is known by the e-mail address of this token")
                    .field("email", "another user has this address already")),
            }
        }
        Err(Error::Invalid { why, .. }) => Err(Problem::new(ADDRESS_REFUSED)
            .detail(format!("the token does not describe a person: {why}"))),
        Err(error) => Err(error.into()),
    }
}

fn name_of(caller: &Caller) -> Option<String> {
    let name = caller.name.clone();
    name.filter(|name| line(name, NAME).is_ok())
}

/// C1-23: address, name and groups follow the issuer. What the token does not say stays, and an address that is not permitted or
/// somebody else's does not become theirs.
async fn as_the_token_says(
    app: &App,
    caller: &Caller,
    user: Versioned<User>,
) -> Result<Versioned<User>, Problem> {
    let mut said = user.data.clone();
    said.groups = groups_of(&caller.groups);
    said.name = name_of(caller).or(said.name);
    if let Ok(address) = address_of(caller, &app.domains) {
        said.email = address.to_owned();
    }
    if said == user.data {
        return Ok(user);
    }
    let now = app.now();
    let change = |before: &Versioned<User>| -> Result<UpdateUser, Error> {
        Ok(UpdateUser {
            email: Change::Set(said.email.clone()),
            name: Change::Set(said.name.clone()),
            groups: Change::Set(said.groups.clone()),
            updated_at: Change::Set(now.max(before.updated_at)),
        })
    };
    let key = UserKey::new(&user.user_id);
    match app.tasks.users.update_user(&key, change).await {
        Ok(user) => Ok(user),
        Err(error @ (Error::Taken { .. } | Error::Conflict { .. } | Error::Invalid { .. })) => {
            tracing::warn!(user = %user.user_id, %error, "the profile stays as it was");
            Ok(user)
        }
        Err(error) => Err(error.into()),
    }
}
