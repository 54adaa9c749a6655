//! Silver from bronze: what happened since is applied, part by part.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::ObjectStore as _;
use object_store::path::Path;
use tablewright::Store;

use crate::bronze::{day, each_change};
use crate::error::LakeError;
use crate::lake::Lake;
use crate::model::LakeEntity;
use crate::name::BronzeFile;
use crate::part::{Since, part_of, path, renewed};
use crate::present::Present;
use crate::state::State;

/// How many changes are applied in one go, and how large they are: what is held in memory at once.
const MANY: usize = 100_000;
const BYTES: usize = 48 << 20;

/// What happened to the items of an entity since.
#[derive(Debug, Default)]
struct News {
    /// The latest of each item: where in the stream it is, and what it left.
    latest: BTreeMap<String, ((String, String), Option<String>)>,
    changes: usize,
    bytes: usize,
}

/// What happens to silver that has to be made from its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outdated {
    /// It is.
    MadeAnew,
    /// It stays as it is: whoever can make it was told.
    Left,
}

/// What came of bringing silver up to date.
#[derive(Debug, Default)]
pub(crate) struct Updated {
    pub(crate) changed: bool,
    /// Some was left as it is, and is not what the table is.
    pub(crate) left: bool,
    /// What failed first.
    pub(crate) failed: Option<LakeError>,
}

impl Updated {
    /// Notes what came of an entity, or of those of a table, and goes on to the next, unless the lake is lost to another. Says whether something changed.
    fn note(&mut self, of: &str, done: Result<bool, LakeError>) -> Result<bool, LakeError> {
        match done {
            Ok(changed) => {
                self.changed |= changed;
                Ok(changed)
            }
            Err(held @ LakeError::Held { .. }) => Err(held),
            Err(error) => {
                tracing::warn!(of, %error, "silver is not up to date");
                self.failed.get_or_insert(error);
                Ok(false)
            }
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        !self.left && self.failed.is_none()
    }
}

impl Lake {
    /// Brings silver up to date with bronze. What has other columns than the model, is of a table that was made again, is damaged, or is not there, is made from the tables. Says whether something changed.
    ///
    /// # Errors
    /// [`LakeError`], after all was done that could be: an entity that fails holds up no other. What was applied stays; the next time goes on from there.
    pub async fn update(&self, store: &Store) -> Result<bool, LakeError> {
        let present = Present::asked(&self.inner.model, store).await?;
        let updated = self.update_to(store, &present, Outdated::MadeAnew).await?;
        updated.failed.map_or(Ok(updated.changed), Err)
    }

    /// As [`Lake::update`], where it is known which stream each table has. What is of a table of which that is not known is left as it is.
    pub(crate) async fn update_to(
        &self,
        store: &Store,
        present: &Present,
        outdated: Outdated,
    ) -> Result<Updated, LakeError> {
        self.staying(self.update_alone(store, present, outdated))
            .await
    }

    async fn update_alone(
        &self,
        store: &Store,
        present: &Present,
        outdated: Outdated,
    ) -> Result<Updated, LakeError> {
        let _alone = self.inner.upkeep.lock().await;
        let identity = self.identity();
        let (mut current, mut old) = (Vec::new(), Vec::new());
        for entity in self.followed() {
            let table = &entity.entity.table.name;
            if present.stream_of(table).is_none() {
                continue;
            }
            let state = State::read(&*self.inner.files, entity.name()).await?;
            let parts = self.inner.options.parts;
            let is_current = state.is_some_and(|state| {
                state.is_current(&entity, parts)
                    && present.is(table, state.stream.as_deref())
                    && !identity.has_lost_since(table, state.made)
            });
            if is_current { &mut current } else { &mut old }.push(entity);
        }
        let mut updated = Updated::default();
        for table in &self.inner.model.tables {
            let own = |entity: &&Arc<LakeEntity>| entity.entity.table.name == table.name;
            let own: Vec<Arc<LakeEntity>> = old.iter().filter(own).cloned().collect();
            if own.is_empty() {
                continue;
            }
            if outdated == Outdated::Left {
                updated.left = true;
                continue;
            }
            let made = self.make_anew(store, &own, present).await;
            if updated.note(&table.name, made.map(|_| true))? {
                current.extend(own);
            }
        }
        for entity in current {
            let brought = self.brought_up_to_date(store, present, &entity, outdated);
            let brought = brought.await;
            updated.note(entity.name(), brought)?;
        }
        Ok(updated)
    }

    /// Applies what waits for an entity. What is damaged is made from the table, which has all that is in it. Says whether something changed.
    async fn brought_up_to_date(
        &self,
        store: &Store,
        present: &Present,
        entity: &Arc<LakeEntity>,
        outdated: Outdated,
    ) -> Result<bool, LakeError> {
        let damaged = match self.apply_all(entity).await {
            Err(damaged @ LakeError::Damaged { .. }) => damaged,
            applied => return applied,
        };
        if !self.is_to_be_mended(entity.name(), &damaged).await? || outdated == Outdated::Left {
            return Err(damaged);
        }
        let entity = std::slice::from_ref(entity);
        self.make_anew(store, entity, present).await?;
        Ok(true)
    }

