//! The engine behind the seam: `dynoxide`, with what it lacks. Nothing outside of this module knows it.

mod decode;
mod depth;
mod maintenance;
mod making;
mod operations;
mod streams;
mod tokens;

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use dynoxide::{Database, DynoxideError};
use serde_json::json;

use crate::Reply;
use maintenance::Maintenance;
use tokens::Tokens;

/// The database in the data directory.
const FILE: &str = "dynamodb.sqlite";

/// What kept the engine from its work: a full disk, a damaged file, a version it does not know.
#[derive(Debug)]
pub struct StoreError(String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

impl From<DynoxideError> for StoreError {
    fn from(error: DynoxideError) -> Self {
        StoreError(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError(error.to_string())
    }
}

/// An open database and the connection by which we look after it.
pub(crate) struct Store {
    path: PathBuf,
    /// Requests share it. What changes which streams there are has it alone, so that no record of a new stream can be
    /// written before those of its predecessor are gone.
    database: RwLock<Database>,
    maintenance: Mutex<Maintenance>,
    tokens: Tokens,
    /// What is written need not outlast the machine.
    fleeting: bool,
}

impl Store {
    /// The caller holds the lock of the directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, StoreError> {
        Self::open_as(directory, false)
    }

    /// One that goes with the process: no write waits for the disk.
    pub(crate) fn open_fleeting(directory: &Path) -> Result<Self, StoreError> {
        Self::open_as(directory, true)
    }

    /// The file that is in a directory with an engine.
    pub(crate) fn file_in(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    fn open_as(directory: &Path, fleeting: bool) -> Result<Self, StoreError> {
        let path = Store::file_in(directory);
        // The engine makes its tables first.
        let database = open_database(&path, fleeting)?;
        let maintenance = Maintenance::open(&path)?;
        maintenance.trim()?;
        let store = Store {
            path,
            database: RwLock::new(database),
            maintenance: Mutex::new(maintenance),
            tokens: Tokens::default(),
            fleeting,
        };
        store.unmake_all()?;
        Ok(store)
    }

    /// The seam: the name of an operation and its body, and what DynamoDB answers.
    pub(crate) fn dispatch(&self, operation: &str, body: &[u8]) -> Reply {
        if let Some(refusal) = depth::refusal(body) {
            return refusal;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| match operation {
            "CreateTable" | "UpdateTable" | "DeleteTable" => self.change_table(operation, body),
            "GetShardIterator" => self.shard_iterator(body),
            "GetRecords" => self.records(body),
            _ => self.answer(operation, body),
        }));
        answer.unwrap_or_else(|_| {
            tracing::error!(operation, "the embedded engine panicked");
            self.reopen();
            Reply::internal_error("the embedded engine failed on this request")
        })
    }

    fn answer(&self, operation: &str, body: &[u8]) -> Reply {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        operations::answer(&database, &self.tokens, operation, body)
    }

    /// Whoever wants to read on where records were removed for their age is told so, and not given the ones that are left as if there had been no others.
    fn shard_iterator(&self, body: &[u8]) -> Reply {
        let reply = self.answer("GetShardIterator", body);
        let Some(place) = streams::place_given(&reply.body) else {
            return reply;
        };
        match self.trimmed_after(&place) {
            Ok(None) => reply,
            // The oldest is the oldest that is there.
            Ok(Some(last)) if streams::names_no_record(body) => {
                Reply::success(json!({ "ShardIterator": place.after(last) }).to_string())
            }
            Ok(Some(_)) => trimmed(),
            Err(failed) => failed,
        }
    }

    /// So is whoever has an iterator from before. It is asked afterwards: what is removed meanwhile is noted first.
    fn records(&self, body: &[u8]) -> Reply {
        let reply = self.answer("GetRecords", body);
        let place = streams::place_asked(body).filter(|_| reply.status == 200);
        match place.map(|place| self.trimmed_after(&place)) {
            None | Some(Ok(None)) => reply,
            Some(Ok(Some(_))) => trimmed(),
            Some(Err(failed)) => failed,
        }
    }

    /// The last record that was removed for its age, if it comes after a place.
    fn trimmed_after(&self, place: &streams::Place) -> Result<Option<i64>, Reply> {
        match self.maintenance().trimmed(&place.table) {
            Ok(last) => Ok(last.filter(|last| place.position < *last)),
            Err(error) => {
                tracing::error!(%error, table = place.table, "what was trimmed of a stream cannot be read");
                Err(Reply::internal_error(
                    "what was trimmed of the stream cannot be read",
                ))
            }
        }
    }

    /// An operation after which a table may have another stream than before, or none.
    fn change_table(&self, operation: &str, body: &[u8]) -> Reply {
        let database = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(table) = table_name(body) else {
            return operations::answer(&database, &self.tokens, operation, body);
        };
        let before = streams::label(&database, &table);
        // What a table of this name left behind must not show in the stream of the new one.
        if operation == "CreateTable"
            && before.is_none()
            && let Err(refused) = self.purge(&table)
        {
            return refused;
        }
        let reply = match operation {
            "CreateTable" => self.make_table(&database, &table, body),
            _ => operations::answer(&database, &self.tokens, operation, body),
        };
        let after = streams::label(&database, &table);
        if before.is_some()
            && before != after
            && let Err(refused) = self.purge(&table)
        {
            return refused;
        }
        reply
    }

    /// Removes the records of a stream that has ended, or says what the request is answered with.
    fn purge(&self, table: &str) -> Result<(), Reply> {
        let purged = self.maintenance().purge(table);
        purged.map(drop).map_err(|error| {
            tracing::error!(%error, table, "the records of an old stream could not be removed");
            let message = format!("the records of an old stream of {table} could not be removed");
            Reply::internal_error(&message)
        })
    }

    /// After a panic the engine refuses to work. What it had not committed is gone with its connection.
    fn reopen(&self) {
        let mut database = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        match open_database(&self.path, self.fleeting) {
            Ok(fresh) => *database = fresh,
            Err(error) => tracing::error!(%error, "the embedded engine could not be reopened"),
        }
    }

    /// The engine lets requests pass between pages of a sweep, so the sweep must not keep the database from being changed.
    pub(crate) fn sweep_ttl(&self) -> Result<usize, StoreError> {
        let database = self
            .database
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(database.sweep_ttl()?)
    }

    pub(crate) fn trim_streams(&self) -> Result<usize, StoreError> {
        Ok(self.maintenance().trim()?)
    }

    fn maintenance(&self) -> MutexGuard<'_, Maintenance> {
        self.maintenance
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What whoever would read on past records that went is answered with.
fn trimmed() -> Reply {
    Reply::error(
        400,
        "com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException",
        "The operation attempted to read past the oldest stream record in a shard",
    )
}

fn open_database(path: &Path, fleeting: bool) -> Result<Database, StoreError> {
    let Some(path) = path.to_str() else {
        return Err(StoreError(String::from("its path is not UTF-8 text")));
    };
    if !may_be_a_database(path) {
        let why = "its file dynamodb.sqlite is no database; move it away, or choose another folder";
        return Err(StoreError(String::from(why)));
    }
    make_for_oneself(path);
    let database = Database::new(path)?;
    if fleeting {
        // What it calls normal syncs at checkpoints instead of at every write; a database that is opened begins with the latter.
        database.disable_bulk_loading()?;
    }
    Ok(database)
}

/// A file that is not there yet is for its owner only, and so is what the engine puts beside it. What cannot be made the engine tells of.
fn make_for_oneself(path: &str) {
    let mut new = File::options();
    new.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    drop(new.open(path));
}

/// Whether a file begins as a database does, or is none yet. The engine takes any other for an encrypted one, and then speaks of what
/// nobody here can do.
fn may_be_a_database(path: &str) -> bool {
    const BEGINNING: &[u8] = b"SQLite format 3\0";
    let mut found = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut found));
    // What cannot be opened the engine tells of.
    read.is_err() || found.is_empty() || found == BEGINNING
}

