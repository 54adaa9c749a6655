//! Some rows of a table of gold, without reading the others: a table is in the order of its first column, and its file says which values are in each group of rows.

use std::ops::Range;
use std::sync::Arc;

use bytes::buf::Reader as BytesReader;
use bytes::{Buf as _, Bytes};
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStore};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::LakeError;
use crate::gold::{GOLD, GoldRow, path_in};
use crate::read::Reader;

/// How much of the end of a file is read at first: a small file is wholly in it.
const TAIL: u64 = 64 << 10;

/// How often a file may be replaced while it is read.
const TURNS: usize = 5;

impl Reader {
    /// Goes through the rows of a table of gold that have a text in a column, in a part of each of its files: where these are in the order of that column, it reads few others. Nothing, where there is no such table.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn gold_of(
        &self,
        table: &str,
        column: &str,
        text: &str,
        mut see: impl FnMut(&GoldRow<'_>),
    ) -> Result<(), LakeError> {
        for piece in self.gold_pieces(table).await? {
            self.gold_piece_of(table, &piece, column, text, &mut see)
                .await?;
        }
        Ok(())
    }

    /// As [`Reader::gold_of`], of a piece of a table: for who knows in which the rows are.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn gold_piece_of(
        &self,
        table: &str,
        piece: &str,
        column: &str,
        text: &str,
        mut see: impl FnMut(&GoldRow<'_>),
    ) -> Result<(), LakeError> {
        let path = path_in(&GOLD, table, Some(piece));
        let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
        for piece in self.pieces(&path, column, text).await? {
            let reader = piece.reader().map_err(|error| bad(&error))?;
            for rows in reader {
                let rows = rows.map_err(|error| bad(&error))?;
                for row in 0..rows.num_rows() {
                    let row = GoldRow { rows: &rows, row };
                    if row.text(column) == Some(text) {
                        see(&row);
                    }
                }
            }
        }
        Ok(())
    }

    /// The groups of rows that may have a text in a column; all of one file, also when it is replaced meanwhile.
    async fn pieces(&self, path: &Path, column: &str, text: &str) -> Result<Vec<Piece>, LakeError> {
        let mut turn = 0;
        loop {
            turn += 1;
            match pieces(&*self.files, path, column, text).await {
                Err(LakeError::Files(Error::NotFound { .. })) => return Ok(Vec::new()),
                Err(LakeError::Files(Error::Precondition { .. })) if turn < TURNS => {}
                pieces => return pieces,
            }
        }
    }
}

/// A group of rows of a file.
#[derive(Debug)]
struct Piece {
    metadata: Arc<ParquetMetaData>,
    group: usize,
    bytes: Range<u64>,
    data: Bytes,
}

async fn pieces(
    files: &dyn ObjectStore,
    path: &Path,
    column: &str,
    text: &str,
) -> Result<Vec<Piece>, LakeError> {
    let bad = |error: &dyn std::fmt::Display| LakeError::damaged(path, error);
    let suffix = |bytes: u64| GetOptions::new().with_range(Some(GetRange::Suffix(bytes)));
    let found = files.get_opts(path, suffix(TAIL)).await?;
    let (size, version) = (found.meta.size, found.meta.e_tag.clone());
    let same = |options: GetOptions| options.with_if_match(version.clone());
    let mut tail = found.bytes().await?;
    let mut reader = ParquetMetaDataReader::new();
    loop {
        match reader.try_parse_sized(&tail, size) {
            Ok(()) => break,
            Err(ParquetError::NeedMoreData(bytes)) if tail.len() < bytes => {
                let more = same(suffix(bytes as u64));
                tail = files.get_opts(path, more).await?.bytes().await?;
            }
            Err(error) => return Err(bad(&error)),
        }
    }
    let metadata = Arc::new(reader.finish().map_err(|error| bad(&error))?);
    let begins = size - tail.len() as u64;
    let mut pieces = Vec::new();
    for group in groups_with(&metadata, column, text) {
        let bytes = place_of(&metadata, group);
        let data = match bytes.start.checked_sub(begins) {
            // No file is so large that its end is not in memory.
            Some(from) => tail.slice(from as usize..(bytes.end - begins) as usize),
            None => {
                let part = GetOptions::new().with_range(Some(bytes.clone()));
                files.get_opts(path, same(part)).await?.bytes().await?
            }
        };
        pieces.push(Piece {
            metadata: Arc::clone(&metadata),
            group,
            bytes,
            data,
        });
    }
    Ok(pieces)
}

