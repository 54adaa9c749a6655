//! Where the parts of silver are made anew: in files that nobody else sees, until all of them are whole.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use tablewright::Item;
use tablewright::descriptor::Table;

use crate::error::LakeError;
use crate::model::{LakeEntity, LakeModel};
use crate::part::{ROWS, Renewed, Since, part_of, path, renewed, sink};
use crate::rows::Row;

/// The parts of an entity while they are made.
pub(crate) struct Parts {
    entity: Arc<LakeEntity>,
    parts: Vec<Part>,
}

struct Part {
    waiting: Vec<Row>,
    writer: ArrowWriter<File>,
    rows: u64,
    unreadable: u64,
}

/// A part that is whole.
pub(crate) struct Finished {
    file: File,
    pub(crate) rows: u64,
    pub(crate) unreadable: u64,
}

impl Parts {
    pub(crate) fn new(entity: &Arc<LakeEntity>, parts: usize) -> Result<Self, LakeError> {
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

    pub(crate) fn finish(self) -> Result<Vec<Finished>, LakeError> {
        let parts = self.parts.into_iter();
        parts.map(|part| part.finish(&self.entity)).collect()
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

    fn finish(mut self, entity: &LakeEntity) -> Result<Finished, LakeError> {
        self.flush(entity)?;
        let file = self
            .writer
            .into_inner()
            .map_err(|error| unwritten(&error))?;
        Ok(Finished {
            file,
            rows: self.rows,
            unreadable: self.unreadable,
        })
    }
}

impl Finished {
    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, LakeError> {
        let mut bytes = Vec::new();
        self.file
            .seek(SeekFrom::Start(0))
            .map_err(|error| unwritten(&error))?;
        self.file
            .read_to_end(&mut bytes)
            .map_err(|error| unwritten(&error))?;
        Ok(bytes)
    }

    /// With what happened since.
    pub(crate) fn renewed(
        mut self,
        entity: &LakeEntity,
        part: usize,
        since: &Since,
    ) -> Result<Self, LakeError> {
        let old = Bytes::from(self.bytes()?);
        let new: Renewed = renewed(entity, &path(entity.name(), part), Some(old), since)?;
        let mut file = tempfile::tempfile().map_err(|error| unwritten(&error))?;
        file.write_all(&new.bytes)
            .map_err(|error| unwritten(&error))?;
        Ok(Finished {
            file,
            rows: new.rows,
            unreadable: new.unreadable,
        })
    }
}

fn unwritten(error: &dyn std::fmt::Display) -> LakeError {
    LakeError::damaged(&"a part that is being made", error)
}

/// Items of a table, each to its part.
pub(crate) fn sorted(
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
