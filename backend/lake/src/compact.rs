//! Small files of bronze, put together.

use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::name::BronzeFile;
use crate::part::sink;

/// What compaction did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// How many files were put together.
    pub files: usize,
    /// How many they are now.
    pub into: usize,
}

impl Lake {
    /// Puts small files of bronze together, day by day and shard by shard, until they are near the target. `before` leaves out the days from that one on, as `2026-11-15`.
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
            let files = bronze.all();
            let files =
                files.filter(|file| before.is_none_or(|before| file.date.as_str() < before));
            groups(files.cloned().collect(), self.inner.options.target)
        };
        let mut compacted = Compacted::default();
        for group in groups {
            self.put_together(&group).await?;
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
            parts.push(bytes.ok_or_else(|| LakeError::damaged(&file.path(), "it is gone"))?);
        }
        let path = whole.path();
        let joined = tokio::task::spawn_blocking(move || {
            joined(parts).map_err(|error| LakeError::damaged(&path, error))
        });
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
fn groups(mut files: Vec<BronzeFile>, target: u64) -> Vec<Vec<BronzeFile>> {
    let place = |file: &BronzeFile| (file.entity.clone(), file.date.clone(), file.origin.clone());
    files.sort_by_key(|file| (place(file), file.first.clone()));
    let mut groups: Vec<Vec<BronzeFile>> = Vec::new();
    for file in files {
        let fits = groups.last().is_some_and(|group| {
            let bytes: u64 = group.iter().map(|file| file.bytes).sum();
            group
                .first()
                .is_some_and(|first| place(first) == place(&file))
                && bytes + file.bytes <= target
        });
        match groups.last_mut().filter(|_| fits) {
            Some(group) => group.push(file),
            None => groups.push(vec![file]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The tables of several files in one.
fn joined(parts: Vec<Bytes>) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let mut writer = None;
    for part in parts {
        let reader = ParquetRecordBatchReaderBuilder::try_new(part)?;
        let mut to = match writer.take() {
            Some(writer) => writer,
            None => sink(reader.schema().clone(), Vec::new())?,
        };
        for table in reader.with_batch_size(8192).build()? {
            to.write(&table?)?;
        }
        writer = Some(to);
    }
    writer.map_or_else(|| Ok(Vec::new()), |writer| writer.into_inner())
}
