//! A lake that is written by this process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutPayload};
use tablewright_stream::{Record, Shard};

use crate::bronze::{Change, encode};
use crate::error::LakeError;
use crate::files::Files;
use crate::identity::Identity;
use crate::model::{LakeModel, OTHER};
use crate::name::{BronzeFile, Origin};
use crate::options::LakeOptions;
use crate::place::{Held, Place};
use crate::reached::Told;
use crate::state::State;

/// A lake that is written by this process, and by no other as long as it is open.
#[derive(Debug, Clone)]
pub struct Lake {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) model: LakeModel,
    pub(crate) options: LakeOptions,
    pub(crate) files: Arc<dyn ObjectStore>,
    bronze: Mutex<Files>,
    /// How many files of bronze this process has written.
    written: AtomicU64,
    /// Somebody failed to write or to remove a file of bronze: whether it is there is not known.
    unsure: AtomicBool,
    /// Who writes changes of a shard: one at a time.
    writing: Mutex<BTreeMap<Origin, Arc<tokio::sync::Mutex<()>>>>,
    /// Whoever replaces files: one at a time.
    pub(crate) upkeep: tokio::sync::Mutex<()>,
    /// Silver is being made from the tables, or was when that failed or was broken off.
    pub(crate) making_anew: AtomicBool,
    /// Since when silver and gold could not be brought up to date, in milliseconds since 1970; none when they were at the last look.
    pub(crate) behind_since: Mutex<Option<i64>>,
    /// When the silver of an entity was last found damaged, and made anew for that.
    pub(crate) mended: Mutex<BTreeMap<String, Instant>>,
    /// How far those are who tell what happens.
    pub(crate) told: Told,
    identity: Mutex<Identity>,
    /// Whoever changes the identity: one at a time.
    identifying: tokio::sync::Mutex<()>,
    held: Held,
}

impl Lake {
    /// Opens the lake of a model, which is made if it is not there, and clears away what a process that died left unfinished.
    ///
    /// # Errors
    /// [`LakeError::Held`] when another process writes it, [`LakeError::Place`] when it cannot be made, [`LakeError::Files`].
    pub async fn open(
        place: &Place,
        model: LakeModel,
        options: LakeOptions,
    ) -> Result<Self, LakeError> {
        let held = place.hold(model.name, options.lease).await?;
        let files = place.files(model.name, options.lease)?;
        let bronze = cleared(&*files).await?;
        let identity = Identity::of(&*files).await?;
        Ok(Lake {
            inner: Arc::new(Inner {
                model,
                options,
                files,
                bronze: Mutex::new(bronze),
                written: AtomicU64::new(0),
                unsure: AtomicBool::new(false),
                writing: Mutex::default(),
                upkeep: tokio::sync::Mutex::new(()),
                making_anew: AtomicBool::new(false),
                behind_since: Mutex::default(),
                mended: Mutex::default(),
                told: Told::default(),
                identity: Mutex::new(identity),
                identifying: tokio::sync::Mutex::new(()),
                held,
            }),
        })
    }

    /// The files of bronze. Nobody holds this while something is waited for.
    pub(crate) fn bronze(&self) -> MutexGuard<'_, Files> {
        let bronze = self.inner.bronze.lock();
        bronze.unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Which lake it is.
    pub(crate) fn identity(&self) -> Identity {
        let identity = self.inner.identity.lock();
        let identity = identity.unwrap_or_else(|poisoned| poisoned.into_inner());
        identity.clone()
    }

    /// Changes which lake it is, or what it says of itself. It is noted when this returns.
    pub(crate) async fn change_identity(
        &self,
        change: impl FnOnce(&mut Identity),
    ) -> Result<(), LakeError> {
        let _alone = self.inner.identifying.lock().await;
        let mut identity = self.identity();
        change(&mut identity);
        self.inner.held.be_sure().await?;
        identity.write(&*self.inner.files).await?;
        let known = self.inner.identity.lock();
        *known.unwrap_or_else(|poisoned| poisoned.into_inner()) = identity;
        Ok(())
    }

    /// Writes changes that follow one another in a shard. What is there already is passed over: a change is in bronze once, however often it comes.
    ///
    /// It goes on when the caller does not wait for it: a file that was begun is known when it is there.
    ///
    /// # Errors
    /// [`LakeError::Files`]. What was written before stays, and is passed over the next time.
    pub async fn append(&self, shard: &Shard, records: &[Arc<Record>]) -> Result<(), LakeError> {
        let (lake, origin, records) = (self.clone(), Origin::of(shard), records.to_vec());
        tokio::spawn(async move { lake.append_alone(origin, records).await }).await?
    }

