//! A look at the lake: silver, gold and bronze are brought up to date, and it is known for how long they could not be.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use metrics::gauge;
use tablewright::Store;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::merge::Outdated;
use crate::present::Present;

/// How often it is told for how long a look takes.
const TOLD: Duration = Duration::from_secs(10);

/// After damaged silver was made anew, for how long nobody does so again: a broken disk would have the table read every minute.
const MENDED: Duration = Duration::from_secs(3600);

/// What came of a look.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Looked {
    pub(crate) changed: bool,
    /// Silver and gold have all that bronze had when it began.
    pub(crate) is_whole: bool,
    /// If so, up to when bronze had every change then, in milliseconds since 1970; none when nothing had been read yet.
    pub(crate) as_of: Option<i64>,
}

impl Lake {
    /// As [`Lake::look_after`], where the tables say which streams they have.
    pub(crate) async fn look_after_all(
        &self,
        store: &Store,
        refined: &mut Option<String>,
    ) -> Looked {
        self.begin_look(store);
        let looking = async {
            match Present::asked(&self.inner.model, store).await {
                Ok(present) => {
                    self.look_after(store, refined, &present, Outdated::MadeAnew)
                        .await
                }
                Err(error) => {
                    tracing::warn!(%error, "silver is not up to date");
                    Looked::default()
                }
            }
        };
        let telling = async {
            loop {
                tokio::time::sleep(TOLD).await;
                self.tell_behind(store);
            }
        };
        let looked = tokio::select! {
            looked = looking => looked,
            () = telling => Looked::default(),
        };
        self.end_look(store, looked);
        looked
    }

    /// Silver, gold where silver has changed or another day has begun since it was refined, and the files of days that are over.
    pub(crate) async fn look_after(
        &self,
        store: &Store,
        refined: &mut Option<String>,
        present: &Present,
        outdated: Outdated,
    ) -> Looked {
        let now = store.now_millis();
        let today = jiff::Timestamp::from_millisecond(now).unwrap_or_default();
        let today = today.strftime("%Y-%m-%d").to_string();
        let mut changed = false;
        if let Err(error) = self.go_on(now).await {
            tracing::warn!(%error, "it cannot be noted what the lake has");
        }
        let reached = self.reached(now);
        let is_whole = loop {
            let is_whole = match self.update_to(store, present, outdated).await {
                Ok(updated) => {
                    changed |= updated.changed;
                    updated.is_whole()
                }
                Err(error) => {
                    tracing::warn!(%error, "silver is not up to date");
                    false
                }
            };
            if changed {
                *refined = None;
            }
            if refined.as_ref() == Some(&today) {
                break is_whole;
            }
            match self.refine(now).await {
                Ok(()) => {
                    *refined = Some(today.clone());
                    changed = true;
                    break is_whole;
                }
                Err(error) => {
                    tracing::warn!(%error, "gold is not up to date");
                    // What no change has touched is first read here.
                    if !self.is_mended(&error).await {
                        break false;
                    }
                }
            }
        };
        if let Err(error) = self.compact(Some(&today)).await {
            tracing::warn!(%error, "files of bronze cannot be put together");
        }
        Looked {
            changed,
            is_whole,
            as_of: reached.filter(|_| is_whole),
        }
    }

    /// Whether silver that somebody found damaged will be made anew.
    async fn is_mended(&self, error: &LakeError) -> bool {
        let LakeError::Damaged { file, .. } = error else {
            return false;
        };
        let Some((entity, _)) = file
            .strip_prefix("silver/")
            .and_then(|in_| in_.split_once('/'))
        else {
            return false;
        };
        let mended = self.is_to_be_mended(entity, error).await;
        mended.unwrap_or(false)
    }

    /// Whether damaged silver of an entity is to be made anew, which is noted: once in an hour.
    pub(crate) async fn is_to_be_mended(
        &self,
        entity: &str,
        why: &LakeError,
    ) -> Result<bool, LakeError> {
        let is_again = {
            let mended = locked(&self.inner.mended);
            let last = mended.get(entity);
            last.is_some_and(|last| last.elapsed() < MENDED)
        };
        if is_again {
            return Ok(false);
        }
        tracing::error!(entity, error = %why, "silver is damaged: it is made anew from the table");
        self.distrust(entity).await?;
        locked(&self.inner.mended).insert(entity.to_owned(), Instant::now());
        Ok(true)
    }

    /// From here on silver is behind, until a look has ended well.
    pub(crate) fn begin_look(&self, store: &Store) {
        let mut behind = locked(&self.inner.behind_since);
        behind.get_or_insert_with(|| store.now_millis());
    }

    /// Says for how many seconds silver and gold could not be brought up to date, or changes wait to come into bronze.
    pub(crate) fn end_look(&self, store: &Store, looked: Looked) -> f64 {
        if looked.is_whole {
            *locked(&self.inner.behind_since) = None;
        }
        self.tell_behind(store)
    }

    pub(crate) fn tell_behind(&self, store: &Store) -> f64 {
        let behind = *locked(&self.inner.behind_since);
        let behind = behind.into_iter().chain(self.waits_since()).min();
        let millis = behind.map_or(0, |since| (store.now_millis() - since).max(0));
        let seconds = millis as f64 / 1000.0;
        gauge!("lake_behind_seconds", "model" => self.inner.model.name).set(seconds);
        seconds
    }
}

/// Nobody holds it while something is waited for.
fn locked<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
