//! Whether people are active.

use tablewright::{Change, Error, Once, Versioned};
use tablewright_service::{Kind, Problem};

use crate::model::{ActivateUser, DeactivateUser, Idempotency, User, UserKey, UserStatus};
use crate::record::Claim;
use crate::state::App;
use crate::who::Known;

/// Why nothing was written.
enum Left {
    /// They have the status already.
    As(User),
    Problem(Problem),
}

impl From<Error> for Left {
    fn from(error: Error) -> Self {
        Left::Problem(error.into())
    }
}

impl From<Problem> for Left {
    fn from(problem: Problem) -> Self {
        Left::Problem(problem)
    }
}

/// C1-12, C1-17: lets somebody in, or out, from now on. Nobody locks themselves out, so that an admin stays.
pub(crate) async fn set_status(
    app: &App,
    by: &Known,
    user_id: &str,
    to: UserStatus,
    mut claim: impl FnMut(&User) -> Claim,
) -> Result<Once<User, Idempotency>, Problem> {
    if user_id == by.id() && to == UserStatus::Deactivated {
        return Err(Problem::new(Kind::REFUSED).detail("nobody deactivates themselves"));
    }
    let mut written = None;
    let mut after = |user: &Versioned<User>| -> Result<(User, Option<Idempotency>), Left> {
        if user.user_status == to {
            return Err(Left::As(user.data.clone()));
        }
        let after = User {
            user_status: to,
            updated_at: app.now().max(user.updated_at),
            ..user.data.clone()
        };
        let claim = claim(&after)?;
        written = Some(after.clone());
        Ok((after, claim))
    };
    let (users, key) = (&app.tasks.users, UserKey::new(user_id));
    let once = match to {
        UserStatus::Deactivated => {
            let change = |user: &Versioned<User>| -> Result<_, Left> {
                let (after, claim) = after(user)?;
                let change = DeactivateUser {
                    user_status: Change::Set(after.user_status),
                    updated_at: Change::Set(after.updated_at),
                };
                Ok((change, claim))
            };
            users.deactivate_user(&key, change).await
        }
        UserStatus::Active => {
            let change = |user: &Versioned<User>| -> Result<_, Left> {
                let (after, claim) = after(user)?;
                let change = ActivateUser {
                    user_status: Change::Set(after.user_status),
                    updated_at: Change::Set(after.updated_at),
                };
                Ok((change, claim))
            };
            users.activate_user(&key, change).await
        }
    };
    match once {
        Ok(Once::Before(record)) => Ok(Once::Before(record)),
        Ok(Once::Done(done)) => Ok(Once::Done(written.unwrap_or(done.data))),
        Err(Left::As(user)) => Ok(Once::Done(user)),
        Err(Left::Problem(problem)) => Err(problem),
    }
}
