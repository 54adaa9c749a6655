//! Devices that want to hear of new questions (S2-8, S2-27, C2-20). What is another's is not there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::{Change, Error, Timestamp, Uuid, Versioned};
use tablewright_service::{Faults, Kind, Problem, line};

use crate::limits::{Counted, Limit, Standing};
use crate::model::{ChangeInterval, RefreshToken, Subscription, SubscriptionKey, TakeOverDevice};
use crate::state::App;
use crate::who::Human;

const TOKEN: usize = 500;

/// How many devices a person subscribes in a day.
const DEVICES_A_DAY: i64 = 10;
const MINUTES: std::ops::RangeInclusive<i64> = 5..=1440;

/// A device that is to be told.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSubscription {
    /// What Firebase Cloud Messaging knows the device by.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) fcm_token: String,
    /// How many minutes lie between two notifications at least; 30 unless said.
    #[serde(default = "usual_minutes")]
    #[schemars(range(min = 5, max = 1440))]
    pub(crate) min_interval_minutes: i64,
}

fn usual_minutes() -> i64 {
    30
}

/// What changes of a device. What is not said stays as it is.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionChange {
    /// What Firebase Cloud Messaging knows the device by from now on.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) fcm_token: Option<String>,
    /// How many minutes lie between two notifications at least.
    #[schemars(range(min = 5, max = 1440))]
    pub(crate) min_interval_minutes: Option<i64>,
}

/// A device that subscribes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SubscriptionView {
    /// Its id.
    pub(crate) subscription_id: Uuid,
    /// How many minutes lie between two notifications at least.
    pub(crate) min_interval_minutes: i64,
    /// When it was told last.
    pub(crate) last_notified_at: Option<Timestamp>,
    /// Whether it is told. It is not once Firebase no longer knows it.
    pub(crate) active: bool,
    /// Since when it subscribes.
    pub(crate) created_at: Timestamp,
}

impl From<&Subscription> for SubscriptionView {
    fn from(subscription: &Subscription) -> Self {
        SubscriptionView {
            subscription_id: subscription.subscription_id,
            min_interval_minutes: subscription.min_interval_minutes,
            last_notified_at: subscription.last_notified_at,
            active: subscription.active,
            created_at: subscription.created_at,
        }
    }
}

impl NewSubscription {
    /// Goes on if the values are allowed.
    ///
    /// # Errors
    /// 422 with every value that is not.
    pub(crate) fn checked(self) -> Result<Self, Problem> {
        let change = SubscriptionChange {
            fcm_token: Some(self.fcm_token.clone()),
            min_interval_minutes: Some(self.min_interval_minutes),
        };
        change.checked().map(|_| self)
    }
}

impl SubscriptionChange {
    /// Goes on if the values are allowed.
    ///
    /// # Errors
    /// 422 with every value that is not.
    pub(crate) fn checked(self) -> Result<Self, Problem> {
        let mut faults = Faults::new();
        if let Some(token) = &self.fcm_token {
            faults.note("fcm_token", line(token, TOKEN));
        }
        if let Some(minutes) = self.min_interval_minutes
            && !MINUTES.contains(&minutes)
        {
            faults.add("min_interval_minutes", "it is 5 to 1440");
        }
        faults.none_of(Kind::INVALID)?;
        Ok(self)
    }
}

/// Subscribes a device. Who sends the same again has one subscription, as they said last. Only the device itself knows its token: whoever presents it has the
/// device in their hands, and takes over the subscription somebody else had for it. Where they stand today is told as well.
///
/// # Errors
/// 409 when the token moves to yet another subscription in the same moment, 429 when it is one of many today.
pub(crate) async fn subscribe(
    app: &App,
    human: &Human,
    new: NewSubscription,
) -> Result<(Subscription, Standing), Problem> {
    let standing = devices_of(human).take(app).await?;
    Ok((subscribed(app, human, new).await?, standing))
}

/// Those of a person.
pub(crate) fn devices_of(human: &Human) -> Limit {
    Limit::daily(Counted::DEVICES, &human.fingerprint_hash, DEVICES_A_DAY)
}

async fn subscribed(
    app: &App,
    human: &Human,
    new: NewSubscription,
) -> Result<Subscription, Problem> {
    let now = app.now();
    let subscription = Subscription {
        subscription_id: Uuid::now_v7(),
        fingerprint_hash: human.fingerprint_hash.clone(),
        fcm_token: new.fcm_token.clone(),
        min_interval_minutes: new.min_interval_minutes,
        last_notified_at: None,
        // From the beginning it may be told (C2-2).
        next_eligible_at: now,
        created_at: now,
        updated_at: now,
        active: true,
    };
    let taken = match app.ask.subscriptions.subscribe(subscription).await {
        Ok(made) => return Ok(made.data),
        Err(taken @ Error::Taken { .. }) => taken,
        Err(error) => return Err(error.into()),
    };
    let found = app.ask.subscriptions.subscription_by_token(&new.fcm_token);
    let found = found.await?.ok_or(taken)?;
    if !is_of(&found, human) {
        return take_over(app, human, &found, &new).await;
    }
    let as_said = SubscriptionChange {
        fcm_token: Some(new.fcm_token),
        min_interval_minutes: Some(new.min_interval_minutes),
    };
    change(app, human, found.subscription_id, as_said).await
}

