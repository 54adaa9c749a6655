//! Reading a lake in a program.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use futures_util::TryStreamExt as _;
use jiff::civil::Date;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tablewright::Entity;

use crate::error::LakeError;
use crate::gold::GoldRow;
use crate::key_field::KeyField;
use crate::model::LakeEntity;
use crate::name::BronzeFile;
use crate::options::LakeOptions;
use crate::place::Place;

/// Reads a lake, whoever writes it.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) files: Arc<dyn ObjectStore>,
}

impl Reader {
    /// The lake of a model.
    ///
    /// # Errors
    /// [`LakeError::Files`] when there is none.
    pub fn open(place: &Place, model: &str) -> Result<Self, LakeError> {
        let files = place.files(model, LakeOptions::default().lease)?;
        Ok(Reader { files })
    }

    pub(crate) fn of(files: &Arc<dyn ObjectStore>) -> Self {
        let files = Arc::clone(files);
        Reader { files }
    }

    /// Goes through the items of a type as they are now. Rows that are no such item are passed over: those that say why they cannot be read, and all of an entity with a field that must be there and is kept back.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn items<T: Entity>(&self, mut see: impl FnMut(T)) -> Result<(), LakeError> {
        let entity = LakeEntity::new(&Arc::new(T::descriptor().clone()), false);
        self.silver(entity.name(), |rows| items(&entity, rows, &mut see))
            .await
    }

    /// The files of silver of a type, for [`Reader::items_in`]: all items are in one of them.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn parts<T: Entity>(&self) -> Result<Vec<String>, LakeError> {
        let folder = Path::from_iter(["silver", &T::descriptor().name]);
        let paths = self.paths(&folder, |_| true).await?;
        Ok(paths.into_iter().map(String::from).collect())
    }

    /// As [`Reader::items`], of one file of silver.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn items_in<T: Entity>(
        &self,
        part: &str,
        mut see: impl FnMut(T),
    ) -> Result<(), LakeError> {
        let entity = LakeEntity::new(&Arc::new(T::descriptor().clone()), false);
        self.file(&Path::from(part), |rows| items(&entity, rows, &mut see))
            .await
    }

    /// Goes through some columns of silver, row by row.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn silver_rows(
        &self,
        entity: &str,
        columns: &[&str],
        mut see: impl FnMut(&GoldRow<'_>),
    ) -> Result<(), LakeError> {
        let folder = Path::from_iter(["silver", entity]);
        for path in self.paths(&folder, |_| true).await? {
            let see = |rows: &RecordBatch| {
                (0..rows.num_rows()).for_each(|row| see(&GoldRow { rows, row }));
            };
            self.columns(&path, columns, see).await?;
        }
        Ok(())
    }

    /// The names of the pieces of a table of gold, in their order; `all` of one that is one file.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn gold_pieces(&self, table: &str) -> Result<Vec<String>, LakeError> {
        let folder = Path::from_iter(["gold", table]);
        let paths = self.paths(&folder, |_| true).await?;
        let names = paths.iter().filter_map(|path| path.filename());
        let names = names.map(|name| name.trim_end_matches(".parquet").to_owned());
        Ok(names.collect())
    }

    /// Goes through a table of gold, row by row.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn gold(
        &self,
        table: &str,
        mut see: impl FnMut(&GoldRow<'_>),
    ) -> Result<(), LakeError> {
        let see = |rows: &RecordBatch| {
            for row in 0..rows.num_rows() {
                see(&GoldRow { rows, row });
            }
        };
        self.gold_rows(table, see).await
    }

    /// Goes through a table of gold, some thousand rows at a time.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn gold_rows(
        &self,
        table: &str,
        see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        let folder = Path::from_iter(["gold", table]);
        self.each(&folder, |_| true, see).await
    }

    /// Goes through the items of a type that somebody changed, from a day on: the day, and a field of the key. Each value is told once for each file of bronze. Of the files only the keys are read, and a damaged one is passed over.
    ///
    /// # Errors
    /// [`LakeError`]; [`LakeError::NoKeyField`] when the field is none of the key.
    pub async fn changed_since<T: Entity>(
        &self,
        field: &str,
        day: Date,
        mut see: impl FnMut(Date, String),
    ) -> Result<(), LakeError> {
        let entity = T::descriptor();
        let of_key = KeyField::of(entity, field).ok_or_else(|| LakeError::NoKeyField {
            entity: entity.name.clone(),
            field: field.to_owned(),
        })?;
        let folder = format!("entity={}", entity.name);
        let folder = Path::from_iter(["bronze", &folder]);
        let recent = |path: &Path| day_of(path).is_some_and(|of| of >= day);
        for path in self.paths(&folder, recent).await? {
            let Some(day) = day_of(&path) else { continue };
            // Many keys have the same part, and it is dear to take it apart.
            let mut known = BTreeSet::new();
            let see = |rows: &RecordBatch| {
                let column = |name: &str| rows.column_by_name(name)?.as_string_opt::<i32>();
                let (Some(cause), Some(keys)) = (column("cause"), column("key")) else {
                    return;
                };
                for row in (0..rows.num_rows()).filter(|row| cause.value(*row) == "request") {
                    let Some(part) = of_key.part_of(keys.value(row)) else {
                        continue;
                    };
                    if !known.contains(&*part) {
                        let value = of_key.value_in(&part);
                        known.insert(part.into_owned());
                        value.into_iter().for_each(|value| see(day, value));
                    }
                }
            };
            match self.columns(&path, &["cause", "key"], see).await {
                Err(error @ LakeError::Damaged { .. }) => {
                    tracing::error!(%error, "its changes are passed over");
                }
                read => read?,
            }
        }
        Ok(())
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
        self.each(&Path::from_iter(["silver", entity]), |_| true, see)
            .await
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
        self.each(&Path::from_iter(["bronze", &folder]), |_| true, see)
            .await
    }

    async fn each(
        &self,
        folder: &Path,
        which: impl Fn(&Path) -> bool,
        mut see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        for path in self.paths(folder, which).await? {
            self.file(&path, &mut see).await?;
        }
        Ok(())
    }

    /// The files in a folder, in the order of their names.
    async fn paths(
        &self,
        folder: &Path,
        which: impl Fn(&Path) -> bool,
    ) -> Result<Vec<Path>, LakeError> {
        let found: Vec<_> = self.files.list(Some(folder)).try_collect().await?;
        let mut paths: Vec<Path> = found.into_iter().map(|file| file.location).collect();
        paths.retain(|path| path.as_ref().ends_with(".parquet") && which(path));
        paths.sort();
        Ok(paths)
    }

    async fn file(&self, path: &Path, see: impl FnMut(&RecordBatch)) -> Result<(), LakeError> {
        self.columns(path, &[], see).await
    }

    /// Some columns of a file; all when none is named.
    pub(crate) async fn columns(
        &self,
        path: &Path,
        named: &[&str],
        mut see: impl FnMut(&RecordBatch),
    ) -> Result<(), LakeError> {
        let bad = |error: &dyn std::fmt::Display| LakeError::damaged(path, error);
        let bytes = self.files.get(path).await?.bytes().await?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes);
        let mut reader = reader.map_err(|error| bad(&error))?;
        if !named.is_empty() {
            let named = named.iter().copied();
            let mask = ProjectionMask::columns(reader.parquet_schema(), named);
            reader = reader.with_projection(mask);
        }
        let reader = reader.with_batch_size(8192).build();
        for table in reader.map_err(|error| bad(&error))? {
            see(&table.map_err(|error| bad(&error))?);
        }
        Ok(())
    }
}

/// Rows as the items they are.
fn items<T: Entity>(entity: &LakeEntity, rows: &RecordBatch, see: &mut impl FnMut(T)) {
    for row in 0..rows.num_rows() {
        let fields = Value::Object(entity.fields(rows, row));
        if let Ok(item) = serde_json::from_value(fields) {
            see(item);
        }
    }
}

/// The day of a file of bronze.
fn day_of(path: &Path) -> Option<Date> {
    let file = BronzeFile::of(path, 0)?;
    file.date.parse().ok()
}
