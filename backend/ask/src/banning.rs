//! Bans: who is banned answers nothing, is on no board and is told of nothing, until an admin ends it.

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::{Change, Error, Failed, Timestamp, Versioned, Why};
use tablewright_service::{Kind, Listing, Problem};

use crate::model::{
    BanForAnswerInput, BanForAnswerRefused, BanForAnswerResponse, BanForAnswerSeen,
    BanForAnswerUserStats, BanHuman, DeactivateSubscription, ReactivateSubscription, Response,
    ResponseKey, ResponseReview, ReviewResponse, Subscription, SubscriptionKey, UnbanHuman,
    UserStatsKey,
};
use crate::state::App;

/// Somebody who is banned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Ban {
    /// Who.
    pub(crate) fingerprint_hash: String,
    /// Since when.
    pub(crate) banned_at: Option<Timestamp>,
}

/// Who is banned, the latest first.
pub(crate) async fn banned(
    app: &App,
    limit: u32,
    cursor: Option<&str>,
) -> Result<Listing<Ban>, Problem> {
    let query = app.ask.user_stats.banned_humans();
    let page = query.limit(limit).after(cursor).page().await?;
    Ok(Listing::of(page, |found| Ban {
        fingerprint_hash: found.fingerprint_hash,
        banned_at: found.banned_at,
    }))
}

/// From now on this person answers nothing, is on no board, and is told of nothing. What of theirs waits is decided with that: it is not counted either.
pub(crate) async fn ban(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    until_alone(|| is_banned_from_now_on(app, fingerprint_hash)).await?;
    be_silent(app, fingerprint_hash).await?;
    let waits = |answer: &Response| match answer.review {
        Some(ResponseReview::Pending) => Ok(()),
        _ => Err(Problem::new(Kind::REFUSED)),
    };
    for answer in answers(app, fingerprint_hash).await? {
        if waits(&answer).is_ok() {
            unless_decided(ban_for(app, &key_of(&answer), waits).await)?;
        }
    }
    Ok(())
}

