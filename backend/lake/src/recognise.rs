//! Whether a lake has what it was given. One that is restored from a backup has not, nor a copy that is written beside the original, nor one nobody has written for longer than streams keep changes.

use std::time::Duration;

use tablewright::{Error, Store};
use tablewright_stream::Shard;
use tablewright_stream::model::{Lease, Stream};

use crate::error::LakeError;
use crate::identity::Identity;
use crate::lake::Lake;
use crate::look::Looked;
use crate::name::{Origin, padded};
use crate::state::State;

/// DynamoDB keeps changes for a day. What happened an hour less ago is there until it is read.
const KEPT: Duration = Duration::from_secs(23 * 3600);

/// How often it is noted that the lake follows.
const NOTED: Duration = Duration::from_secs(60);

impl Lake {
    /// Looks whether changes are missing, before anything is read. If so silver is made anew; and where the streams may still have them, the lake takes another name, under which it is told again all that they keep. What it has it passes over.
    pub(crate) async fn recognise(&self, store: &Store) -> Result<(), LakeError> {
        let followed = self.identity().followed;
        for entity in self.followed() {
            let state = State::read(&*self.inner.files, entity.name()).await?;
            let Some(state) = state.filter(|state| !state.rebuilding) else {
                continue;
            };
            // What was made from the table when nobody followed is as old as that table.
            let silent = since(followed.max(state.made), store);
            if silent.is_some_and(|silent| silent > KEPT) {
                tracing::warn!(
                    entity = %entity.name(),
                    hours = silent.unwrap_or_default().as_secs() / 3600,
                    "nobody wrote the lake for so long that changes may be lost to it: silver is made anew"
                );
                self.distrust(entity.name()).await?;
            }
        }
        if self.lacks_what_it_was_given(store).await? {
            tracing::warn!(
                "the lake lacks changes that were given to it: it is from a backup, or a copy of another. It is told again all that the streams keep, and silver is made anew"
            );
            for entity in self.followed() {
                self.distrust(entity.name()).await?;
            }
            self.become_known_as(Identity::new()).await?;
        }
        Ok(())
    }

    /// Notes that the lake follows its tables, and what came of a look at it, unless that was noted a moment ago and nothing has changed.
    pub(crate) async fn note_that_it_follows(
        &self,
        store: &Store,
        looked: Looked,
    ) -> Result<(), LakeError> {
        let known = self.identity();
        let is_noted = self.silent_for(store).is_some_and(|silent| silent < NOTED);
        let is_noted = is_noted && known.is_followed && known.unbroken_since.is_some();
        match is_noted && !looked.changed {
            true => Ok(()),
            false => self.note(store, looked, true).await,
        }
    }

    /// Notes that the lake followed its tables until now, and does no longer.
    pub(crate) async fn note_that_it_stopped(
        &self,
        store: &Store,
        looked: Looked,
    ) -> Result<(), LakeError> {
        self.note(store, looked, false).await
    }

    /// Who begins, or begins again after more was lost than streams keep, has all that they keep.
    async fn note(
        &self,
        store: &Store,
        looked: Looked,
        is_followed: bool,
    ) -> Result<(), LakeError> {
        let now = store.now_millis();
        let mut identity = self.identity();
        let has_gap = self.silent_for(store).is_none_or(|silent| silent > KEPT);
        if has_gap || identity.unbroken_since.is_none() {
            let kept = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
            identity.unbroken_since = Some(now - kept);
        }
        identity.followed = Some(now);
        identity.is_followed = is_followed;
        identity.as_of = looked.as_of.or(identity.as_of);
        self.become_known_as(identity).await
    }

    /// For how long nobody has followed; none when nobody ever has.
    fn silent_for(&self, store: &Store) -> Option<Duration> {
        since(self.identity().followed, store)
    }

    /// Whether somebody noted that this lake has a change that is not in bronze.
    async fn lacks_what_it_was_given(&self, store: &Store) -> Result<bool, LakeError> {
        let stream = Stream::new(store);
        for table in &self.inner.model.tables {
            let name = self.identity().consumer_of(table);
            let leases = match stream.leases.leases(&name).all().collect().await {
                Ok(leases) => leases,
                // No consumer has ever run here.
                Err(Error::Backend { code, .. }) if code == "ResourceNotFoundException" => continue,
                Err(error) => return Err(error.into()),
            };
            let bronze = self.bronze();
            let is_missing = |lease: &Lease| {
                let origin = Origin::of(&Shard {
                    stream: lease.stream.clone(),
                    shard: lease.shard.clone(),
                });
                let given = lease.after.as_deref().map(padded);
                given.as_deref() > bronze.furthest(&origin)
            };
            if leases.iter().any(|lease| is_missing(&lease.data)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The silver of an entity is no longer what the table is: it is made anew.
    pub(crate) async fn distrust(&self, entity: &str) -> Result<(), LakeError> {
        let state = State::read(&*self.inner.files, entity).await?;
        match state.filter(|state| !state.rebuilding) {
            Some(mut state) => {
                state.rebuilding = true;
                self.remember(entity, &state).await
            }
            None => Ok(()),
        }
    }
}

/// How long ago a moment was, if there was one.
fn since(moment: Option<i64>, store: &Store) -> Option<Duration> {
    let millis = u64::try_from(store.now_millis() - moment?);
    Some(Duration::from_millis(millis.unwrap_or(0)))
}