    async fn append_alone(
        &self,
        origin: Origin,
        records: Vec<Arc<Record>>,
    ) -> Result<(), LakeError> {
        let alone = {
            let writing = self.inner.writing.lock();
            let mut writing = writing.unwrap_or_else(|poisoned| poisoned.into_inner());
            Arc::clone(writing.entry(origin.clone()).or_default())
        };
        let _alone = alone.lock().await;
        self.be_sure().await?;
        let lake = self.clone();
        let changes = tokio::task::spawn_blocking(move || {
            let each = records.iter();
            let mut changes: Vec<Change> = each
                .flat_map(|record| Change::of(&lake.inner.model, record))
                .collect();
            // By entity, each in the order of the shard.
            changes.sort_by(|a, b| (&a.entity, &a.sequence).cmp(&(&b.entity, &b.sequence)));
            changes
        });
        let mut changes = changes.await?;
        let known = self.known(&origin);
        changes.retain(|change| {
            let last = known.get(&change.entity);
            last.is_none_or(|last| *last < change.sequence)
        });
        let mut rest = changes;
        while let Some(first) = rest.first() {
            // A file is of one entity and one day. Those of an entity are written in the order of the shard: what is missing after a crash is then the end, and nothing in between.
            let same = |one: &Change| one.entity == first.entity && one.date == first.date;
            let many = rest.iter().take_while(|one| same(one)).count();
            let later = rest.split_off(many);
            let written = self.write(&origin, rest).await;
            written.inspect_err(|_| self.doubt())?;
            rest = later;
        }
        Ok(())
    }

    /// A file of bronze may be there or not.
    pub(crate) fn doubt(&self) {
        self.inner.unsure.store(true, Ordering::Release);
    }

    /// Looks again which files of bronze there are, if somebody is in doubt.
    pub(crate) async fn be_sure(&self) -> Result<(), LakeError> {
        if !self.inner.unsure.load(Ordering::Acquire) {
            return Ok(());
        }
        let _alone = self.inner.upkeep.lock().await;
        // Before looking: a doubt that comes up meanwhile stays.
        if self.inner.unsure.swap(false, Ordering::AcqRel) {
            let found = cleared(&*self.inner.files).await;
            let found = found.inspect_err(|_| self.doubt())?;
            self.bronze().learn(found);
        }
        Ok(())
    }

    /// The last change of each entity that is there of a shard.
    fn known(&self, origin: &Origin) -> BTreeMap<String, String> {
        let bronze = self.bronze();
        let entities = self.inner.model.entities.iter().map(|entity| entity.name());
        let entities = entities.chain([OTHER]);
        entities
            .filter_map(|name| Some((name.to_owned(), bronze.last(name, origin)?.to_owned())))
            .collect()
    }

    /// Writes the changes of one entity and one day.
    async fn write(&self, origin: &Origin, changes: Vec<Change>) -> Result<(), LakeError> {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return Ok(());
        };
        let mut file = BronzeFile {
            entity: first.entity.clone(),
            date: first.date.clone(),
            origin: origin.clone(),
            first: first.sequence.clone(),
            last: last.sequence.clone(),
            bytes: 0,
        };
        let origin = origin.clone();
        let bytes = tokio::task::spawn_blocking(move || encode(&origin, &changes)).await??;
        file.bytes = bytes.len() as u64;
        self.put(&file.path(), bytes).await?;
        self.bronze().add(file);
        self.inner.written.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// How many files of bronze this process has written.
    pub(crate) fn written(&self) -> u64 {
        self.inner.written.load(Ordering::Acquire)
    }

    /// Writes a file, whole or not at all.
    pub(crate) async fn put(&self, path: &Path, bytes: Vec<u8>) -> Result<(), LakeError> {
        self.inner.held.be_sure().await?;
        self.inner.files.put(path, PutPayload::from(bytes)).await?;
        Ok(())
    }

    /// Removes a file.
    pub(crate) async fn remove(&self, path: &Path) -> Result<(), LakeError> {
        self.inner.held.be_sure().await?;
        Ok(self.inner.files.delete(path).await?)
    }

    /// Writes what is known of the silver of an entity.
    pub(crate) async fn remember(&self, entity: &str, state: &State) -> Result<(), LakeError> {
        self.inner.held.be_sure().await?;
        state.write(&*self.inner.files, entity).await
    }

    /// Gives a sign of life, where that is needed, so that nobody else begins to write this lake.
    ///
    /// # Errors
    /// [`LakeError::Held`] when somebody else writes it, since none was given for long.
    pub(crate) async fn stay(&self) -> Result<(), LakeError> {
        self.inner.held.be_sure().await
    }

