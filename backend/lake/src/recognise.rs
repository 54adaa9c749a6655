//! Whether a lake has what it was given. One that is restored from a backup has not, nor a copy that is written beside the original, nor one into which nobody could write for longer than streams keep changes.

use std::collections::BTreeSet;
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
        let now = store.now_millis();
        let left = self.left_for_long(now).await?;
        if !left.is_empty() {
            let lose = |identity: &mut Identity| left.iter().for_each(|of| identity.lose(of, now));
            self.change_identity(lose).await?;
        }
        if self.lacks_what_it_was_given(store).await? {
            tracing::warn!(
                "the lake lacks changes that were given to it: it is from a backup, or a copy of another. It is told again all that the streams keep, and silver is made anew"
            );
            for entity in self.followed() {
                self.distrust(entity.name()).await?;
            }
            let new = |identity: &mut Identity| *identity = Identity::new();
            self.change_identity(new).await?;
        }
        Ok(())
    }

    /// Goes on from the moment up to which bronze has every change. Where that was behind for longer than streams keep changes, some may be gone that nobody saw go: silver is made anew.
    pub(crate) async fn go_on(&self, now: i64) -> Result<(), LakeError> {
        let is_recent = |moment: i64| !is_long_ago(moment, now);
        let reached = self.reached(now).filter(|reached| is_recent(*reached));
        if reached.is_none() || self.identity().whole_until().is_some_and(is_recent) {
            return Ok(());
        }
        let left = self.left_for_long(now).await?;
        let going_on = self.change_identity(|identity| {
            left.iter().for_each(|of| identity.lose(of, now));
            identity.unbroken_since = identity.unbroken_since.max(Some(now - kept()));
            identity.is_whole_until(reached);
        });
        going_on.await
    }

    /// The tables whose silver may lack what streams no longer have: it was made, and bronze had every change, longer ago than they keep them.
    async fn left_for_long(&self, now: i64) -> Result<BTreeSet<String>, LakeError> {
        let whole_until = self.identity().whole_until();
        let mut left = BTreeSet::new();
        for entity in self.followed() {
            let state = State::read(&*self.inner.files, entity.name()).await?;
            let Some(state) = state.filter(|state| !state.rebuilding) else {
                continue;
            };
            // What was made from the table when nobody followed is as old as that table.
            let last = whole_until.max(state.made);
            if let Some(last) = last.filter(|last| is_long_ago(*last, now)) {
                tracing::warn!(
                    entity = %entity.name(),
                    hours = (now - last) / 3_600_000,
                    "changes were not written to the lake for so long that some may be lost to it: silver is made anew"
                );
                left.insert(entity.entity.table.name.clone());
            }
        }
        Ok(left)
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
        let noted = i64::try_from(NOTED.as_millis()).unwrap_or(i64::MAX);
        let is_later = |as_of| known.as_of.is_none_or(|known| as_of - known > noted);
        match is_noted && !looked.changed && !looked.as_of.is_some_and(is_later) {
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
        let reached = self.reached(now);
        let noted = self.change_identity(|identity| {
            let begun = Some(now - kept());
            let whole_until = identity.whole_until();
            match whole_until.is_some_and(|moment| !is_long_ago(moment, now)) {
                true => identity.is_whole_until(reached),
                // The next look goes on from there.
                false => {
                    identity.is_whole_until(None);
                    identity.unbroken_since = identity.unbroken_since.max(begun);
                }
            }
            identity.unbroken_since = identity.unbroken_since.or(begun);
            identity.followed = Some(now);
            identity.is_followed = is_followed;
            identity.as_of = identity.as_of.max(looked.as_of);
        });
        noted.await
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

/// For how long changes are kept, in milliseconds.
fn kept() -> i64 {
    i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX)
}

fn is_long_ago(moment: i64, now: i64) -> bool {
    now - moment > kept()
}

/// How long ago a moment was, if there was one.
fn since(moment: Option<i64>, store: &Store) -> Option<Duration> {
    let millis = u64::try_from(store.now_millis() - moment?);
    Some(Duration::from_millis(millis.unwrap_or(0)))
}