/// The subscription of a device becomes this person's, on condition that it still has the token. When the device may be notified next still depends on when it
/// was last: it is the same device.
async fn take_over(
    app: &App,
    human: &Human,
    found: &Versioned<Subscription>,
    new: &NewSubscription,
) -> Result<Subscription, Problem> {
    let (now, minutes) = (app.now(), new.min_interval_minutes);
    let key = SubscriptionKey::new(found.subscription_id);
    let taken = app
        .ask
        .subscriptions
        .take_over_device(&key, &new.fcm_token, |before| {
            Ok::<_, Error>(TakeOverDevice {
                fingerprint_hash: Change::Set(human.fingerprint_hash.clone()),
                min_interval_minutes: Change::Set(minutes),
                next_eligible_at: next_eligible(before, minutes),
                created_at: Change::Set(now),
                active: Change::Set(true),
                updated_at: Change::Set(now),
            })
        });
    match taken.await {
        Ok(taken) => Ok(taken.data),
        Err(Error::Refused { .. } | Error::NotFound { .. }) => {
            Err(Problem::new(Kind::CONFLICT).detail("the device changes hands in this moment"))
        }
        Err(error) => Err(error.into()),
    }
}

/// The devices of this person.
pub(crate) async fn list(app: &App, human: &Human) -> Result<Vec<Subscription>, Problem> {
    let hash = &human.fingerprint_hash;
    let all = app.ask.subscriptions.subscriptions_of_human(hash);
    let page = all.limit(100).page().await?;
    Ok(page.items.into_iter().map(|found| found.data).collect())
}

/// Gives a device another token, another interval, or both.
///
/// # Errors
/// 404 when it is not there or another's, 409 when another device has the token.
pub(crate) async fn change(
    app: &App,
    human: &Human,
    subscription_id: Uuid,
    change: SubscriptionChange,
) -> Result<Subscription, Problem> {
    let subscriptions = &app.ask.subscriptions;
    let found = subscriptions.subscription(subscription_id).await?;
    let own = found.filter(|found| is_of(found, human));
    let mut subscription = own.ok_or_else(not_there)?.data;
    let (key, owner) = (
        SubscriptionKey::new(subscription_id),
        &human.fingerprint_hash,
    );
    if let Some(token) = change.fcm_token {
        let changed = subscriptions.refresh_token(&key, owner, |_| {
            Ok::<_, Error>(RefreshToken {
                fcm_token: Change::Set(token.clone()),
                active: Change::Set(true),
                updated_at: Change::Set(app.now()),
            })
        });
        subscription = changed.await.map_err(of_another)?.data;
    }
    if let Some(minutes) = change.min_interval_minutes {
        let changed = subscriptions.change_interval(&key, owner, |before| {
            Ok::<_, Error>(ChangeInterval {
                min_interval_minutes: Change::Set(minutes),
                next_eligible_at: next_eligible(before, minutes),
                updated_at: Change::Set(app.now()),
            })
        });
        subscription = changed.await.map_err(of_another)?.data;
    }
    Ok(subscription)
}

/// The interval after the last notification. Who was never told may be at any time.
fn next_eligible(subscription: &Versioned<Subscription>, minutes: i64) -> Change<Timestamp> {
    let last = subscription.last_notified_at;
    let next = last.and_then(|last| Timestamp::from_millis(last.millis() + minutes * 60_000));
    next.map_or(Change::Keep, Change::Set)
}

/// Ends the subscription of a device.
///
/// # Errors
/// 404 when it is not there or another's.
pub(crate) async fn unsubscribe(
    app: &App,
    human: &Human,
    subscription_id: Uuid,
) -> Result<(), Problem> {
    let key = SubscriptionKey::new(subscription_id);
    let subscriptions = &app.ask.subscriptions;
    let removed = subscriptions.unsubscribe(&key, &human.fingerprint_hash);
    removed.await.map(drop).map_err(of_another)
}

fn is_of(subscription: &Subscription, human: &Human) -> bool {
    subscription.fingerprint_hash == human.fingerprint_hash
}

/// The owner is the only condition there is.
fn of_another(error: Error) -> Problem {
    match error {
        Error::Refused { .. } | Error::NotFound { .. } => not_there(),
        error => error.into(),
    }
}

fn not_there() -> Problem {
    Problem::not_found("subscription")
}
