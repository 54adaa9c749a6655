//! The care the engine does not take of its stream records, and of tables it has made in part.
//!
//! Each write to a streamed table asks for the last sequence number of that table; without an index that reads every
//! record there is, and the engine removes none. So there are indexes of ours, and records go after a day.
//!
//! A table is made in several steps, each of which is kept. So there are marks of ours, of tables that are being made.

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

/// No table of DynamoDB can have a name with a colon, and each is one of the database.
const MARKS: &str = "CREATE TABLE IF NOT EXISTS \"tablewright::making\" (name TEXT PRIMARY KEY)";

/// A second connection to the database, which touches stream records and marks only: the engine keeps what it knows of tables.
#[derive(Debug)]
pub(crate) struct Maintenance {
    connection: Connection,
}

impl Maintenance {
    /// Makes the indexes that are missing, and removes the records of tables that are gone.
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        // What is written is in order with what the engine writes, and comes to the disk with that.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(INDEXES)?;
        connection.execute_batch(MARKS)?;
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

    /// Notes that a table is being made.
    pub(crate) fn mark(&self, table: &str) -> rusqlite::Result<()> {
        let mark = "INSERT OR IGNORE INTO \"tablewright::making\" VALUES (?1)";
        self.connection.execute(mark, [table]).map(drop)
    }

    /// Notes that it is there, or that nothing is.
    pub(crate) fn unmark(&self, table: &str) -> rusqlite::Result<()> {
        let unmark = "DELETE FROM \"tablewright::making\" WHERE name = ?1";
        self.connection.execute(unmark, [table]).map(drop)
    }

    /// The tables whose making has not come to its end.
    pub(crate) fn marked(&self) -> rusqlite::Result<Vec<String>> {
        let mut marks = self
            .connection
            .prepare("SELECT name FROM \"tablewright::making\"")?;
        marks.query_map([], |row| row.get(0))?.collect()
    }

    /// Whether something is stored in a table, of which there may be nothing yet.
    pub(crate) fn has_items(&self, table: &str) -> rusqlite::Result<bool> {
        let known =
            "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
        let is_there: bool = self
            .connection
            .query_row(known, [table], |row| row.get(0))?;
        if !is_there {
            return Ok(false);
        }
        let name = table.replace('"', "\"\"");
        let some = format!("SELECT EXISTS (SELECT 1 FROM \"{name}\")");
        self.connection.query_row(&some, [], |row| row.get(0))
    }
}