async fn is_banned_from_now_on(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let key = UserStatsKey::new(fingerprint_hash);
    let now = app.now();
    let banned = app.ask.user_stats.ban_human(&key, |_| {
        Ok::<_, Error>(BanHuman {
            banned_at: Change::Set(Some(now)),
            updated_at: Change::Set(now),
        })
    });
    match banned.await {
        // Banned before.
        Ok(_) | Err(Error::Refused { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// How often something is tried while others write of the same person.
const TRIED: u32 = 8;

/// Does it once more as long as it meets what others write of the same person.
async fn until_alone<T, F>(does: impl Fn() -> F) -> Result<T, Problem>
where
    F: Future<Output = Result<T, Problem>>,
{
    for _ in 1..TRIED {
        match does().await {
            Err(problem) if problem.kind() == Kind::CONFLICT => {}
            done => return done,
        }
    }
    does().await
}

/// An answer is `banned`, and its author with it, in one transaction. Whoever ends the ban at the same time finds that the author has changed since they looked, and looks again: so nobody who is not banned has an answer that is.
pub(crate) async fn ban_for(
    app: &App,
    key: &ResponseKey,
    may_be: impl Fn(&Response) -> Result<(), Problem>,
) -> Result<Versioned<Response>, Problem> {
    until_alone(|| both_are_banned(app, key, &may_be)).await
}

async fn both_are_banned(
    app: &App,
    key: &ResponseKey,
    may_be: impl Fn(&Response) -> Result<(), Problem>,
) -> Result<Versioned<Response>, Problem> {
    let now = app.now();
    let mut written = None;
    let author = UserStatsKey::new(&key.fingerprint_hash);
    let ban = |seen: &BanForAnswerSeen| -> Result<_, Told> {
        may_be(&seen.response)?;
        let mut after = seen.response.clone();
        after.review = Some(ResponseReview::Banned);
        written = Some(after);
        Ok(BanForAnswerInput {
            response: BanForAnswerResponse {
                review: Change::Set(Some(ResponseReview::Banned)),
            },
            user_stats: BanForAnswerUserStats {
                banned_at: Change::Set(seen.user_stats.banned_at.or(Some(now))),
                updated_at: Change::Set(now.max(seen.user_stats.updated_at)),
            },
        })
    };
    let done = app.ask.ban_for_answer(key, &author, ban).await;
    done.map_err(|Told(problem)| problem)?;
    written.ok_or_else(|| Problem::internal("an answer was banned that nobody looked at"))
}

/// Why nobody was banned for an answer, as the caller is told.
struct Told(Problem);

impl From<Problem> for Told {
    fn from(problem: Problem) -> Self {
        Told(problem)
    }
}

impl From<Failed<BanForAnswerRefused>> for Told {
    fn from(failed: Failed<BanForAnswerRefused>) -> Self {
        Told(match failed {
            Failed::Error(error) => error.into(),
            Failed::Refused(refused) => match (refused.response, refused.user_stats) {
                (Some(one), _) if one.why == Why::NotFound => Problem::not_found("answer"),
                (_, Some(one)) if one.why == Why::NotFound => Problem::not_found("person"),
                _ => Problem::new(Kind::CONFLICT),
            },
        })
    }
}

/// Ends a ban: this person answers again, is back on the boards with what they had, and their devices are told. What was not counted because of it waits for
/// a decision of its own. Of who is not banned it changes nothing but what another ban has left undone.
///
/// The ban itself is ended last: if only a part was done, they are still among those who are banned, and it can be done again.
///
/// # Errors
/// 404 when nobody is known by this; 409 when they change again and again meanwhile.
pub(crate) async fn end(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    if fingerprint_hash.len() > LONGEST {
        return Err(nobody());
    }
    until_alone(|| ended(app, fingerprint_hash)).await
}

/// Ends a ban, if its person is as they were before their answers were looked at; a conflict otherwise, for then another of those may be `banned`.
async fn ended(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let (people, key) = (&app.ask.user_stats, UserStatsKey::new(fingerprint_hash));
    let found = people.items().read_strong(&key).await?;
    let found = found.ok_or_else(nobody)?;
    let unless = |changed: bool| match changed {
        false => Ok(()),
        true => Err(Problem::new(Kind::CONFLICT)),
    };
    wait_again(app, fingerprint_hash).await?;
    be_told(app, fingerprint_hash).await?;
    if found.banned_at.is_none() {
        let now = people.items().read_strong(&key).await?;
        return unless(now.ok_or_else(nobody)?.banned_at.is_some());
    }
    let now = app.now();
    let ended = people.unban_human(&key, |before| {
        unless(before.last_write != found.last_write)?;
        Ok::<_, Problem>(UnbanHuman {
            banned_at: Change::Set(None),
            updated_at: Change::Set(now.max(before.updated_at)),
        })
    });
    match ended.await {
        Ok(_) => Ok(()),
        // Another has ended it, and may have banned them anew.
        Err(problem) if problem.kind() == Kind::REFUSED => Err(Problem::new(Kind::CONFLICT)),
        Err(problem) => Err(problem),
    }
}

fn nobody() -> Problem {
    Problem::not_found("person")
}

/// The longest text somebody is known by.
const LONGEST: usize = 128;

fn key_of(answer: &Response) -> ResponseKey {
    ResponseKey::new(answer.question_id, &answer.fingerprint_hash)
}

/// All answers of a person. What was decided on them may be older than it is: it comes from an index.
async fn answers(app: &App, fingerprint_hash: &str) -> Result<Vec<Versioned<Response>>, Problem> {
    let answers = app.ask.responses.answers_of_human(fingerprint_hash);
    Ok(answers.limit(100).all().collect().await?)
}

/// What is `banned` of a person's waits for a decision of its own. Each is looked at as it is now: an index may not know yet what has just been banned.
async fn wait_again(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    for answer in answers(app, fingerprint_hash).await? {
        let key = key_of(&answer);
        let written = app.ask.responses.review_response(&key, |before| {
            if before.review != Some(ResponseReview::Banned) {
                return Err(Problem::new(Kind::REFUSED));
            }
            Ok(ReviewResponse {
                review: Change::Set(Some(ResponseReview::Pending)),
            })
        });
        unless_decided(written.await)?;
    }
    Ok(())
}

/// Decided on meanwhile, or gone.
fn unless_decided(written: Result<Versioned<Response>, Problem>) -> Result<(), Problem> {
    match written {
        Err(problem) if ![Kind::REFUSED, Kind::NOT_FOUND].contains(&problem.kind()) => Err(problem),
        _ => Ok(()),
    }
}

/// Who answers nothing is notified of nothing. A device they bring later is passed over by the dispatcher.
async fn be_silent(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let now = app.now();
    for device in devices(app, fingerprint_hash, true).await? {
        let key = SubscriptionKey::new(device.subscription_id);
        let silent = |_: &Versioned<Subscription>| {
            Ok::<_, Error>(DeactivateSubscription {
                active: Change::Set(false),
                updated_at: Change::Set(now),
            })
        };
        let subscriptions = &app.ask.subscriptions;
        let written = subscriptions.deactivate_subscription(&key, &device.fcm_token, silent);
        unless_gone(written.await)?;
    }
    Ok(())
}

/// All devices are told again. One that had ended before the ban is found out when it is.
async fn be_told(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let now = app.now();
    for device in devices(app, fingerprint_hash, false).await? {
        let key = SubscriptionKey::new(device.subscription_id);
        let told = |_: &Versioned<Subscription>| {
            Ok::<_, Error>(ReactivateSubscription {
                active: Change::Set(true),
                updated_at: Change::Set(now),
            })
        };
        let subscriptions = &app.ask.subscriptions;
        let written = subscriptions.reactivate_subscription(&key, fingerprint_hash, told);
        unless_gone(written.await)?;
    }
    Ok(())
}

async fn devices(
    app: &App,
    fingerprint_hash: &str,
    active: bool,
) -> Result<Vec<Versioned<Subscription>>, Problem> {
    let devices = app
        .ask
        .subscriptions
        .subscriptions_of_human(fingerprint_hash);
    let mut devices = devices.limit(100).all().collect().await?;
    devices.retain(|device| device.active == active);
    Ok(devices)
}

/// Gone meanwhile, or another's, or with another token.
fn unless_gone(written: Result<Versioned<Subscription>, Error>) -> Result<(), Problem> {
    match written {
        Ok(_) | Err(Error::Refused { .. } | Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
