//! An address that is to be somebody else's: of a person who was made anew at the issuer, and has another subject there.

use tablewright::{Change, Failed, Once, Uuid, Why};
use tablewright_service::{Kind, Problem};

use crate::kinds::DEACTIVATED;
use crate::model::{
    Idempotency, ReleaseAddressInput, ReleaseAddressRefused, ReleaseAddressUser, User, UserKey,
};
use crate::record::Claim;
use crate::state::App;
use crate::who::Known;

/// Where nobody has an address, by RFC 2606.
const NOWHERE: &str = "@released.invalid";

/// Why nothing was written, as the caller is told.
struct Told(Problem);

impl From<Problem> for Told {
    fn from(problem: Problem) -> Self {
        Told(problem)
    }
}

impl From<Failed<ReleaseAddressRefused>> for Told {
    fn from(failed: Failed<ReleaseAddressRefused>) -> Self {
        Told(match failed {
            Failed::Error(error) => error.into(),
            Failed::Refused(refused) => match (refused.caller, refused.user) {
                (Some(_), _) => Problem::new(DEACTIVATED),
                (_, Some(user)) if user.why == Why::NotFound => Problem::not_found("user"),
                (_, Some(user)) if user.why == Why::Condition => Problem::new(Kind::REFUSED)
                    .detail("only the address of somebody who is deactivated is freed"),
                _ => Problem::new(Kind::CONFLICT),
            },
        })
    }
}

/// Frees the address of somebody who is deactivated. They stay so, whatever token they come with, and their assignments and what they did stay theirs.
pub(crate) async fn release_address(
    app: &App,
    by: &Known,
    user_id: &str,
    mut claim: impl FnMut(&User) -> Claim,
) -> Result<Once<User, Idempotency>, Problem> {
    if user_id == by.id() {
        return Err(Problem::new(Kind::REFUSED).detail("nobody frees their own address"));
    }
    let mut written = None;
    let mut change = |user: &User| -> Result<_, Told> {
        let mut after = user.clone();
        if !user.email.ends_with(NOWHERE) {
            after.email = format!("{}{NOWHERE}", Uuid::now_v7());
            after.updated_at = app.now().max(user.updated_at);
        }
        let claim = claim(&after)?;
        let user = ReleaseAddressUser {
            email: Change::Set(after.email.clone()),
            updated_at: Change::Set(after.updated_at),
        };
        written = Some(after);
        Ok(ReleaseAddressInput { user, claim })
    };
    let (caller, user) = (UserKey::new(by.id()), UserKey::new(user_id));
    let once = app
        .tasks
        .release_address(&caller, &user, |seen| change(&seen.user))
        .await;
    match (once.map_err(|Told(problem)| problem)?, written) {
        (Once::Before(record), _) => Ok(Once::Before(record)),
        (Once::Done(()), Some(user)) => Ok(Once::Done(user)),
        (Once::Done(()), None) => Err(Problem::internal("a change was made that nobody asked for")),
    }
}
