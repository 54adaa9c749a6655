//! Changes as bronze has them.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::TimestampMillisecondType as Millis;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tablewright::Item;
use tablewright_stream::{Cause, Record};

use crate::columns::millis;
use crate::error::LakeError;
use crate::image::{key_text, written};
use crate::model::{LakeEntity, LakeModel, OTHER};
use crate::name::{BronzeFile, Origin, padded};
use crate::part::sink;

/// A change as bronze has it.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) entity: String,
    pub(crate) date: String,
    pub(crate) sequence: String,
    event_id: String,
    kind: &'static str,
    cause: &'static str,
    happened: i64,
    source: String,
    key: String,
    before: Option<String>,
    after: Option<String>,
}

impl Change {
    /// A record of a stream as bronze has it: one change; or two, where an item has become one of another entity, which removes it from the one and brings it into the other.
    pub(crate) fn of(model: &LakeModel, record: &Record) -> Vec<Self> {
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        let entity = |image: Option<&Item>| model.entity_of(&record.table, image?);
        let (was, is) = (entity(before), entity(after));
        let name = |entity: Option<&Arc<LakeEntity>>| entity.map(|entity| entity.name().to_owned());
        if before.is_some() && after.is_some() && name(was) != name(is) {
            return vec![
                Change::to(model, record, was, (before, None)),
                Change::to(model, record, is, (None, after)),
            ];
        }
        let entity = is.or(was);
        vec![Change::to(model, record, entity, (before, after))]
    }

    /// What a record tells of an entity, without what is withheld. Nobody can say what is secret in an item of no entity: its images are left out.
    fn to(
        model: &LakeModel,
        record: &Record,
        entity: Option<&Arc<LakeEntity>>,
        (before, after): (Option<&Item>, Option<&Item>),
    ) -> Self {
        let shown = |image| Some(written(entity?, image?));
        let table = model.table_of(&record.table);
        Change {
            entity: entity.map_or(OTHER, |entity| entity.name()).to_owned(),
            date: day(record.happened),
            sequence: padded(&record.sequence),
            event_id: record.event_id.clone(),
            kind: match (before, after) {
                (Some(_), Some(_)) => "MODIFY",
                (Some(_), None) => "REMOVE",
                _ => "INSERT",
            },
            cause: match record.cause {
                Cause::Request => "request",
                Cause::TimeToLive => "time-to-live",
            },
            happened: record.happened,
            source: record.table.clone(),
            key: table.map_or_else(String::new, |table| key_text(table, &record.keys)),
            before: shown(before),
            after: shown(after),
        }
    }
}

/// The day of a moment, in UTC. A moment beyond all calendars is of the first day.
pub(crate) fn day(millis: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    moment.strftime("%Y-%m-%d").to_string()
}

/// The columns of bronze, besides its partitions.
pub(crate) fn schema() -> Arc<Schema> {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        text("event_id"),
        text("sequence"),
        text("stream"),
        text("shard"),
        text("kind"),
        text("cause"),
        Field::new("happened", millis(), false),
        text("source"),
        text("key"),
        Field::new("before", DataType::Utf8, true),
        Field::new("after", DataType::Utf8, true),
    ]))
}

/// Changes as the bytes of a file.
pub(crate) fn encode(origin: &Origin, changes: &[Change]) -> Result<Vec<u8>, LakeError> {
    fn texts<'c>(of: impl Iterator<Item = &'c str>) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(of))
    }
    let each = || changes.iter();
    let happened = TimestampMillisecondArray::from_iter_values(each().map(|one| one.happened));
    let image = |of: fn(&Change) -> Option<&str>| -> ArrayRef {
        Arc::new(each().map(of).collect::<StringArray>())
    };
    let columns: Vec<ArrayRef> = vec![
        texts(each().map(|one| one.event_id.as_str())),
        texts(each().map(|one| one.sequence.as_str())),
        texts(each().map(|_| origin.stream.as_str())),
        texts(each().map(|_| origin.shard.as_str())),
        texts(each().map(|one| one.kind)),
        texts(each().map(|one| one.cause)),
        Arc::new(happened.with_timezone("UTC")),
        texts(each().map(|one| one.source.as_str())),
        texts(each().map(|one| one.key.as_str())),
        image(|one| one.before.as_deref()),
        image(|one| one.after.as_deref()),
    ];
    let refuse = |error: &dyn std::fmt::Display| LakeError::damaged(&"a file of bronze", error);
    let table = RecordBatch::try_new(schema(), columns).map_err(|error| refuse(&error))?;
    let mut writer = sink(schema(), Vec::new()).map_err(|error| refuse(&error))?;
    writer.write(&table).map_err(|error| refuse(&error))?;
    writer.into_inner().map_err(|error| refuse(&error))
}

/// What a change left of an item: its key, where in the stream it is and when it happened, and the item in JSON, if it is there.
pub(crate) struct Left<'b> {
    pub(crate) key: &'b str,
    pub(crate) sequence: &'b str,
    /// When it happened, in milliseconds since 1970; DynamoDB tells the second.
    pub(crate) happened: i64,
    pub(crate) after: Option<&'b str>,
}

/// Goes through the changes of a file, in their order.
pub(crate) fn each_change(
    file: &BronzeFile,
    bytes: Bytes,
    mut see: impl FnMut(&Left<'_>),
) -> Result<(), LakeError> {
    let path = file.path();
    let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(|error| bad(&error))?;
    let wanted = ["sequence", "happened", "key", "after"];
    let mask = ProjectionMask::columns(reader.parquet_schema(), wanted);
    let reader = reader.with_projection(mask).build();
    for table in reader.map_err(|error| bad(&error))? {
        let table = table.map_err(|error| bad(&error))?;
        let column = |name: &str| {
            let column = table.column_by_name(name);
            let texts = column.and_then(|column| column.as_any().downcast_ref::<StringArray>());
            texts.ok_or_else(|| bad(&format!("there is no text `{name}`")))
        };
        let (sequences, keys, after) = (column("sequence")?, column("key")?, column("after")?);
        let happened = table.column_by_name("happened");
        let happened = happened.and_then(|column| column.as_primitive_opt::<Millis>());
        let happened = happened.ok_or_else(|| bad(&"there is no moment `happened`"))?;
        for row in 0..table.num_rows() {
            see(&Left {
                happened: happened.value(row),
                key: keys.value(row),
                sequence: sequences.value(row),
                after: after.is_valid(row).then(|| after.value(row)),
            });
        }
    }
    Ok(())
}
