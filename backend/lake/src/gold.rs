//! Gold: answers that were computed from silver and bronze, a table for each question.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{Field, Schema};
use futures_util::future::BoxFuture;
use jiff::civil::Date;
use object_store::path::Path;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::part::sink;
use crate::refining::Refining;

/// Computes the tables of gold from a lake.
pub type Refine = fn(Refining) -> BoxFuture<'static, Result<(), LakeError>>;

/// A table of gold, or a piece of one.
#[derive(Debug, Clone)]
pub struct GoldTable {
    name: &'static str,
    piece: Option<String>,
    columns: Vec<(&'static str, ArrayRef)>,
}

impl GoldTable {
    /// A table without columns.
    pub fn new(name: &'static str) -> Self {
        GoldTable {
            name,
            piece: None,
            columns: Vec::new(),
        }
    }

    /// As one of several pieces of a table, each in a file with its name: what is written under a name takes the place of what was.
    #[must_use]
    pub fn piece(self, piece: impl Into<String>) -> Self {
        let piece = Some(piece.into());
        GoldTable { piece, ..self }
    }

    /// With a column of texts.
    #[must_use]
    pub fn texts<'v>(
        self,
        name: &'static str,
        values: impl Iterator<Item = Option<&'v str>>,
    ) -> Self {
        self.with(name, Arc::new(values.collect::<StringArray>()))
    }

    /// With a column of days.
    #[must_use]
    pub fn days(
        self,
        name: &'static str,
        values: impl Iterator<Item = impl Into<Option<Date>>>,
    ) -> Self {
        let epoch = Date::constant(1970, 1, 1);
        let days = values.map(|day| {
            let since = day.into()?.since((jiff::Unit::Day, epoch));
            Some(since.map_or(0, |span| span.get_days()))
        });
        self.with(name, Arc::new(days.collect::<Date32Array>()))
    }

    /// With a column of whole numbers.
    #[must_use]
    pub fn counts(
        self,
        name: &'static str,
        values: impl Iterator<Item = impl Into<Option<i64>>>,
    ) -> Self {
        let numbers = values.map(Into::into);
        self.with(name, Arc::new(numbers.collect::<Int64Array>()))
    }

    /// With a column of numbers.
    #[must_use]
    pub fn numbers(self, name: &'static str, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.with(name, Arc::new(values.collect::<Float64Array>()))
    }

    fn with(mut self, name: &'static str, column: ArrayRef) -> Self {
        self.columns.push((name, column));
        self
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn schema(&self) -> Schema {
        let columns = self.columns.iter();
        let fields =
            columns.map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
        Schema::new(fields.collect::<Vec<Field>>())
    }

    /// Its file, under a folder.
    pub(crate) fn path(&self, folder: &[&str]) -> Path {
        path_in(folder, self.name, self.piece.as_deref())
    }

    pub(crate) fn encoded(self) -> Result<Vec<u8>, LakeError> {
        let path = self.path(&GOLD);
        let bad = |error: &dyn std::fmt::Display| LakeError::damaged(&path, error);
        let columns = self
            .columns
            .into_iter()
            .map(|(name, column)| (name, column, true));
        let rows =
            RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| bad(&error))?;
        let mut writer = sink(rows.schema(), Vec::new()).map_err(|error| bad(&error))?;
        writer.write(&rows).map_err(|error| bad(&error))?;
        writer.into_inner().map_err(|error| bad(&error))
    }
}

/// Where the tables of gold are, and where is what is remembered to compute them.
pub(crate) const GOLD: [&str; 1] = ["gold"];
pub(crate) const KEPT: [&str; 2] = ["_lake", "gold"];

/// The file of a table, or of a piece of it, under a folder.
pub(crate) fn path_in(folder: &[&str], table: &str, piece: Option<&str>) -> Path {
    let file = format!("{}.parquet", piece.unwrap_or("all"));
    Path::from_iter(folder.iter().copied().chain([table, file.as_str()]))
}

/// A row of a table of gold.
#[derive(Debug)]
pub struct GoldRow<'r> {
    pub(crate) rows: &'r RecordBatch,
    pub(crate) row: usize,
}

impl<'r> GoldRow<'r> {
    fn column(&self, name: &str) -> Option<&'r ArrayRef> {
        let column = self.rows.column_by_name(name)?;
        column.is_valid(self.row).then_some(column)
    }

    /// A text; none when it is null, or there is no such column of texts.
    pub fn text(&self, name: &str) -> Option<&'r str> {
        let column = self.column(name)?.as_string_opt::<i32>()?;
        Some(column.value(self.row))
    }

    /// A whole number.
    pub fn count(&self, name: &str) -> Option<i64> {
        let column = self.column(name)?.as_primitive_opt::<Int64Type>()?;
        Some(column.value(self.row))
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        let column = self.column(name)?.as_primitive_opt::<Float64Type>()?;
        Some(column.value(self.row))
    }

    /// A day.
    pub fn day(&self, name: &str) -> Option<Date> {
        let column = self.column(name)?.as_primitive_opt::<Date32Type>()?;
        date(column.value(self.row))
    }
}

/// The day so many days after the first of 1970.
pub(crate) fn date(days: i32) -> Option<Date> {
    let span = jiff::Span::new().try_days(days).ok()?;
    Date::constant(1970, 1, 1).checked_add(span).ok()
}

impl Lake {
    /// Computes gold, if the model has any, as of a moment in milliseconds since 1970. Each table, or piece of one, is replaced as a whole.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn refine(&self, now: i64) -> Result<(), LakeError> {
        let Some(refine) = self.inner.model.gold else {
            return Ok(());
        };
        let refining = async {
            let _alone = self.inner.upkeep.lock().await;
            refine(Refining::of(self, now)).await
        };
        self.staying(refining).await
    }
}
