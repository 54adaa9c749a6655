//! Reading a lake in a program.

use std::sync::Arc;

use arrow_array::RecordBatch;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::LakeError;
use crate::place::Place;

/// Reads a lake, whoever writes it.
#[derive(Debug, Clone)]
pub struct Reader {
    files: Arc<dyn ObjectStore>,
}

impl Reader {
    /// The lake of a model.
    ///
    /// # Errors
    /// [`LakeError::Files`] when there is none.
    pub fn open(place: &Place, model: &str) -> Result<Self, LakeError> {
        let files = place.files(model)?;
        Ok(Reader { files })
    }

    /// Goes through the items of an entity as they are now, some thousand rows at a time.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn silver(
        &self,
        entity: &str,
        see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        self.each(&Path::from_iter(["silver", entity]), see).await
    }

    /// Goes through the changes of an entity, some thousand rows at a time, file by file.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn bronze(
        &self,
        entity: &str,
        see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        let folder = format!("entity={entity}");
        self.each(&Path::from_iter(["bronze", &folder]), see).await
    }

    async fn each(
        &self,
        folder: &Path,
        mut see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        let found: Vec<_> = self.files.list(Some(folder)).try_collect().await?;
        let mut paths: Vec<Path> = found.into_iter().map(|file| file.location).collect();
        paths.retain(|path| path.as_ref().ends_with(".parquet"));
        paths.sort();
        for path in paths {
            let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
            let bytes = self.files.get(&path).await?.bytes().await?;
            let reader = ParquetRecordBatchReaderBuilder::try_new(bytes);
            let reader = reader.and_then(|reader| reader.with_batch_size(8192).build());
            for table in reader.map_err(|error| bad(&error))? {
                see(&table.map_err(|error| bad(&error))?);
            }
        }
        Ok(())
    }
}