    /// The entities whose changes are told.
    pub(crate) fn followed(&self) -> Vec<Arc<LakeEntity>> {
        let model = &self.inner.model;
        let told = |entity: &&Arc<LakeEntity>| model.table_of(&entity.entity.table.name).is_some();
        model.entities.iter().filter(told).cloned().collect()
    }

    /// Applies what waits for an entity whose parts are all there. Says whether there was something.
    async fn apply_all(&self, entity: &Arc<LakeEntity>) -> Result<bool, LakeError> {
        self.all_parts_are_there(entity).await?;
        let mut changed = false;
        while self.apply_some(entity).await? {
            changed = true;
        }
        Ok(changed)
    }

    /// Fails with a part that is gone. Every part has a file, also one without items, and what no change touches is read by nobody else.
    async fn all_parts_are_there(&self, entity: &Arc<LakeEntity>) -> Result<(), LakeError> {
        let Some(state) = State::read(&*self.inner.files, entity.name()).await? else {
            return Ok(());
        };
        let folder = Path::from_iter(["silver", entity.name()]);
        let found: Vec<_> = self.inner.files.list(Some(&folder)).try_collect().await?;
        let is_there = |file: &Path| found.iter().any(|found| found.location == *file);
        let mut parts = (0..state.rows.len()).map(|part| path(entity.name(), part));
        match parts.find(|file| !is_there(file)) {
            Some(file) => Err(LakeError::damaged(&file, "it is gone")),
            None => Ok(()),
        }
    }

    /// Applies as much as is held in memory at once. Says whether there was something.
    async fn apply_some(&self, entity: &Arc<LakeEntity>) -> Result<bool, LakeError> {
        let Some(mut state) = State::read(&*self.inner.files, entity.name()).await? else {
            return Ok(false);
        };
        let Some(parts) = self.news(entity, &mut state, None).await? else {
            return Ok(false);
        };
        for (part, since) in parts {
            let file = path(entity.name(), part);
            let old = self.get(&file).await?;
            if old.is_none() {
                return Err(LakeError::damaged(&file, "it is gone"));
            }
            let (renewing, to) = (Arc::clone(entity), file.clone());
            let renewed = tokio::task::spawn_blocking(move || renewed(&renewing, &to, old, &since));
            let renewed = renewed.await??;
            self.put(&file, renewed.bytes).await?;
            if let Some(known) = state.rows.get_mut(part) {
                *known = renewed.rows;
            }
        }
        self.remember(entity.name(), &state).await?;
        Ok(true)
    }

    /// What happened to the items of an entity since, by its parts, as much as is held in memory at once; from then on it is known as applied. Nothing when there is no more. From a moment on, where one is named: what happened before is passed over.
    pub(crate) async fn news(
        &self,
        entity: &Arc<LakeEntity>,
        state: &mut State,
        from: Option<i64>,
    ) -> Result<Option<BTreeMap<usize, Since>>, LakeError> {
        let mut waiting = self.waiting(entity.name(), state);
        if let Some(from) = from {
            let first = day(from);
            waiting.retain(|file| file.date >= first);
        }
        if waiting.is_empty() {
            return Ok(None);
        }
        let mut news = News::default();
        for file in waiting {
            if news.changes >= MANY || news.bytes >= BYTES {
                break;
            }
            let after = state.up_to.get(&file.origin.text()).cloned();
            let bytes = self.get(&file.path()).await?;
            let bytes = bytes.ok_or_else(|| LakeError::damaged(&file.path(), "it is gone"))?;
            let (origin, last) = (file.origin.text(), file.last.clone());
            let reading = move || news.with(&file, bytes, after.as_deref(), from);
            news = tokio::task::spawn_blocking(reading).await??;
            state.up_to.insert(origin, last);
        }
        let mut parts: BTreeMap<usize, Since> = BTreeMap::new();
        for (key, (_, left)) in news.latest {
            let part = part_of(&key, state.rows.len());
            parts.entry(part).or_default().insert(key, left);
        }
        Ok(Some(parts))
    }

    /// The files of bronze with changes that are not in silver, the oldest first.
    fn waiting(&self, entity: &str, state: &State) -> Vec<BronzeFile> {
        let bronze = self.bronze();
        let files = bronze.of(entity).iter();
        files.filter(|file| state.lacks(file)).cloned().collect()
    }
}

impl News {
    /// With the changes of a file that come after a sequence number, and did not happen before a moment.
    fn with(
        mut self,
        file: &BronzeFile,
        bytes: bytes::Bytes,
        after: Option<&str>,
        from: Option<i64>,
    ) -> Result<Self, LakeError> {
        each_change(file, bytes, |change| {
            let is_known = after.is_some_and(|after| change.sequence <= after);
            if is_known || from.is_some_and(|from| change.happened < from) {
                return;
            }
            self.changes += 1;
            let at = (file.origin.stream.clone(), change.sequence.to_owned());
            let left = change.after.map(str::to_owned);
            let size = |left: &Option<String>| 200 + left.as_ref().map_or(0, String::len);
            match self.latest.get_mut(change.key) {
                Some(known) if known.0 > at => {}
                Some(known) => {
                    self.bytes = self.bytes.saturating_sub(size(&known.1)) + size(&left);
                    *known = (at, left);
                }
                None => {
                    self.bytes += size(&left);
                    self.latest.insert(change.key.to_owned(), (at, left));
                }
            }
        })?;
        Ok(self)
    }
}
