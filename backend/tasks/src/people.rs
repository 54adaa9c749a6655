//! Who there is, and whether they are active.

use std::collections::BTreeSet;

use tablewright::{Change, Failed, Once, Why};
use tablewright_service::{Kind, Problem};

use crate::kinds::DEACTIVATED;
use crate::model::{
    ChangeUserStatusInput, ChangeUserStatusRefused, ChangeUserStatusUser, Idempotency,
    KeepUserStatusInput, KeepUserStatusRefused, KeepUserStatusSeen, KeepUserStatusUser, User,
    UserKey, UserRefined, UserStatus,
};
use crate::record::Claim;
use crate::state::App;
use crate::who::Known;

/// How many are looked at together.
const AT_ONCE: u32 = 100;

/// Why nothing was written, as the caller is told.
struct Told(Problem);

impl From<Problem> for Told {
    fn from(problem: Problem) -> Self {
        Told(problem)
    }
}

impl From<Failed<ChangeUserStatusRefused>> for Told {
    fn from(failed: Failed<ChangeUserStatusRefused>) -> Self {
        Told(match failed {
            Failed::Error(error) => error.into(),
            Failed::Refused(refused) => match (refused.caller, refused.user) {
                (Some(_), _) => Problem::new(DEACTIVATED),
                (_, Some(user)) if user.why == Why::NotFound => Problem::not_found("user"),
                _ => Problem::new(Kind::CONFLICT),
            },
        })
    }
}

impl From<Failed<KeepUserStatusRefused>> for Told {
    fn from(failed: Failed<KeepUserStatusRefused>) -> Self {
        Told(match failed {
            Failed::Error(error) => error.into(),
            Failed::Refused(_) => Problem::new(DEACTIVATED),
        })
    }
}

/// Those of whose names and addresses every word is a part, by address, and whether there are more. Whoever there is is looked at: there are
/// as many as work somewhere.
pub(crate) async fn find(
    app: &App,
    words: &str,
    refined: &UserRefined,
    without: &BTreeSet<String>,
    limit: usize,
) -> Result<(Vec<User>, bool), Problem> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut found = app
        .tasks
        .users
        .users()
        .refined(refined)
        .limit(AT_ONCE)
        .all();
    let mut people = Vec::new();
    while let Some(user) = found.next().await.transpose()? {
        let name = user.name.as_deref().unwrap_or_default();
        let text = format!("{name} {}", user.email).to_lowercase();
        let fits = words.iter().all(|word| text.contains(word));
        if !fits || without.contains(&user.user_id) {
            continue;
        }
        if people.len() == limit {
            return Ok((people, true));
        }
        people.push(user.data);
    }
    Ok((people, false))
}

/// C1-12, C1-17: lets somebody in, or out, from now on. Nobody locks themselves out, and of two who would lock out each other one is too
/// late, so that an admin stays. Who has the status already keeps it, and the answer is remembered all the same.
pub(crate) async fn set_status(
    app: &App,
    by: &Known,
    user_id: &str,
    to: UserStatus,
    mut claim: impl FnMut(&User) -> Claim,
) -> Result<Once<User, Idempotency>, Problem> {
    let caller = UserKey::new(by.id());
    if user_id == by.id() {
        if to == UserStatus::Deactivated {
            return Err(Problem::new(Kind::REFUSED).detail("nobody deactivates themselves"));
        }
        let claim = claim(&by.user)?;
        let keep = |seen: &KeepUserStatusSeen| -> Result<_, Told> {
            Ok(KeepUserStatusInput {
                user: KeepUserStatusUser {
                    updated_at: Change::Set(seen.user.updated_at),
                },
                claim: claim.clone(),
            })
        };
        let once = app.tasks.keep_user_status(&caller, keep).await;
        let once = once.map_err(|Told(problem)| problem)?;
        return Ok(once.map(|()| by.user.clone()));
    }
    let mut written = None;
    let mut change = |user: &User| -> Result<_, Told> {
        let mut after = user.clone();
        if user.user_status != to {
            after.user_status = to;
            after.updated_at = app.now().max(user.updated_at);
        }
        let claim = claim(&after)?;
        let user = ChangeUserStatusUser {
            user_status: Change::Set(after.user_status),
            updated_at: Change::Set(after.updated_at),
        };
        written = Some(after);
        Ok(ChangeUserStatusInput { user, claim })
    };
    let once = app
        .tasks
        .change_user_status(&caller, &UserKey::new(user_id), |seen| change(&seen.user))
        .await;
    match (once.map_err(|Told(problem)| problem)?, written) {
        (Once::Before(record), _) => Ok(Once::Before(record)),
        (Once::Done(()), Some(user)) => Ok(Once::Done(user)),
        (Once::Done(()), None) => Err(Problem::internal("a change was made that nobody asked for")),
    }
}
