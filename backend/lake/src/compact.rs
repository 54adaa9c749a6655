//! Small files of bronze, put together.

use bytes::Bytes;
use object_store::path::Path;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::name::BronzeFile;
use crate::part::sink;

/// How many files of a day that is not over are put together at least, and what part of the target they are together at most.
const MANY: usize = 64;
const PART: u64 = 16;

/// What compaction did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// How many files were put together.
    pub files: usize,
    /// How many they are now.
    pub into: usize,
}

impl Lake {
    /// Puts small files of bronze together, day by day and shard by shard, until they are near the target. Of the days from `before` on, as `2026-11-15`, only where very small ones have become many: their files are still being written.
    ///
    /// # Errors
    /// [`LakeError`]. What was put together stays so.
    pub async fn compact(&self, before: Option<&str>) -> Result<Compacted, LakeError> {
        self.staying(self.compact_alone(before)).await
    }

    async fn compact_alone(&self, before: Option<&str>) -> Result<Compacted, LakeError> {
        self.be_sure().await?;
        let _alone = self.inner.upkeep.lock().await;
        let groups = {
            let bronze = self.bronze();
            let files = bronze.all().cloned().collect();
            groups(files, self.inner.options.target, before)
        };
        let mut compacted = Compacted::default();
        for group in groups {
            match self.put_together(&group).await {
                Err(error @ LakeError::Damaged { .. }) => {
                    tracing::error!(%error, "it is not put together with others");
                    continue;
                }
                put => put?,
            }
            compacted.files += group.len();
            compacted.into += 1;
        }
        Ok(compacted)
    }

    /// One file in place of several. Should this process die before those are gone, whoever opens the lake next finds that the one has all they have.
    async fn put_together(&self, group: &[BronzeFile]) -> Result<(), LakeError> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return Ok(());
        };
        let mut whole = BronzeFile {
            last: last.last.clone(),
            ..first.clone()
        };
        let mut parts = Vec::new();
        for file in group {
            let bytes = self.get(&file.path()).await?;
            let bytes = bytes.ok_or_else(|| LakeError::damaged(&file.path(), "it is gone"))?;
            parts.push((file.path(), bytes));
        }
        let joined = tokio::task::spawn_blocking(move || joined(parts));
        let bytes = joined.await??;
        whole.bytes = bytes.len() as u64;
        let written = self.put(&whole.path(), bytes).await;
        written.inspect_err(|_| self.doubt())?;
        {
            let mut bronze = self.bronze();
            group.iter().for_each(|file| bronze.remove(file));
            bronze.add(whole);
        }
        for file in group {
            let removed = self.remove(&file.path()).await;
            removed.inspect_err(|_| self.doubt())?;
        }
        Ok(())
    }
}

/// Files that follow one another and are together no larger than the target, where there is more than one.
///
/// Where days do not come in order, a file of another day stands between two of one. These are not put together: how far a shard is applied is told by the last change of its files, so
/// that no file may begin before another ends.
fn groups(mut files: Vec<BronzeFile>, target: u64, before: Option<&str>) -> Vec<Vec<BronzeFile>> {
    let place = |file: &BronzeFile| (file.entity.clone(), file.origin.clone(), file.first.clone());
    files.sort_by_cached_key(place);
    let is_over = |file: &BronzeFile| before.is_none_or(|before| file.date.as_str() < before);
    let most = |file: &BronzeFile| match is_over(file) {
        true => target,
        false => target / PART,
    };
    let mut groups: Vec<(u64, Vec<BronzeFile>)> = Vec::new();
    for file in files {
        let group = groups.last_mut().filter(|(bytes, group)| {
            bytes + file.bytes <= most(&file)
                && group.last().is_some_and(|last| {
                    (&last.entity, &last.origin, &last.date)
                        == (&file.entity, &file.origin, &file.date)
                })
        });
        match group {
            Some((bytes, group)) => {
                *bytes += file.bytes;
                group.push(file);
            }
            None => groups.push((file.bytes, vec![file])),
        }
    }
    let groups = groups.into_iter().map(|(_, group)| group);
    let is_many = |group: &Vec<BronzeFile>| match group.iter().all(is_over) {
        true => group.len() > 1,
        false => group.len() >= MANY,
    };
    groups.filter(is_many).collect()
}

/// The tables of several files in one.
fn joined(parts: Vec<(Path, Bytes)>) -> Result<Vec<u8>, LakeError> {
    let mut writer = None;
    for (path, part) in parts {
        let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
        let reader = ParquetRecordBatchReaderBuilder::try_new(part).map_err(|why| bad(&why))?;
        let mut to = match writer.take() {
            Some(writer) => writer,
            None => sink(reader.schema().clone(), Vec::new()).map_err(|why| bad(&why))?,
        };
        let tables = reader.with_batch_size(8192).build();
        for table in tables.map_err(|why| bad(&why))? {
            let table = table.map_err(|why| bad(&why))?;
            to.write(&table).map_err(|why| bad(&why))?;
        }
        writer = Some(to);
    }
    let written = writer.map_or_else(|| Ok(Vec::new()), |writer| writer.into_inner());
    written.map_err(|error| LakeError::damaged(&"a file of bronze", error))
}
