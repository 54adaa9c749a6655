//! Who tells one person of a question: whoever writes it down (C2-4).

use tablewright::{Change, Error, Failed, Timestamp, Versioned};

use super::Inner;
use crate::model::{
    DeactivateSubscription, Notice, NotifyInput, NotifyOutreach, NotifyRefused, NotifySeen,
    NotifySubscription, OutreachKey, Question, Subscription, SubscriptionKey,
};
use crate::state::now_of;

/// What became of a claim.
#[derive(Debug)]
pub(super) enum Claim {
    /// It is ours to tell them, on this device as it is now.
    Ours(Box<Subscription>),
    /// The person was told of this question by somebody else.
    ToldAlready,
    /// The device may not be notified now: it was a moment ago, or is gone.
    NotNow,
    /// As many people as are wanted are told, by us or by others.
    NoPlace,
}

impl Inner {
    /// Writes down that a person is told, and when their device may be notified again (S2-27, C2-3), and takes a place.
    pub(super) async fn claim(
        &self,
        question: &Question,
        device: &Subscription,
        round: i64,
    ) -> Result<Claim, Error> {
        let now = now_of(&self.ask);
        let mut claimed = None;
        let key = SubscriptionKey::new(device.subscription_id);
        let places = OutreachKey::new(question.question_id);
        let written = self.ask.notify(&key, &places, now, |seen: &NotifySeen| {
            let device = &seen.subscription.data;
            claimed = Some(device.clone());
            Ok::<_, Failed<NotifyRefused>>(NotifyInput {
                notice: Notice {
                    question_id: question.question_id,
                    fingerprint_hash: device.fingerprint_hash.clone(),
                    subscription_id: device.subscription_id,
                    round,
                    notified_at: now,
                    purge_at: question.purge_at,
                },
                subscription: NotifySubscription {
                    last_notified_at: Change::Set(Some(now)),
                    next_eligible_at: Change::Set(after(now, device.min_interval_minutes)),
                    updated_at: Change::Set(now),
                },
                outreach: NotifyOutreach { add_told: 1 },
            })
        });
        match (written.await, claimed) {
            (Ok(()), Some(device)) => Ok(Claim::Ours(Box::new(device))),
            (Err(Failed::Refused(refused)), _) if refused.notice.is_some() => {
                Ok(Claim::ToldAlready)
            }
            (Err(Failed::Refused(refused)), _) if refused.outreach.is_some() => Ok(Claim::NoPlace),
            // A device that another dispatcher claims in this moment is not for us either: perhaps for the same question.
            (Err(Failed::Error(Error::Conflict { .. })), _) => {
                let (id, person) = (question.question_id, &device.fingerprint_hash);
                Ok(match self.ask.notices.notice(id, person).await? {
                    Some(_) => Claim::ToldAlready,
                    None => Claim::NotNow,
                })
            }
            (Ok(()), None)
            | (Err(Failed::Refused(_)), _)
            | (Err(Failed::Error(Error::NotFound { .. })), _) => Ok(Claim::NotNow),
            (Err(Failed::Error(error)), _) => Err(error),
        }
    }

    /// A device that is gone is notified no more, unless it has come back with another token. If that cannot be written down now, it is the next time.
    pub(super) async fn deactivate(&self, device: &Subscription) {
        let now = now_of(&self.ask);
        let key = SubscriptionKey::new(device.subscription_id);
        let gone = |_: &Versioned<Subscription>| {
            Ok::<_, Error>(DeactivateSubscription {
                active: Change::Set(false),
                updated_at: Change::Set(now),
            })
        };
        let subscriptions = &self.ask.subscriptions;
        let written = subscriptions.deactivate_subscription(&key, &device.fcm_token, gone);
        match written.await {
            Ok(_) => {
                metrics::counter!("ask_subscriptions_deactivated_total").increment(1);
            }
            Err(Error::Refused { .. } | Error::NotFound { .. }) => {}
            Err(error) => {
                let device = device.subscription_id;
                tracing::warn!(%device, %error, "a device that is gone could not be deactivated");
            }
        }
    }
}

fn after(now: Timestamp, minutes: i64) -> Timestamp {
    Timestamp::from_millis(now.millis() + minutes * 60_000)
        .expect("a day after now can be written down")
}
