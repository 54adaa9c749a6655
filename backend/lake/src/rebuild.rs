//! Silver from the tables.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use object_store::ObjectStoreExt as _;
use tablewright::descriptor::Table;
use tablewright::{Error, Store};

use crate::error::LakeError;
use crate::lake::Lake;
use crate::model::LakeEntity;
use crate::part::path;
use crate::present::Present;
use crate::state::{State, columns};
use crate::workshop::{Finished, Parts, sorted};

/// What was made from a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// The entity.
    pub entity: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many of them say that they cannot be read.
    pub unreadable: u64,
}

impl Lake {
    /// Makes silver from the tables. What happens to them meanwhile is in bronze, and applied the next time.
    ///
    /// # Errors
    /// [`LakeError`]. Where a table cannot be read, nothing has changed; what was begun to be written is made anew the next time.
    pub async fn rebuild(&self, store: &Store) -> Result<Vec<Rebuilt>, LakeError> {
        let present = Present::asked(&self.inner.model, store).await?;
        let rebuilding = async {
            let _alone = self.inner.upkeep.lock().await;
            self.make_anew(store, &self.followed(), &present).await
        };
        self.staying(rebuilding).await
    }

    /// Makes the silver of some entities from their tables. Whoever calls it is alone.
    pub(crate) async fn make_anew(
        &self,
        store: &Store,
        entities: &[Arc<LakeEntity>],
        present: &Present,
    ) -> Result<Vec<Rebuilt>, LakeError> {
        self.inner.making_anew.store(true, Ordering::Release);
        let rebuilt = self.made_of_each(store, entities, present).await?;
        self.inner.making_anew.store(false, Ordering::Release);
        Ok(rebuilt)
    }

    async fn made_of_each(
        &self,
        store: &Store,
        entities: &[Arc<LakeEntity>],
        present: &Present,
    ) -> Result<Vec<Rebuilt>, LakeError> {
        let mut rebuilt = Vec::new();
        for table in &self.inner.model.tables {
            let own = |entity: &&Arc<LakeEntity>| entity.entity.table.name == table.name;
            let entities: Vec<Arc<LakeEntity>> = entities.iter().filter(own).cloned().collect();
            let stream = present.stream_of(&table.name).unwrap_or_default();
            if !entities.is_empty() {
                rebuilt.extend(self.made_of(store, table, stream, &entities).await?);
            }
        }
        Ok(rebuilt)
    }

    async fn made_of(
        &self,
        store: &Store,
        table: &'static Table,
        stream: &str,
        entities: &[Arc<LakeEntity>],
    ) -> Result<Vec<Rebuilt>, LakeError> {
        // What is in bronze now, the scan sees. What it sees beyond that comes again, and makes no difference.
        let begun = self.begun(entities, stream, store.now_millis());
        let made = self.scanned(store, table, entities).await?;
        let made = tokio::task::spawn_blocking(move || {
            made.into_iter()
                .map(Parts::finish)
                .collect::<Result<Vec<_>, _>>()
        });
        let made = made.await??;
        let mut rebuilt = Vec::new();
        for ((entity, made), state) in entities.iter().zip(made).zip(begun) {
            rebuilt.push(self.publish(entity, made, state).await?);
            tracing::info!(entity = %entity.name(), "silver was made from the table");
        }
        Ok(rebuilt)
    }

    /// What will be known of the silver of entities that is made now, of a table as it was at a moment.
    pub(crate) fn begun(
        &self,
        entities: &[Arc<LakeEntity>],
        stream: &str,
        made: i64,
    ) -> Vec<State> {
        let begun = |entity: &Arc<LakeEntity>| State {
            columns: columns(entity),
            migrated_from: entity.migrated_from(),
            rows: vec![0; self.parts()],
            stream: Some(stream.to_owned()),
            up_to: self.bronze().reached(entity.name()),
            rebuilding: true,
            made: Some(made),
        };
        entities.iter().map(begun).collect()
    }

    pub(crate) fn parts(&self) -> usize {
        self.inner.options.parts.max(1)
    }

    /// Puts parts that are whole in place of those there are.
    pub(crate) async fn publish(
        &self,
        entity: &Arc<LakeEntity>,
        made: Vec<Finished>,
        mut state: State,
    ) -> Result<Rebuilt, LakeError> {
        // From here on what was there before is no longer whole.
        self.remember(entity.name(), &state).await?;
        let unreadable = made.iter().map(|part| part.unreadable).sum();
        for (part, mut one) in made.into_iter().enumerate() {
            state.rows[part] = one.rows;
            let bytes = tokio::task::spawn_blocking(move || one.bytes()).await??;
            self.put(&path(entity.name(), part), bytes).await?;
        }
        self.forget_parts(entity.name(), state.rows.len()).await?;
        state.rebuilding = false;
        self.remember(entity.name(), &state).await?;
        Ok(Rebuilt {
            entity: entity.name().to_owned(),
            rows: state.rows.iter().sum(),
            unreadable,
        })
    }

    /// All items of a table, each in the part of its entity.
    async fn scanned(
        &self,
        store: &Store,
        table: &'static Table,
        entities: &[Arc<LakeEntity>],
    ) -> Result<Vec<Parts>, LakeError> {
        let mut made = self.empty_parts(entities)?;
        let scan = store.client().scan().table_name(store.table_name(table));
        let mut pages = scan.consistent_read(true).into_paginator().send();
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| Error::of_request(&error))?;
            let (model, items) = (self.inner.model.clone(), page.items.unwrap_or_default());
            made =
                tokio::task::spawn_blocking(move || sorted(&model, table, items, made)).await??;
        }
        Ok(made)
    }

    /// Parts without an item.
    pub(crate) fn empty_parts(
        &self,
        entities: &[Arc<LakeEntity>],
    ) -> Result<Vec<Parts>, LakeError> {
        let made = entities
            .iter()
            .map(|entity| Parts::new(entity, self.parts()));
        made.collect()
    }

    /// Removes the parts of an earlier time when there were more.
    async fn forget_parts(&self, entity: &str, parts: usize) -> Result<(), LakeError> {
        let mut part = parts;
        while self.inner.files.head(&path(entity, part)).await.is_ok() {
            self.remove(&path(entity, part)).await?;
            part += 1;
        }
        Ok(())
    }
}
