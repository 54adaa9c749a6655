//! Silver from the tables.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use object_store::ObjectStoreExt as _;
use parquet::arrow::ArrowWriter;
use tablewright::descriptor::Table;
use tablewright::{Error, Item, Store};

use crate::error::LakeError;
use crate::lake::Lake;
use crate::model::{LakeEntity, LakeModel};
use crate::part::{ROWS, part_of, path, sink};
use crate::present::Present;
use crate::rows::Row;
use crate::state::{State, columns};

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
        let parts = self.inner.options.parts.max(1);
        // What is in bronze now, the scan sees. What it sees beyond that comes again, and makes no difference.
        let state = |entity: &Arc<LakeEntity>| State {
            columns: columns(entity),
            migrated_from: entity.migrated_from(),
            rows: vec![0; parts],
            stream: Some(stream.to_owned()),
            up_to: self.bronze().reached(entity.name()),
            rebuilding: true,
            made: Some(store.now_millis()),
        };
        let states: Vec<State> = entities.iter().map(state).collect();
        let made = self.scanned(store, table, entities, parts).await?;
        let mut rebuilt = Vec::new();
        for ((entity, made), mut state) in entities.iter().zip(made).zip(states) {
            // From here on what was there before is no longer whole.
            self.remember(entity.name(), &state).await?;
            let unreadable = made.parts.iter().map(|part| part.unreadable).sum();
            for (part, one) in made.parts.into_iter().enumerate() {
                let finishing = Arc::clone(entity);
                let finished = tokio::task::spawn_blocking(move || one.finish(&finishing));
                let (bytes, rows) = finished.await??;
                self.put(&path(entity.name(), part), bytes).await?;
                state.rows[part] = rows;
            }
            self.forget_parts(entity.name(), parts).await?;
            state.rebuilding = false;
            self.remember(entity.name(), &state).await?;
            tracing::info!(entity = %entity.name(), rows = state.rows.iter().sum::<u64>(), "silver was made from the table");
            rebuilt.push(Rebuilt {
                entity: entity.name().to_owned(),
                rows: state.rows.iter().sum(),
                unreadable,
            });
        }
        Ok(rebuilt)
    }

    /// All items of a table, each in the part of its entity.
    async fn scanned(
        &self,
        store: &Store,
        table: &'static Table,
        entities: &[Arc<LakeEntity>],
        parts: usize,
    ) -> Result<Vec<Parts>, LakeError> {
        let made = entities.iter().map(|entity| Parts::new(entity, parts));
        let mut made = made.collect::<Result<Vec<Parts>, LakeError>>()?;
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

/// The parts of an entity while they are made, in files that nobody else sees.
struct Parts {
    entity: Arc<LakeEntity>,
    parts: Vec<Part>,
}

struct Part {
    waiting: Vec<Row>,
    writer: ArrowWriter<File>,
    rows: u64,
    unreadable: u64,
}

impl Parts {
    fn new(entity: &Arc<LakeEntity>, parts: usize) -> Result<Self, LakeError> {
        let part = |_| {
            let file = tempfile::tempfile().map_err(|error| unwritten(&error))?;
            let writer = sink(entity.schema(), file).map_err(|error| unwritten(&error))?;
            Ok(Part {
                waiting: Vec::new(),
                writer,
                rows: 0,
                unreadable: 0,
            })
        };
        Ok(Parts {
            entity: Arc::clone(entity),
            parts: (0..parts).map(part).collect::<Result<_, LakeError>>()?,
        })
    }
}

impl Part {
    fn push(&mut self, entity: &LakeEntity, row: Row) -> Result<(), LakeError> {
        self.unreadable += u64::from(row.is_unreadable());
        self.waiting.push(row);
        if self.waiting.len() >= ROWS {
            self.flush(entity)?;
        }
        Ok(())
    }

    fn flush(&mut self, entity: &LakeEntity) -> Result<(), LakeError> {
        let table = entity
            .table(&self.waiting)
            .map_err(|error| unwritten(&error))?;
        self.writer
            .write(&table)
            .map_err(|error| unwritten(&error))?;
        self.rows += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Its bytes, and how many rows it has.
    fn finish(mut self, entity: &LakeEntity) -> Result<(Vec<u8>, u64), LakeError> {
        self.flush(entity)?;
        let mut file = self
            .writer
            .into_inner()
            .map_err(|error| unwritten(&error))?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .map_err(|error| unwritten(&error))?;
        file.read_to_end(&mut bytes)
            .map_err(|error| unwritten(&error))?;
        Ok((bytes, self.rows))
    }
}

fn unwritten(error: &dyn std::fmt::Display) -> LakeError {
    LakeError::damaged(&"a part that is being made", error)
}

/// Items of a page, each to its part.
fn sorted(
    model: &LakeModel,
    table: &Table,
    items: Vec<Item>,
    mut made: Vec<Parts>,
) -> Result<Vec<Parts>, LakeError> {
    for item in items {
        let Some(entity) = model.entity_of(&table.name, &item) else {
            continue;
        };
        let own = made
            .iter_mut()
            .find(|made| made.entity.name() == entity.name());
        if let Some(own) = own {
            let row = own.entity.row(&item);
            let part = part_of(&row.key, own.parts.len());
            own.parts[part].push(&own.entity, row)?;
        }
    }
    Ok(made)
}
