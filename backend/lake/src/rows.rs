//! Rows of silver: items in the present shape, and tables of them.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow_schema::ArrowError;
use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::{Found, Item};

use crate::image::{key_text, without_secrets};
use crate::model::LakeEntity;

/// An item as silver has it.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) key: String,
    /// A value for each column of its entity.
    values: Vec<Option<AttributeValue>>,
    last_write: Option<i64>,
    unreadable: Option<String>,
}

impl Row {
    pub(crate) fn is_unreadable(&self) -> bool {
        self.unreadable.is_some()
    }
}

impl LakeEntity {
    /// An item as silver has it. One that is not as the model says has a row all the same, which says why.
    pub(crate) fn row(&self, item: &Item) -> Row {
        let key = key_text(&self.entity.table, item);
        let item = without_secrets(self, item);
        let found = match Found::of_entity(&self.entity, self.migrations, item) {
            Ok(Some(found)) => found,
            Ok(None) => return self.unreadable(key, String::from("it is of another entity")),
            Err(error) => return self.unreadable(key, error.to_string()),
        };
        let mut wrong = Vec::new();
        let values = self.columns.iter().map(|column| {
            let value = found.fields.stored(&column.name);
            let value = value.or(column.default.as_ref())?;
            if self.fits(&column.kind, value) {
                return Some(value.clone());
            }
            wrong.push(format!("{} is no {}", column.name, column.kind));
            None
        });
        Row {
            key,
            values: values.collect(),
            last_write: self.entity.versioned.map(|_| found.stamp.last_write),
            unreadable: (!wrong.is_empty()).then(|| wrong.join(", ")),
        }
    }

    fn unreadable(&self, key: String, why: String) -> Row {
        Row {
            key,
            values: vec![None; self.columns.len()],
            last_write: None,
            unreadable: Some(why),
        }
    }

    /// Rows as a table.
    pub(crate) fn table(&self, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            let values: Vec<Option<&AttributeValue>> =
                rows.iter().map(|row| row.values[place].as_ref()).collect();
            arrays.push(self.array(&column.kind, &values)?);
        }
        let keys = rows.iter().map(|row| row.key.as_str());
        arrays.push(Arc::new(StringArray::from_iter_values(keys)));
        if self.entity.versioned.is_some() {
            let written: TimestampMillisecondArray =
                rows.iter().map(|row| row.last_write).collect();
            arrays.push(Arc::new(written.with_timezone("UTC")));
        }
        let unreadable: StringArray = rows.iter().map(|row| row.unreadable.as_deref()).collect();
        arrays.push(Arc::new(unreadable));
        RecordBatch::try_new(self.schema(), arrays)
    }
}
