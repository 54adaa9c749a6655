//! The changes of an entity, told in portions to whoever counts them.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, RecordBatch, StringArray};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tablewright::{Entity, Stored as _, stored_from_item};

use crate::error::LakeError;
use crate::image;
use crate::name::BronzeFile;
use crate::read::Reader;
use crate::state::State;

/// How many rows are taken from a file at once: images are large.
const ROWS: usize = 2048;

/// Up to which change of each shard something was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    up_to: BTreeMap<String, String>,
}

impl Position {
    /// Whether a change was told.
    pub fn has(&self, shard: &str, sequence: &str) -> bool {
        self.up_to
            .get(shard)
            .is_some_and(|up_to| sequence <= up_to.as_str())
    }

    /// With a change of a shard, and all before it.
    pub fn reach(&mut self, shard: &str, sequence: &str) {
        if !self.has(shard, sequence) {
            self.up_to.insert(shard.to_owned(), sequence.to_owned());
        }
    }

    /// With all that another has.
    pub fn join(&mut self, other: &Position) {
        other
            .shards()
            .for_each(|(shard, up_to)| self.reach(shard, up_to));
    }

    /// Each shard, and the last change of it.
    pub fn shards(&self) -> impl Iterator<Item = (&str, &str)> {
        let shards = self.up_to.iter();
        shards.map(|(shard, up_to)| (shard.as_str(), up_to.as_str()))
    }
}

/// An item on one side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image<T> {
    /// There was none.
    None,
    /// There was one that is not as the model says.
    Unreadable,
    /// This.
    Is(T),
}

/// How far changes were told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The position after them: the same as before, when there were none.
    pub position: Position,
    /// Files were damaged, and passed over: silver has what became of their items.
    pub passed_over: bool,
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<'c, T> {
    /// The shard it was told in.
    pub shard: &'c str,
    /// Its place there.
    pub sequence: &'c str,
    /// The item before.
    pub before: Image<T>,
    /// The item after.
    pub after: Image<T>,
}

impl Reader {
    /// Tells the changes of a type that come after a position, in the order of each item, and not more than so many.
    ///
    /// Only what silver has as well is told: who compares both compares the same moment. Of a stream the table had before all is told, since silver is newer. A damaged file stays damaged: what comes after it is told all the same.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn changes<T: Entity>(
        &self,
        since: &Position,
        most: usize,
        mut see: impl FnMut(Changed<'_, T>),
    ) -> Result<Told, LakeError> {
        let entity = &T::descriptor().name;
        let mut told = Told {
            position: since.clone(),
            passed_over: false,
        };
        let Some(silver) = State::read(&*self.files, entity).await? else {
            return Ok(told);
        };
        let mut left = most;
        for file in self.bronze_files(entity).await? {
            if left == 0 {
                break;
            }
            let shard = file.origin.text();
            let Some(end) = end_of(&silver, &file) else {
                continue;
            };
            if told.position.has(&shard, &end) {
                continue;
            }
            let bytes = self.files.get(&file.path()).await?.bytes().await?;
            let portion = Portion {
                file: &file,
                shard: &shard,
                end: &end,
            };
            match portion.tell(bytes, &mut told.position, &mut left, &mut see) {
                Err(error @ LakeError::Damaged { .. }) => {
                    tracing::error!(%error, "its changes are passed over");
                    told.position.reach(&shard, &end);
                    told.passed_over = true;
                }
                read => read?,
            }
        }
        Ok(told)
    }

    /// When silver of a type was made from its table, in milliseconds since 1970: who compared with it does so again after that. None while there is no silver that is whole.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn made<T: Entity>(&self) -> Result<Option<i64>, LakeError> {
        let silver = State::read(&*self.files, &T::descriptor().name).await?;
        let silver = silver.filter(|silver| !silver.rebuilding);
        Ok(silver.map(|silver| silver.made.unwrap_or_default()))
    }

    /// The files of bronze of an entity, in the order of what is in them.
    async fn bronze_files(&self, entity: &str) -> Result<Vec<BronzeFile>, LakeError> {
        let folder = Path::from_iter(["bronze", &format!("entity={entity}")]);
        let found: Vec<_> = self.files.list(Some(&folder)).try_collect().await?;
        let found = found.iter();
        let files = found.filter_map(|file| BronzeFile::of(&file.location, file.size));
        let mut files: Vec<BronzeFile> = files.collect();
        files.sort_by(|a, b| {
            let place = |file: &BronzeFile| (file.origin.stream.clone(), file.first.clone());
            place(a).cmp(&place(b))
        });
        Ok(files)
    }
}

/// What may be told of a file.
struct Portion<'p> {
    file: &'p BronzeFile,
    shard: &'p str,
    end: &'p str,
}

impl Portion<'_> {
    /// Tells what comes after a position, and moves it; as many as are left to tell.
    fn tell<T: Entity>(
        &self,
        bytes: Bytes,
        position: &mut Position,
        left: &mut usize,
        see: &mut impl FnMut(Changed<'_, T>),
    ) -> Result<(), LakeError> {
        let path = self.file.path();
        let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes);
        let reader = reader.map_err(|error| bad(&error))?;
        let named = ["sequence", "before", "after"];
        let mask = ProjectionMask::columns(reader.parquet_schema(), named);
        let reader = reader.with_projection(mask).with_batch_size(ROWS).build();
        for rows in reader.map_err(|error| bad(&error))? {
            let rows = rows.map_err(|error| bad(&error))?;
            let column = |name: &str| {
                let texts = texts(&rows, name);
                texts.ok_or_else(|| bad(&format!("there is no text `{name}`")))
            };
            let (sequences, before, after) =
                (column("sequence")?, column("before")?, column("after")?);
            for row in 0..rows.num_rows() {
                let sequence = sequences.value(row);
                if sequence > self.end || *left == 0 {
                    return Ok(());
                }
                if position.has(self.shard, sequence) {
                    continue;
                }
                see(Changed {
                    shard: self.shard,
                    sequence,
                    before: image_of(before, row),
                    after: image_of(after, row),
                });
                position.reach(self.shard, sequence);
                *left -= 1;
            }
        }
        Ok(())
    }
}

/// The last change of a file that may be told; none when silver is of an earlier stream, or has nothing of its shard.
fn end_of(silver: &State, file: &BronzeFile) -> Option<String> {
    let stream = silver.stream.as_ref()?;
    if file.origin.stream < *stream {
        return Some(file.last.clone());
    }
    let applied = silver.up_to.get(&file.origin.text());
    let applied = applied.filter(|_| file.origin.stream == *stream)?;
    (*applied >= file.first).then(|| applied.min(&file.last).clone())
}

fn texts<'r>(rows: &'r RecordBatch, name: &str) -> Option<&'r StringArray> {
    rows.column_by_name(name)?.as_string_opt::<i32>()
}

fn image_of<T: Entity>(images: &StringArray, row: usize) -> Image<T> {
    if images.is_null(row) {
        return Image::None;
    }
    let item = image::read(images.value(row)).ok();
    match item.map(stored_from_item::<T>) {
        Some(Ok(Some(stored))) => Image::Is(stored.data().clone()),
        _ => Image::Unreadable,
    }
}
