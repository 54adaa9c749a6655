//! Who may be told of a question, in an order that chance has made.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tablewright::{Error, Uuid, Versioned};

use super::{FOR_EACH_ANSWER, Inner};
use crate::model::{Question, Response, ResponseKey, Subscription, UserStats, UserStatsKey};
use crate::state::now_of;

/// Among how many times as many as are wanted chance decides, and among how many at least: those that have waited longest.
const TIMES: usize = 4;
const LEAST: usize = 200;

/// How many are read at once of each shard of the index: the pool comes of all of them together.
const PAGE: u32 = 25;

/// How many people are looked at to find so many, and how many devices: a person with many devices must not hide the others.
const MOST_PEOPLE: usize = 2000;
const MOST_DEVICES: usize = 20_000;

impl Inner {
    /// One device each of people who may be told now (S2-18, C2-3) and were not passed yet.
    ///
    /// The order is by chance, and the same whoever asks: should two dispatchers tell of one question, they meet at the same people and not at twice as many.
    pub(super) async fn pool(
        &self,
        question: &Question,
        round: i64,
        passed: &HashSet<String>,
    ) -> Result<Vec<Subscription>, Error> {
        let wanted = usize::try_from(FOR_EACH_ANSWER * question.responses_needed).unwrap_or(0);
        let size = LEAST.max(TIMES * wanted);
        let now = now_of(&self.ask);
        let eligible = self.ask.subscriptions.eligible_subscriptions(now);
        let mut eligible = eligible.limit(PAGE).all();
        // Of each person the device that has waited longest.
        let (mut pool, mut seen) = (Vec::new(), HashSet::new());
        for _ in 0..MOST_DEVICES {
            let Some(device) = eligible.next().await else {
                break;
            };
            let device = device?.data;
            let is_new = seen.insert(device.fingerprint_hash.clone());
            if is_new && !passed.contains(&device.fingerprint_hash) {
                pool.push(device);
            }
            if pool.len() == size || seen.len() == MOST_PEOPLE {
                break;
            }
        }
        pool.sort_by_cached_key(|device| lot(question.question_id, round, device.subscription_id));
        Ok(pool)
    }

    /// Without those who have answered (C2-20), and without those who may not.
    pub(super) async fn who_could_answer(
        &self,
        question: &Question,
        devices: Vec<Subscription>,
    ) -> Result<Vec<Subscription>, Error> {
        let keys: Vec<ResponseKey> = devices
            .iter()
            .map(|device| ResponseKey::new(question.question_id, &device.fingerprint_hash))
            .collect();
        let people: Vec<UserStatsKey> = devices
            .iter()
            .map(|device| UserStatsKey::new(&device.fingerprint_hash))
            .collect();
        let (answers, stats) = tokio::try_join!(
            self.ask.responses.responses_of_humans(&keys),
            self.ask.user_stats.stats_of_humans(&people),
        )?;
        let could = |answer: &Option<Versioned<Response>>, stats: &Option<Versioned<UserStats>>| {
            let banned = stats
                .as_ref()
                .is_some_and(|stats| stats.banned_at.is_some());
            answer.is_none() && !banned
        };
        let all = devices.into_iter().zip(answers.iter().zip(&stats));
        Ok(all
            .filter(|(_, (answer, stats))| could(answer, stats))
            .map(|(device, _)| device)
            .collect())
    }
}

/// The lot a device draws in one round of a question. Ids have enough chance in them.
fn lot(question_id: Uuid, round: i64, subscription_id: Uuid) -> u64 {
    let mut hasher = DefaultHasher::new();
    (question_id, round, subscription_id).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 devices 15 are drawn in each of 400 rounds: none is preferred, and none is left out.
    #[test]
    fn every_device_has_the_same_chance() {
        let devices: Vec<Uuid> = (0..100).map(Uuid::from_u128).collect();
        let mut drawn = [0_u32; 100];
        for question in 0..100 {
            for round in 0..4 {
                let mut order: Vec<usize> = (0..100).collect();
                let question = Uuid::from_u128(question << 64);
                order.sort_by_key(|&place| lot(question, round, devices[place]));
                for &place in &order[..15] {
                    drawn[place] += 1;
                }
            }
        }
        // 60 are expected of each; the chance of one beyond these bounds is less than one in a million, and the numbers are the same every time.
        for (place, times) in drawn.iter().enumerate() {
            assert!(
                (20..=110).contains(times),
                "{place} was drawn {times} times"
            );
        }
    }

    #[test]
    fn rounds_and_questions_draw_anew() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(lot(one, 0, other), lot(one, 0, other));
        assert_ne!(lot(one, 0, other), lot(one, 1, other));
        assert_ne!(lot(one, 0, other), lot(other, 0, other));
    }
}
