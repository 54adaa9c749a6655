//! The columns an entity has in silver, by the types of its fields.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::descriptor::field_type::{DeclaredType, FieldType};
use tablewright::descriptor::{Entity, Structure};
use tablewright_keys::Precision;

use crate::model::LakeEntity;

/// A field or a counter as a column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: FieldType,
    /// What an item that was stored before there was the field is read with.
    pub(crate) default: Option<AttributeValue>,
}

/// The columns that every row of silver has besides its fields.
pub(crate) const KEY: &str = "_key";
const LAST_WRITE: &str = "_last_write";
pub(crate) const UNREADABLE: &str = "_unreadable";

/// The fields of an entity that may be seen, and its counters.
pub(crate) fn columns_of(entity: &Entity, withheld: &[String]) -> Vec<Column> {
    let fields = entity.fields.iter().map(|field| Column {
        name: field.name.clone(),
        kind: field.declared.kind.clone(),
        default: default_of(&field.declared),
    });
    let counters = entity.counters.iter().map(|name| Column {
        name: name.clone(),
        kind: FieldType::Int {
            min: None,
            max: None,
        },
        default: None,
    });
    let shown = fields.filter(|column| !withheld.contains(&column.name));
    shown.chain(counters).collect()
}

fn default_of(declared: &DeclaredType) -> Option<AttributeValue> {
    let written = declared.default.clone()?;
    Some(match declared.kind {
        FieldType::Bool => AttributeValue::Bool(written == "true"),
        ref number if number.is_number() => AttributeValue::N(written),
        _ => AttributeValue::S(written),
    })
}

impl LakeEntity {
    /// The columns of its rows in silver.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        let columns = self.columns.iter();
        let mut fields: Vec<Field> = columns
            .map(|column| Field::new(&column.name, self.data_type(&column.kind), true))
            .collect();
        fields.push(Field::new(KEY, DataType::Utf8, false));
        if self.entity.versioned.is_some() {
            fields.push(Field::new(LAST_WRITE, millis(), true));
        }
        fields.push(Field::new(UNREADABLE, DataType::Utf8, true));
        Arc::new(Schema::new(fields))
    }

    pub(crate) fn structure(&self, name: &str) -> Option<&Structure> {
        self.entity.structs.iter().find(|known| known.name == name)
    }

    pub(crate) fn data_type(&self, kind: &FieldType) -> DataType {
        match kind {
            FieldType::Bool => DataType::Boolean,
            FieldType::Int { .. } => DataType::Int64,
            FieldType::Date => DataType::Date32,
            FieldType::EpochSeconds
            | FieldType::EpochMillis
            | FieldType::Timestamp(Precision::Seconds | Precision::Millis) => millis(),
            FieldType::Timestamp(Precision::Micros) | FieldType::UnevenTimestamp => {
                DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
            }
            FieldType::Binary(_) => DataType::Binary,
            FieldType::List(of, _) | FieldType::Set(of, _) => {
                DataType::List(Arc::new(self.element(of)))
            }
            FieldType::Map(of, _) => DataType::Map(Arc::new(self.entries(of)), false),
            FieldType::Struct(name) => DataType::Struct(self.members(name)),
            // A decimal has up to 38 digits at any scale, which no decimal of Parquet holds.
            FieldType::Decimal
            | FieldType::Json(_)
            | FieldType::String(_)
            | FieldType::Id
            | FieldType::Uuid
            | FieldType::Ulid
            | FieldType::Email
            | FieldType::Enum(_)
            | FieldType::Ordered(_) => DataType::Utf8,
        }
    }

    /// Names as the format of Parquet has them.
    pub(crate) fn element(&self, of: &FieldType) -> Field {
        Field::new("element", self.data_type(of), true)
    }

    pub(crate) fn entries(&self, of: &FieldType) -> Field {
        let entry = DataType::Struct(self.entry(of));
        Field::new("key_value", entry, false)
    }

    pub(crate) fn entry(&self, of: &FieldType) -> Fields {
        let key = Field::new("key", DataType::Utf8, false);
        Fields::from(vec![key, Field::new("value", self.data_type(of), true)])
    }

    pub(crate) fn members(&self, name: &str) -> Fields {
        let structure = self.structure(name).into_iter();
        let fields = structure.flat_map(|structure| &structure.fields);
        fields
            .map(|field| Field::new(&field.name, self.data_type(&field.declared.kind), true))
            .collect()
    }
}

pub(crate) fn millis() -> DataType {
    DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
}