fn table_name(body: &[u8]) -> Option<String> {
    let request: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some(request.get("TableName")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, b"not a database at all").unwrap();
        let refused = Store::open(folder.path()).err().unwrap();
        assert!(refused.0.contains("is no database"), "{}", refused.0);
        assert_eq!(std::fs::read(&path).unwrap(), b"not a database at all");
        std::fs::write(&path, b"").unwrap();
        Store::open(folder.path()).unwrap();
    }

    const TABLE: &[u8] = br#"{
        "TableName": "things",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }]
    }"#;

    #[test]
    fn the_engine_works_on_after_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.dispatch("CreateTable", TABLE).status, 200);
        catch_unwind(AssertUnwindSafe(|| {
            let _database = store.database.write().unwrap();
            panic!("in the middle of a request");
        }))
        .unwrap_err();
        assert!(store.database.is_poisoned());
        store.reopen();

        let described = store.dispatch("DescribeTable", br#"{"TableName":"things"}"#);
        assert_eq!(described.status, 200, "{}", described.body);
        let put = br#"{"TableName":"things","Item":{"id":{"S":"a"}}}"#;
        assert_eq!(store.dispatch("PutItem", put).status, 200);
    }

    #[test]
    fn a_table_is_not_made_over_the_records_of_an_old_stream() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let mut table: serde_json::Value = serde_json::from_slice(TABLE).unwrap();
        table["StreamSpecification"] =
            serde_json::json!({ "StreamEnabled": true, "StreamViewType": "KEYS_ONLY" });
        let table = table.to_string();
        assert_eq!(store.dispatch("CreateTable", table.as_bytes()).status, 200);
        let put = br#"{"TableName":"things","Item":{"id":{"S":"a"}}}"#;
        assert_eq!(store.dispatch("PutItem", put).status, 200);
        let disk = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
        disk.execute_batch(
            "CREATE TRIGGER full BEFORE DELETE ON _stream_records
             BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
        )
        .unwrap();

        let name = br#"{"TableName":"things"}"#;
        for (operation, body) in [
            ("DeleteTable", name.as_slice()),
            ("CreateTable", table.as_bytes()),
        ] {
            let failed = store.dispatch(operation, body);
            assert_eq!(failed.status, 500, "{}", failed.body);
            assert!(
                failed.body.contains("InternalServerError"),
                "{}",
                failed.body
            );
        }
        assert_eq!(store.dispatch("DescribeTable", name).status, 400);

        disk.execute_batch("DROP TRIGGER full").unwrap();
        assert_eq!(store.dispatch("CreateTable", table.as_bytes()).status, 200);
        let records = "SELECT count(*) FROM _stream_records";
        let left: i64 = disk.query_row(records, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
    }
}