    /// Does something that may take long, and gives signs of life meanwhile.
    ///
    /// # Errors
    /// As the work has them; [`LakeError::Held`] as soon as somebody else writes the lake.
    pub(crate) async fn staying<T>(
        &self,
        work: impl Future<Output = Result<T, LakeError>>,
    ) -> Result<T, LakeError> {
        // Who does one short thing after another gives signs as well.
        self.stay().await?;
        let signs = async {
            loop {
                tokio::time::sleep(self.inner.options.lease / 6).await;
                // A sign that is begun is given, though the work is done: what became of it is then known.
                let lake = self.clone();
                let given = tokio::spawn(async move { lake.stay().await }).await;
                match given.unwrap_or_else(|broken| Err(broken.into())) {
                    Err(held @ LakeError::Held { .. }) => return held,
                    Err(error) => tracing::warn!(%error, "the lake cannot be reached"),
                    Ok(()) => {}
                }
            }
        };
        tokio::select! {
            done = work => done,
            held = signs => Err(held),
        }
    }

    /// Lets others write this lake at once. A process that ends without it is succeeded as well, in a bucket after some time.
    pub async fn close(self) {
        self.inner.held.give_back().await;
    }

    /// The bytes of a file; none when it is not there.
    pub(crate) async fn get(&self, path: &Path) -> Result<Option<Bytes>, LakeError> {
        match self.inner.files.get(path).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The files of bronze that are there, after those were removed that another covers.
async fn cleared(files: &dyn ObjectStore) -> Result<Files, LakeError> {
    let mut bronze = listed(files).await?;
    for left_behind in bronze.covered() {
        files.delete(&left_behind.path()).await?;
        bronze.remove(&left_behind);
    }
    Ok(bronze)
}

/// The files of bronze that are there.
pub(crate) async fn listed(files: &dyn ObjectStore) -> Result<Files, LakeError> {
    let mut bronze = Files::default();
    let mut found = files.list(Some(&Path::from("bronze")));
    while let Some(found) = found.try_next().await? {
        if let Some(file) = BronzeFile::of(&found.location, found.size) {
            bronze.add(file);
        }
    }
    Ok(bronze)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use object_store::memory::InMemory;
    use tablewright::descriptor::Schema;
    use tablewright::descriptor::written::SchemaText;

    use super::*;
    use crate::lease::Lease;

    const LEASE: Duration = Duration::from_millis(900);

    /// A lake in a bucket.
    async fn leased(files: &Arc<dyn ObjectStore>) -> Lake {
        let schema = Schema::resolve(SchemaText::new("none")).unwrap();
        let options = LakeOptions {
            lease: LEASE,
            ..LakeOptions::default()
        };
        let held = Lease::take(files, "lake", LEASE).await.unwrap();
        Lake {
            inner: Arc::new(Inner {
                model: LakeModel::new(Box::leak(Box::new(schema))),
                options,
                files: Arc::clone(files),
                bronze: Mutex::default(),
                written: AtomicU64::new(0),
                unsure: AtomicBool::new(false),
                writing: Mutex::default(),
                upkeep: tokio::sync::Mutex::new(()),
                making_anew: AtomicBool::new(false),
                behind_since: Mutex::default(),
                mended: Mutex::default(),
                told: Told::default(),
                identity: Mutex::new(Identity::new()),
                identifying: tokio::sync::Mutex::new(()),
                held: Held::Lease(held),
            }),
        }
    }

    // A table is read for longer than a lease, without a file being written.
    #[tokio::test]
    async fn who_works_for_long_keeps_the_lake() {
        let files: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let lake = leased(&files).await;
        let other = Lease::take(&files, "lake", LEASE);
        // It ends when the other has an answer, which it has after the time of a lease at the latest.
        let work = async { Ok(other.await) };
        let other = lake.staying(work).await.unwrap();
        assert!(matches!(other, Err(LakeError::Held { .. })));
        lake.stay().await.unwrap();
    }

    // Each piece of work is over before it is time for a sign.
    #[tokio::test]
    async fn who_does_many_short_things_keeps_the_lake() {
        let files: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let lake = leased(&files).await;
        let busy = async {
            loop {
                let short = async {
                    tokio::time::sleep(LEASE / 20).await;
                    Ok(())
                };
                lake.staying(short).await.unwrap();
            }
        };
        let other = tokio::select! {
            other = Lease::take(&files, "lake", LEASE) => other,
            () = busy => unreachable!("it goes on"),
        };
        assert!(matches!(other, Err(LakeError::Held { .. })));
    }

    #[tokio::test]
    async fn who_has_lost_the_lake_stops_working() {
        let files: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let lake = leased(&files).await;
        let _other = Lease::take(&files, "lake", LEASE).await.unwrap();
        let done = lake.staying(std::future::pending::<Result<(), LakeError>>());
        assert!(matches!(done.await, Err(LakeError::Held { .. })));
    }
}
