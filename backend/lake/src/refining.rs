//! What gold is computed with.

use std::sync::{Arc, Mutex};

use object_store::memory::InMemory;
use object_store::{Error, ObjectStore};

use crate::error::LakeError;
use crate::gold::{GOLD, GoldRow, GoldTable, KEPT, path_in};
use crate::lake::Lake;
use crate::read::Reader;

/// What gold is computed with: the lake, the moment, and where tables go. It is all that a program has of the lake while it does.
#[derive(Debug, Clone)]
pub struct Refining {
    reader: Reader,
    now: i64,
    to: To,
}

/// Where tables go.
#[derive(Debug, Clone)]
enum To {
    Lake(Lake),
    /// Nobody keeps them: it is only asked what they are.
    Nowhere(Arc<Mutex<Vec<GoldTable>>>),
}

impl Refining {
    pub(crate) fn of(lake: &Lake, now: i64) -> Self {
        Refining {
            reader: Reader::of(&lake.inner.files),
            now,
            to: To::Lake(lake.clone()),
        }
    }

    /// Of a lake with nothing in it, to learn which tables there are.
    pub(crate) fn of_nothing() -> Self {
        let nothing: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        Refining {
            reader: Reader::of(&nothing),
            now: 0,
            to: To::Nowhere(Arc::default()),
        }
    }

    /// The tables that went nowhere, each once.
    pub(crate) fn tables(&self) -> Vec<GoldTable> {
        let To::Nowhere(tables) = &self.to else {
            return Vec::new();
        };
        let tables = tables.lock();
        let mut tables = tables
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone();
        let mut names = Vec::new();
        tables.retain(|table| {
            let is_new = !names.contains(&table.name());
            names.push(table.name());
            is_new
        });
        tables
    }

    /// The lake.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The moment as of which gold is computed, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Writes a table, or a piece of one, in place of what was there.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn put(&self, table: GoldTable) -> Result<(), LakeError> {
        match &self.to {
            To::Lake(lake) => write(lake, &GOLD, table).await,
            To::Nowhere(tables) => {
                let tables = tables.lock();
                tables
                    .unwrap_or_else(|poisoned| poisoned.into_inner())
                    .push(table);
                Ok(())
            }
        }
    }

    /// Removes a table that was one file, where it is in pieces now.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn remove_whole(&self, table: &str) -> Result<(), LakeError> {
        let To::Lake(lake) = &self.to else {
            return Ok(());
        };
        match lake.remove(&path_in(&GOLD, table, None)).await {
            Err(LakeError::Files(Error::NotFound { .. })) => Ok(()),
            removed => removed,
        }
    }

    /// Remembers something for the next time, where readers pass over it: whole, or as it was before.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn keep(&self, table: GoldTable) -> Result<(), LakeError> {
        match &self.to {
            To::Lake(lake) => write(lake, &KEPT, table).await,
            To::Nowhere(_) => Ok(()),
        }
    }

    /// Goes through what was remembered, row by row. Says whether something was.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn kept(
        &self,
        table: &str,
        piece: &str,
        mut see: impl FnMut(&GoldRow<'_>),
    ) -> Result<bool, LakeError> {
        let path = path_in(&KEPT, table, Some(piece));
        let see = |rows: &arrow_array::RecordBatch| {
            for row in 0..rows.num_rows() {
                see(&GoldRow { rows, row });
            }
        };
        match self.reader.columns(&path, &[], see).await {
            Err(LakeError::Files(Error::NotFound { .. })) => Ok(false),
            read => read.map(|()| true),
        }
    }
}

async fn write(lake: &Lake, folder: &[&str], table: GoldTable) -> Result<(), LakeError> {
    let path = table.path(folder);
    let bytes = tokio::task::spawn_blocking(move || table.encoded()).await??;
    lake.put(&path, bytes).await
}
