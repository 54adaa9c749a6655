//! A part of silver: the items of an entity whose keys fall into it.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array as _, BooleanArray, RecordBatch, StringArray};
use arrow_schema::Schema;
use arrow_select::filter::filter_record_batch;
use bytes::Bytes;
use object_store::path::Path;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::columns::{KEY, UNREADABLE};
use crate::error::LakeError;
use crate::image;
use crate::model::LakeEntity;
use crate::rows::Row;

/// How many rows become columns at once.
pub(crate) const ROWS: usize = 2048;

/// The file of a part.
pub(crate) fn path(entity: &str, part: usize) -> Path {
    Path::from_iter(["silver", entity, &format!("part-{part:02}.parquet")])
}

/// The part a key belongs to, of so many, by a hash of it (FNV-1a) that is the same in every program and for ever.
pub fn part_of(key: &str, parts: usize) -> usize {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    usize::try_from(hash % parts.max(1) as u64).unwrap_or(0)
}

/// Where tables become a Parquet file. What it holds in memory is bounded.
pub(crate) fn sink<W: Write + Send>(
    schema: Arc<Schema>,
    to: W,
) -> Result<ArrowWriter<W>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(String::from("tablewright"))
        .set_max_row_group_row_count(Some(65_536))
        .set_max_row_group_bytes(Some(16 << 20))
        .build();
    ArrowWriter::try_new(to, schema, Some(properties))
}

/// What became of items since: each in JSON, or gone.
pub(crate) type Since = BTreeMap<String, Option<String>>;

/// A part with what happened since.
pub(crate) struct Renewed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: u64,
    /// How many of them say that they cannot be read.
    pub(crate) unreadable: u64,
}

/// A part with what happened since.
pub(crate) fn renewed(
    entity: &LakeEntity,
    file: &Path,
    old: Option<Bytes>,
    since: &Since,
) -> Result<Renewed, LakeError> {
    let bad = |error: &dyn std::fmt::Display| LakeError::damaged(file, error);
    let mut writer = sink(entity.schema(), Vec::new()).map_err(|error| bad(&error))?;
    let (mut rows, mut unreadable) = (0, 0);
    let mut write = |table: &RecordBatch| {
        rows += table.num_rows() as u64;
        let told = table.column_by_name(UNREADABLE);
        unreadable += told.map_or(0, |told| told.len() - told.null_count()) as u64;
        writer.write(table).map_err(|error| bad(&error))
    };
    if let Some(old) = old {
        let reader = ParquetRecordBatchReaderBuilder::try_new(old).map_err(|error| bad(&error))?;
        let reader = reader.with_batch_size(8192).build();
        for table in reader.map_err(|error| bad(&error))? {
            let table = table.map_err(|error| bad(&error))?;
            write(&untouched(&table, since).map_err(|error| bad(&error))?)?;
        }
    }
    let there: Vec<&String> = since.values().flatten().collect();
    for chunk in there.chunks(ROWS) {
        let items = chunk.iter().map(|text| {
            let item = image::read(text).map_err(|error| bad(&error))?;
            Ok(entity.row(&item))
        });
        let items: Vec<Row> = items.collect::<Result<_, LakeError>>()?;
        write(&entity.table(&items).map_err(|error| bad(&error))?)?;
    }
    let bytes = writer.into_inner().map_err(|error| bad(&error))?;
    Ok(Renewed {
        bytes,
        rows,
        unreadable,
    })
}

/// The rows nothing happened to.
fn untouched(table: &RecordBatch, since: &Since) -> Result<RecordBatch, String> {
    let keys = table.column_by_name(KEY);
    let keys = keys.and_then(|keys| keys.as_any().downcast_ref::<StringArray>());
    let keys = keys.ok_or_else(|| format!("there is no text `{KEY}`"))?;
    let kept: BooleanArray = keys
        .iter()
        .map(|key| Some(key.is_none_or(|key| !since.contains_key(key))))
        .collect();
    filter_record_batch(table, &kept).map_err(|error| error.to_string())
}