/// The groups of rows that may have a text in a column, by the least and the greatest they have.
fn groups_with(metadata: &ParquetMetaData, column: &str, text: &str) -> Vec<usize> {
    let may_have = |group: &usize| {
        let columns = metadata.row_group(*group).columns().iter();
        let mut own = columns.filter(|chunk| chunk.column_path().string() == column);
        let Some(known) = own.next().and_then(|chunk| chunk.statistics()) else {
            return true;
        };
        let (least, greatest) = (known.min_bytes_opt(), known.max_bytes_opt());
        least.is_none_or(|least| least <= text.as_bytes())
            && greatest.is_none_or(|greatest| text.as_bytes() <= greatest)
    };
    (0..metadata.num_row_groups()).filter(may_have).collect()
}

/// Where a group of rows is in its file.
fn place_of(metadata: &ParquetMetaData, group: usize) -> Range<u64> {
    let chunks = metadata.row_group(group).columns().iter();
    let places = chunks.map(|chunk| chunk.byte_range());
    places
        .map(|(start, length)| start..start + length)
        .reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
        .unwrap_or_default()
}

impl Piece {
    fn reader(
        self,
    ) -> Result<parquet::arrow::arrow_reader::ParquetRecordBatchReader, ParquetError> {
        let group = self.group;
        let metadata = Arc::clone(&self.metadata);
        let metadata = ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())?;
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(self, metadata);
        reader
            .with_row_groups(vec![group])
            .with_batch_size(8192)
            .build()
    }

    /// What is there from a place in the file on.
    fn at(&self, start: u64) -> Result<Bytes, ParquetError> {
        let from = start.checked_sub(self.bytes.start);
        let from = from.and_then(|from| usize::try_from(from).ok());
        let from = from.filter(|from| *from <= self.data.len());
        let from = from.ok_or_else(|| ParquetError::EOF(format!("{start} was not read")))?;
        Ok(self.data.slice(from..))
    }
}

impl Length for Piece {
    fn len(&self) -> u64 {
        self.bytes.end
    }
}

impl ChunkReader for Piece {
    type T = BytesReader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(self.at(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.at(start)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes at {start}")));
        }
        Ok(bytes.slice(..length))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::civil::date;
    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt as _, PutPayload};

    use super::*;
    use crate::gold::GoldTable;

    const USERS: usize = 100_000;

    fn name(user: usize) -> String {
        format!("user-{user:06}")
    }

    /// Two days of each user.
    async fn table() -> (Arc<dyn ObjectStore>, usize) {
        let names: Vec<String> = (0..USERS * 2).map(|row| name(row / 2)).collect();
        let table = GoldTable::new("per_day")
            .texts("user_id", names.iter().map(|name| Some(name.as_str())))
            .days(
                "day",
                (0..USERS * 2).map(|row| date(2026, 11, 1 + (row % 2) as i8)),
            )
            .counts("created", (0..USERS * 2).map(|row| row as i64));
        let bytes = table.encoded().unwrap();
        let (files, many) = (InMemory::new(), bytes.len());
        let path = path_in(&GOLD, "per_day", None);
        files.put(&path, PutPayload::from(bytes)).await.unwrap();
        (Arc::new(files), many)
    }

    #[tokio::test]
    async fn the_rows_of_one_are_found_among_those_of_all() {
        let (files, whole) = table().await;
        let reader = Reader::of(&files);
        for user in [0, 32_767, 32_768, 65_000, USERS - 1] {
            let (name, mut created) = (name(user), Vec::new());
            let see = |row: &GoldRow<'_>| created.push(row.count("created").unwrap());
            reader
                .gold_of("per_day", "user_id", &name, see)
                .await
                .unwrap();
            assert_eq!(created, [user as i64 * 2, user as i64 * 2 + 1]);
        }
        for nobody in ["", "user-0000005", "zoe"] {
            let see = |_: &GoldRow<'_>| panic!("{nobody} has rows");
            reader
                .gold_of("per_day", "user_id", nobody, see)
                .await
                .unwrap();
        }
        let see = |_: &GoldRow<'_>| panic!("there is no such table");
        reader
            .gold_of("nothing", "user_id", "ada", see)
            .await
            .unwrap();

        // Most of the file is left unread.
        let path = path_in(&GOLD, "per_day", None);
        let read = pieces(&*files, &path, "user_id", &name(50_000))
            .await
            .unwrap();
        let groups: BTreeSet<usize> = read.iter().map(|piece| piece.group).collect();
        let bytes: usize = read.iter().map(|piece| piece.data.len()).sum();
        assert_eq!(groups.len(), 1);
        assert!(bytes * 2 < whole, "{bytes} of {whole}");
        // Where nothing is known of a column all is read.
        let read = pieces(&*files, &path, "other", "x").await.unwrap();
        assert_eq!(read.len(), (USERS * 2).div_ceil(65_536));
    }
}
