//! Columns of silver as the values they were, in the JSON generated types have.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use jiff::Timestamp;
use serde_json::{Map, Value};
use tablewright::descriptor::field_type::FieldType;
use tablewright_keys::Precision;

use crate::gold::date;
use crate::model::LakeEntity;

impl LakeEntity {
    /// The fields of a row.
    pub(crate) fn fields(&self, rows: &RecordBatch, row: usize) -> Map<String, Value> {
        let columns = self.columns.iter();
        let values = columns.filter_map(|column| {
            let values = rows.column_by_name(&column.name)?;
            Some((column.name.clone(), self.value(&column.kind, values, row)?))
        });
        values.collect()
    }

    /// A value; none when it is null, or the column is of another type.
    fn value(&self, kind: &FieldType, values: &ArrayRef, row: usize) -> Option<Value> {
        if values.is_null(row) {
            return None;
        }
        let text = || Some(values.as_string_opt::<i32>()?.value(row));
        let millis = || {
            let column = values.as_primitive_opt::<TimestampMillisecondType>()?;
            Some(column.value(row))
        };
        let members = |of: &FieldType, members: &ArrayRef| -> Value {
            (0..members.len())
                .map(|place| self.value(of, members, place).unwrap_or_default())
                .collect()
        };
        Some(match kind {
            FieldType::Bool => Value::from(values.as_boolean_opt()?.value(row)),
            FieldType::Int { .. } => {
                Value::from(values.as_primitive_opt::<Int64Type>()?.value(row))
            }
            FieldType::Date => {
                let days = values.as_primitive_opt::<Date32Type>()?.value(row);
                Value::from(date(days)?.to_string())
            }
            FieldType::EpochSeconds => Value::from(millis()?.div_euclid(1000)),
            FieldType::EpochMillis => Value::from(millis()?),
            FieldType::Timestamp(Precision::Seconds) => {
                let moment = Timestamp::from_millisecond(millis()?).ok()?;
                Value::from(format!("{moment:.0}"))
            }
            FieldType::Timestamp(Precision::Millis) => {
                let moment = Timestamp::from_millisecond(millis()?).ok()?;
                Value::from(format!("{moment:.3}"))
            }
            FieldType::Timestamp(Precision::Micros) | FieldType::UnevenTimestamp => {
                let column = values.as_primitive_opt::<TimestampMicrosecondType>()?;
                let moment = Timestamp::from_microsecond(column.value(row)).ok()?;
                Value::from(format!("{moment:.6}"))
            }
            FieldType::Binary(_) => {
                let bytes = values.as_binary_opt::<i32>()?.value(row);
                bytes.iter().map(|byte| Value::from(*byte)).collect()
            }
            FieldType::List(of, _) | FieldType::Set(of, _) => {
                members(of, &values.as_list_opt::<i32>()?.value(row))
            }
            FieldType::Map(of, _) => {
                let entries = values.as_map_opt()?.value(row);
                let names = entries.column(0).as_string_opt::<i32>()?;
                let entries = (0..names.len()).map(|place| {
                    let value = self.value(of, entries.column(1), place);
                    (names.value(place).to_owned(), value.unwrap_or_default())
                });
                Value::Object(entries.collect())
            }
            FieldType::Struct(name) => {
                let fields = &self.structure(name)?.fields;
                let columns = values.as_struct_opt()?;
                let fields = fields.iter().filter_map(|field| {
                    let column = columns.column_by_name(&field.name)?;
                    let value = self.value(&field.declared.kind, column, row)?;
                    Some((field.name.clone(), value))
                });
                Value::Object(fields.collect())
            }
            FieldType::Json(_) => serde_json::from_str(text()?).ok()?,
            FieldType::Decimal
            | FieldType::String(_)
            | FieldType::Id
            | FieldType::Uuid
            | FieldType::Ulid
            | FieldType::Email
            | FieldType::Enum(_)
            | FieldType::Ordered(_) => Value::from(text()?),
        })
    }
}
