//! The care the engine does not take of its stream records.
//!
//! Each write to a streamed table asks for the last sequence number of that table; without an index that reads every
//! record there is, and the engine removes none. So there are indexes of ours, and records go after a day.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _, params};

/// How long a stream keeps a record.
pub(crate) const RETENTION: Duration = Duration::from_secs(24 * 60 * 60);

/// Records removed at once. Requests wait meanwhile.
const BATCH: i64 = 1000;

/// The indexes begin with our name, so that an engine that brings its own cannot clash. The expression is the engine's.
const INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS tablewright_stream_by_sequence
        ON _stream_records (table_name, CAST(sequence_number AS INTEGER), shard_id);
    CREATE INDEX IF NOT EXISTS tablewright_stream_by_age
        ON _stream_records (created_at);
    CREATE TABLE IF NOT EXISTS tablewright_stream_trimmed (
        table_name TEXT PRIMARY KEY,
        sequence_number INTEGER NOT NULL
    );";

/// A second connection to the database, which touches stream records only: the engine keeps what it knows of tables.
#[derive(Debug)]
pub(crate) struct Maintenance {
    connection: Connection,
}

impl Maintenance {
    /// Makes the indexes that are missing, and removes the records of tables that are gone.
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.execute_batch(INDEXES)?;
        connection.execute(
            "DELETE FROM _stream_records WHERE table_name NOT IN (SELECT table_name FROM _tables)",
            [],
        )?;
        Ok(Maintenance { connection })
    }

    /// Removes the records that are older than a stream keeps them, and returns how many there were.
    pub(crate) fn trim(&self) -> rusqlite::Result<usize> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let oldest = now.saturating_sub(RETENTION).as_secs();
        let oldest = i64::try_from(oldest).unwrap_or(i64::MAX);
        // Before they go, so that whoever has not read them is told, whenever this ends.
        self.connection.execute(
            "INSERT INTO tablewright_stream_trimmed
                SELECT table_name, MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records
                WHERE created_at < ?1 GROUP BY table_name
                ON CONFLICT (table_name) DO UPDATE SET sequence_number = excluded.sequence_number",
            params![oldest],
        )?;
        let mut removed = 0;
        loop {
            let batch = self.connection.execute(
                "DELETE FROM _stream_records WHERE id IN
                    (SELECT id FROM _stream_records WHERE created_at < ?1 LIMIT ?2)",
                params![oldest, BATCH],
            )?;
            removed += batch;
            if batch == 0 {
                return Ok(removed);
            }
        }
    }

    /// The sequence number of the last record of a table that was removed for its age.
    pub(crate) fn trimmed(&self, table: &str) -> rusqlite::Result<Option<i64>> {
        let mut trimmed = self.connection.prepare_cached(
            "SELECT sequence_number FROM tablewright_stream_trimmed WHERE table_name = ?1",
        )?;
        trimmed.query_row([table], |row| row.get(0)).optional()
    }

    /// Removes the records of a stream that has ended.
    pub(crate) fn purge(&self, table: &str) -> rusqlite::Result<usize> {
        self.connection.execute(
            "DELETE FROM tablewright_stream_trimmed WHERE table_name = ?1",
            [table],
        )?;
        self.connection
            .execute("DELETE FROM _stream_records WHERE table_name = ?1", [table])
    }
}
