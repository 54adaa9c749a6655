//! The tables of a model: created, and brought up to date where that loses nothing.

mod add;
mod ask;
mod create;
mod look;
mod losses;
mod recovery;
mod sdk;
mod ttl;

use std::fmt;

use tablewright_descriptor::{Schema, Table};

use self::add::add_what_it_lacks;
use self::create::create;
use self::look::{describe, refuse_losses, until_active};
use self::recovery::switch_recovery_on;
use self::ttl::{Ttl, switch_ttl_on, ttl_of};
use crate::Store;
use crate::error::Error;

/// Why a table could not be made what the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The table there is differs, and changing it would lose data or is not possible. Nothing was changed, unless another process, with another
    /// model, was at work at the same time.
    WouldLose {
        /// The table.
        table: String,
        /// What differs and what to do, each.
        reasons: Vec<String>,
    },
    /// The table cannot be waited for: it was deleted meanwhile, or is in a state out of which it does not come by itself.
    Unusable {
        /// The table.
        table: String,
        /// What is the matter, and what to do.
        why: String,
    },
    /// DynamoDB did not do what was asked.
    Error(Error),
}

impl TableError {
    /// Whether whoever asked may neither look at tables nor make them. In an account they are deployed, and services may only use them.
    pub fn is_denied(&self) -> bool {
        matches!(self, TableError::Error(Error::Backend { code, .. }) if code == "AccessDeniedException")
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::WouldLose { table, reasons } => {
                write!(
                    f,
                    "table {table} cannot become what the model says: {}",
                    reasons.join("; ")
                )
            }
            TableError::Unusable { table, why } => write!(f, "table {table} cannot be used: {why}"),
            TableError::Error(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TableError {}

impl From<Error> for TableError {
    fn from(error: Error) -> Self {
        TableError::Error(error)
    }
}

/// What was done to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableChange {
    /// The table.
    pub table: String,
    /// What was done, in words; empty when it was up to date.
    pub done: Vec<String>,
}

/// Creates the tables of a schema that are not there, and adds to the others what they lack: an index, a stream, TTL, recovery. All tables
/// are looked at before one is changed. Several processes may do this at once.
///
/// # Errors
/// [`TableError::WouldLose`] when a table has other keys than the model says, an index of the same name with other keys, a stream with other
/// images, or TTL by another attribute. [`TableError::Unusable`] when a table is deleted meanwhile.
pub async fn bring_up_to_date(
    store: &Store,
    schema: &Schema,
) -> Result<Vec<TableChange>, TableError> {
    let mut found = Vec::new();
    for table in &schema.tables {
        found.push((table, look_at(store, table).await?));
    }
    let mut changes = Vec::new();
    for (table, found) in found {
        let mut done = Vec::new();
        let is_new = match found {
            Found::Nothing => create(store, table, &mut done).await?,
            Found::Table { .. } => false,
        };
        if is_new {
            until_active(store, table).await?;
        } else {
            add_what_it_lacks(store, table, &mut done).await?;
        }
        if !matches!(found, Found::Table { has_ttl: true }) {
            switch_ttl_on(store, table, &mut done).await?;
        }
        switch_recovery_on(store, table, &mut done).await;
        changes.push(TableChange {
            table: store.table_name(table),
            done,
        });
    }
    Ok(changes)
}

/// What there was before anything was changed.
enum Found {
    Nothing,
    Table { has_ttl: bool },
}

/// Looks whether a table can become what the model says.
async fn look_at(store: &Store, table: &Table) -> Result<Found, TableError> {
    let Some(description) = describe(store, table).await? else {
        return Ok(Found::Nothing);
    };
    refuse_losses(store, table, &description)?;
    let has_ttl = match &table.ttl {
        Some(attribute) => ttl_of(store, table, attribute).await? == Ttl::AsWanted,
        None => true,
    };
    Ok(Found::Table { has_ttl })
}
