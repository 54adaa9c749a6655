//! Bans: who is banned answers nothing, is on no board and is told of nothing, until an admin ends it.

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::{Change, Error, Timestamp, Versioned};
use tablewright_service::{Kind, Listing, Problem};

use crate::model::{
    BanHuman, DeactivateSubscription, ReactivateSubscription, ResponseKey, ResponseReview,
    ReviewResponse, Subscription, SubscriptionKey, UnbanHuman, UserStatsKey,
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
        Ok(_) | Err(Error::Refused { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let (pending, banned) = (ResponseReview::Pending, ResponseReview::Banned);
    be_silent(app, fingerprint_hash).await?;
    review_again(app, fingerprint_hash, pending, banned).await
}

/// Ends a ban: this person answers again, is back on the boards with what they had, and their devices are told. What was not counted because of it waits for
/// a decision of its own. Of who is not banned it changes nothing but what another ban has left undone.
///
/// The ban itself is ended last: if only a part was done, they are still among those who are banned, and it can be done again.
///
/// # Errors
/// 404 when nobody is known by this.
pub(crate) async fn end(app: &App, fingerprint_hash: &str) -> Result<(), Problem> {
    let nobody = || Problem::not_found("person");
    if fingerprint_hash.len() > LONGEST {
        return Err(nobody());
    }
    let key = UserStatsKey::new(fingerprint_hash);
    let people = &app.ask.user_stats;
    people.items().read_strong(&key).await?.ok_or_else(nobody)?;
    let (pending, banned) = (ResponseReview::Pending, ResponseReview::Banned);
    review_again(app, fingerprint_hash, banned, pending).await?;
    be_told(app, fingerprint_hash).await?;
    let now = app.now();
    let ended = people.unban_human(&key, |_| {
        Ok::<_, Error>(UnbanHuman {
            banned_at: Change::Set(None),
            updated_at: Change::Set(now),
        })
    });
    match ended.await {
        // Ended before.
        Ok(_) | Err(Error::Refused { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The longest text somebody is known by.
const LONGEST: usize = 128;

/// What of a person's is in one state of review goes to another.
async fn review_again(
    app: &App,
    fingerprint_hash: &str,
    from: ResponseReview,
    to: ResponseReview,
) -> Result<(), Problem> {
    let answers = app.ask.responses.answers_of_human(fingerprint_hash);
    let answers = answers.limit(100).all().collect().await?.into_iter();
    for answer in answers.filter(|answer| answer.review == Some(from)) {
        let key = ResponseKey::new(answer.question_id, fingerprint_hash);
        let written = app.ask.responses.review_response(&key, |before| {
            if before.review != Some(from) {
                return Err(Problem::new(Kind::REFUSED));
            }
            Ok(ReviewResponse {
                review: Change::Set(Some(to)),
            })
        });
        match written.await {
            Ok(_) => {}
            // Decided on meanwhile, or gone.
            Err(problem) if [Kind::REFUSED, Kind::NOT_FOUND].contains(&problem.kind()) => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
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
