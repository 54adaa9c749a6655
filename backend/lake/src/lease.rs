//! The right to write a lake where no lock ends with a process: a lease in the bucket.

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, UpdateVersion};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::error::LakeError;

/// How often it is looked whether whoever holds a lease gives a sign of life, in parts of its time.
const LOOKS: u32 = 30;

/// The right to write a lake, for some time. Its object is written with the condition that nobody else has written it since; whoever wants it waits until it was not written for as
/// long as it is good, by their own clock.
#[derive(Debug)]
pub(crate) struct Lease {
    files: Arc<dyn ObjectStore>,
    lake: String,
    good_for: Duration,
    held: Mutex<Turn>,
}

/// What was last written.
#[derive(Debug)]
struct Turn {
    sign: Sign,
    version: Option<UpdateVersion>,
    /// Until when nobody else has it, by our clock; from before it was written.
    until: Instant,
}

/// What the object says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sign {
    /// Nobody, when it was given back.
    holder: Option<String>,
    turn: u64,
}

fn path() -> Path {
    Path::from_iter(["_lake", "lease.json"])
}

impl Lease {
    /// Takes the right to write a lake: at once where nobody has it, and else when whoever has it gives no sign of life.
    ///
    /// # Errors
    /// [`LakeError::Held`] as soon as they do.
    pub(crate) async fn take(
        files: &Arc<dyn ObjectStore>,
        lake: &str,
        good_for: Duration,
    ) -> Result<Self, LakeError> {
        let mut seen: Option<(Option<String>, Instant)> = None;
        loop {
            let found = read(&**files).await?;
            let now = Instant::now();
            let (mode, turn) = match found {
                None => (PutMode::Create, 0),
                Some((sign, version)) => {
                    let first = seen.get_or_insert_with(|| (version.e_tag.clone(), now));
                    if sign.holder.is_some() && first.0 != version.e_tag {
                        return Err(held(lake));
                    }
                    if sign.holder.is_some() && now - first.1 < good_for {
                        tokio::time::sleep(good_for / LOOKS).await;
                        continue;
                    }
                    (PutMode::Update(version), sign.turn + 1)
                }
            };
            let sign = Sign {
                holder: Some(name()),
                turn,
            };
            match write(&**files, &sign, mode).await {
                Ok(version) => {
                    let until = now + good_for;
                    let held = Turn {
                        sign,
                        version,
                        until,
                    };
                    return Ok(Lease {
                        files: Arc::clone(files),
                        lake: lake.to_owned(),
                        good_for,
                        held: Mutex::new(held),
                    });
                }
                // Somebody else was faster.
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {
                    return Err(held(lake));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns when nobody else has it for two thirds of its time, which is longer than writing a file may take.
    ///
    /// # Errors
    /// [`LakeError::Held`] when somebody else has taken it.
    pub(crate) async fn be_sure(&self) -> Result<(), LakeError> {
        let mut held = self.held.lock().await;
        let now = Instant::now();
        if held.until.saturating_duration_since(now) > self.good_for * 2 / 3 {
            return Ok(());
        }
        let sign = Sign {
            holder: held.sign.holder.clone(),
            turn: held.sign.turn + 1,
        };
        let version = self.put(&sign, &held).await?;
        *held = Turn {
            sign,
            version,
            until: now + self.good_for,
        };
        Ok(())
    }

    async fn put(&self, sign: &Sign, held: &Turn) -> Result<Option<UpdateVersion>, LakeError> {
        let version = held.version.clone().ok_or_else(|| self::held(&self.lake))?;
        match write(&*self.files, sign, PutMode::Update(version)).await {
            Ok(version) => Ok(version),
            Err(Error::Precondition { .. } | Error::NotFound { .. }) => {
                // Ours may have been written, and its answer lost.
                match read(&*self.files).await? {
                    Some((found, version)) if found == *sign => Ok(Some(version)),
                    _ => Err(self::held(&self.lake)),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Gives it back, so that nobody has to wait. What fails here ends by itself.
    pub(crate) async fn give_back(&self) {
        let mut held = self.held.lock().await;
        let sign = Sign {
            holder: None,
            turn: held.sign.turn + 1,
        };
        if self.put(&sign, &held).await.is_ok() {
            // It is no longer ours, whoever still has this value.
            held.version = None;
            held.until = Instant::now();
        }
    }
}

fn held(lake: &str) -> LakeError {
    LakeError::Held {
        folder: lake.to_owned(),
    }
}

/// A name of this process that no other has.
fn name() -> String {
    tablewright::Uuid::now_v7().to_string()
}

async fn read(files: &dyn ObjectStore) -> Result<Option<(Sign, UpdateVersion)>, LakeError> {
    let found = match files.get(&path()).await {
        Ok(found) => found,
        Err(Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let version = UpdateVersion {
        e_tag: found.meta.e_tag.clone(),
        version: found.meta.version.clone(),
    };
    let sign = serde_json::from_slice(&found.bytes().await?);
    let sign = sign.map_err(|error| LakeError::damaged(&path(), error))?;
    Ok(Some((sign, version)))
}

async fn write(
    files: &dyn ObjectStore,
    sign: &Sign,
    mode: PutMode,
) -> Result<Option<UpdateVersion>, Error> {
    let text = serde_json::to_vec(sign).unwrap_or_default();
    let path = path();
    let written = files.put_opts(&path, PutPayload::from(text), mode.into());
    Ok(Some(written.await?.into()))
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    const SOON: Duration = Duration::from_millis(1500);
    const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

    fn bucket() -> Arc<dyn ObjectStore> {
        Arc::new(InMemory::new())
    }

    #[tokio::test]
    async fn whoever_gives_signs_of_life_keeps_it() {
        let files = bucket();
        let lease = Lease::take(&files, "lake", SOON).await.unwrap();
        let living = tokio::spawn(async move {
            while lease.be_sure().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let other = Lease::take(&files, "lake", SOON).await;
        assert!(matches!(other, Err(LakeError::Held { .. })));
        assert!(!living.is_finished());
        living.abort();
    }

    #[tokio::test]
    async fn it_passes_from_the_dead_and_they_do_not_get_it_back() {
        let files = bucket();
        let asleep = Lease::take(&files, "lake", Duration::from_millis(30))
            .await
            .unwrap();
        let next = Lease::take(&files, "lake", Duration::from_millis(60))
            .await
            .unwrap();
        assert!(matches!(
            asleep.be_sure().await,
            Err(LakeError::Held { .. })
        ));
        // Whoever slept while nobody wanted it goes on.
        tokio::time::sleep(Duration::from_millis(200)).await;
        next.be_sure().await.unwrap();
        assert!(matches!(
            asleep.be_sure().await,
            Err(LakeError::Held { .. })
        ));
    }

    #[tokio::test]
    async fn what_was_given_back_is_taken_at_once() {
        let files = bucket();
        let first = Lease::take(&files, "lake", NEVER).await.unwrap();
        first.give_back().await;
        assert!(first.be_sure().await.is_err());
        // It would wait for most of an hour, were it not free.
        Lease::take(&files, "lake", NEVER).await.unwrap();
    }

    /// The answer to a sign of life was lost: it was written all the same, and is known again.
    #[tokio::test]
    async fn a_sign_whose_answer_was_lost_is_ones_own() {
        let files = bucket();
        let lease = Lease::take(&files, "lake", Duration::from_millis(1))
            .await
            .unwrap();
        let sign = {
            let held = lease.held.lock().await;
            let holder = held.sign.holder.clone();
            let turn = held.sign.turn + 1;
            Sign { holder, turn }
        };
        write(&*files, &sign, PutMode::Overwrite).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        lease.be_sure().await.unwrap();
    }
}
